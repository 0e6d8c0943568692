"""Repetitions of a paper: the spread of their differences, and their verdicts."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from paper_artefacts import ROOT, VALUES, MakeTables, paper_results, write_job

from nlmt.cli import main
from nlmt.io.files import file_hash
from nlmt.papers import PAPERS
from nlmt.papers.pages import PaperResults
from nlmt.papers.publish import publish
from nlmt.papers.repetitions import _differences, _spreads, compare_repetitions, reversed_findings
from nlmt.papers.results import read_frame

COMPARED = 300


def repetition(random: np.random.Generator, apart: float) -> PaperResults:
    """Comparisons of systems whose runs share a part of their noise, and a shift of the whole."""
    rows, comparisons = [], []
    for number in range(COMPARED):
        shared = random.normal(size=3)
        shift = apart * random.normal()
        for side in ("better", "worse"):
            runs = number + shared + 0.5 * random.normal(size=3) + shift * (side == "better")
            text = " ".join(map(repr, runs.tolist()))
            cell = {"pair": "fr-en", "row": side, "column": str(number), "runs": text}
            rows.append({**cell, "machine": ""})
        names = {side: f"{side}, {number}" for side in ("better", "worse")}
        comparisons.append({"table": "one", "pair": "fr-en", "unit": "BLEU", **names})
    frames = {"one": pd.DataFrame(rows)}
    paper = PAPERS.get("schwenk2010")
    pairs = ["fr-en"]
    return PaperResults("schwenk2010", paper, pairs, frames, comparisons=pd.DataFrame(comparisons))


@pytest.mark.parametrize("apart", [0.0, 2.0])
def test_repetitions_differ_as_their_runs_let_expect(apart: float) -> None:
    random = np.random.default_rng(1)
    found = list(_differences([repetition(random, apart) for _ in range(3)]))
    (_, compared, deviation, low, high), together = _spreads(found)
    assert (compared, deviation) == (COMPARED, together[2])
    assert together[:2] == ("all", COMPARED)
    # Runs of a difference have the variance 2 x 0.25, their mean a third of it; the shifts of
    # repetitions add to what the means differ by, and to nothing within one.
    expected = ((1 / 6 + apart**2) / (1 / 6)) ** 0.5
    assert deviation == pytest.approx(expected, rel=0.1)
    assert (low <= deviation <= high) == (apart == 0)


def test_the_ratio_of_variances_by_hand() -> None:
    # Means 2 and 5 about 3.5: 3 x 2 x 2.25 by one degree; within 2 + 8 by four.
    ((_, _, deviation, *_), _) = _spreads([("BLEU", [[1.0, 2.0, 3.0], [3.0, 5.0, 7.0]])])
    assert deviation == pytest.approx((13.5 / 2.5) ** 0.5)


def test_the_verdicts_of_two_repetitions(
    tmp_path: Path, tables_of: MakeTables, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    paper_results(results / "papers", "schwenk2010", tables_of, ("fr-en",))
    table = results / "papers/schwenk2010/table1.tsv"
    digests = {str(table.relative_to(tmp_path)): file_hash(table)}
    write_job(results, "table", {"wildcards": {"task": "help"}, "outputs": digests})
    publish(results, tmp_path / "one", ROOT)
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    folders = [tmp_path / "one", tmp_path / "other"]
    verdicts, spreads = compare_repetitions(folders, VALUES)
    assert len(verdicts) > 5
    assert (verdicts["1"] == verdicts["2"]).all()
    assert set(spreads["deviation"]) == {0.0}
    (tmp_path / "empty").mkdir()
    assert main(["papers", "compare", str(folders[0]), str(tmp_path / "empty")]) == 1
    assert "no paper, scale and pair that is also in" in capsys.readouterr().err
    out = tmp_path / "compared"
    assert main(["papers", "compare", *map(str, folders), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "comparisons differ by 0.00 times" in printed
    assert "0 findings hold in one repetition and are opposite" in printed
    assert len(read_frame(out / "verdicts.tsv")) == len(verdicts)
    assert list(read_frame(out / "spread.tsv")["unit"]) == list(spreads["unit"])


def test_reversed_findings() -> None:
    rows = [["holds", "opposite"], ["holds", "mixed"], ["opposite", "opposite"]]
    verdicts = pd.DataFrame(rows, columns=["1", "2"])
    assert list(reversed_findings(verdicts).index) == [0]
