"""Published results: what they keep of a run, and that verdicts are those of the present rules."""

import json
from collections.abc import Callable
from html import escape
from pathlib import Path

import pandas as pd
import pytest
from paper_artefacts import ROOT, paper_results, write_json

from nlmt.cli.papers import PUBLISHED
from nlmt.errors import InputError
from nlmt.papers import PAPERS
from nlmt.papers.publish import (
    publish,
    published_pairs_of,
    read_published,
    read_published_pair,
    verdict_files,
)
from nlmt.papers.results import read_frame
from tools import write_tables

MakeTables = Callable[..., dict[str, pd.DataFrame]]
VALUES = ROOT / "config/papers"
PLACES = [place for key in PAPERS.names() for place in published_pairs_of(ROOT / PUBLISHED, key)]
JOB = {
    "rule": "write_paper_table",
    "wildcards": {},
    "params": {},
    "inputs": {},
    "outputs": {},
    "threads": 1,
    "started": "2026-01-01T00:00:00+00:00",
    "seconds": 2.0,
    "cpu_seconds": 3.0,
    "memory_mb": 1,
    "processor": "a processor",
    "system": "Linux",
    "versions": {"numpy": "2.0"},
    "commit": "abc",
    "modules": {},
}


@pytest.fixture
def run(tmp_path: Path, make_tables: MakeTables) -> Path:
    """Results of a paper on two pairs, with the records of some of its jobs."""
    results = tmp_path / "results"
    paper_results(results / "papers", "schwenk2010", make_tables, ("fr-en", "ja-en"))
    table = f"{results}/papers/schwenk2010/table1.tsv"
    jobs = {
        "table": {"inputs": {"a": "", "b": "", "mean": ""}, "outputs": {table: ""}},
        "fr": {
            "wildcards": {"task": "help", "src": "fr", "tgt": "en"},
            "params": {"seed": 7, "seeds": [1, 2]},
            "outputs": {"a": ""},
            "started": "2025-12-31T00:00:00+00:00",
        },
        "ja": {"wildcards": {"src": "ja", "tgt": "en"}, "outputs": {"b": ""}, "commit": "def"},
        "other": {"outputs": {"c": ""}, "seconds": 1000.0},
    }
    for name, changes in jobs.items():
        write_json(results / f"provenance/jobs/{name}.json", JOB | changes)
    return results


def test_a_run_is_published_by_pair_and_judged_as_it_was(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "published"
    pairs = [("schwenk2010", "fr-en"), ("schwenk2010", "ja-en")]
    assert publish(run, folder, VALUES) == pairs
    verdicts = read_frame(run / "papers/schwenk2010/claims.tsv")
    for key, pair in pairs:
        place = folder / key / pair
        own = verdicts[verdicts["pair"] == pair].reset_index()
        kept = read_frame(place / "claims.tsv")
        assert kept["verdict"].tolist() == own["verdict"].tolist()
        assert kept["claim"].tolist() == own["claim"].tolist()
        assert "<svg" in (place / "table1.svg").read_text()
        assert "fr-en ja-en".replace(pair, "").strip() not in (place / "table1.tsv").read_text()
    assert sum(path.stat().st_size for path in (folder / "schwenk2010/fr-en").iterdir()) < 60_000
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    publish(run, folder, VALUES)
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before
    results, records = read_published(folder, "schwenk2010", VALUES)
    assert list(records) == results.pairs == ["ja-en", "fr-en"]  # the order of the paper
    assert len(results.verdicts) == len(verdicts)


def test_the_record_is_of_the_jobs_behind_the_tables_of_a_pair(run: Path, tmp_path: Path) -> None:
    publish(run, tmp_path / "published", VALUES)
    record = json.loads((tmp_path / "published/schwenk2010/fr-en/record.json").read_text())
    assert (record["task"], record["seeds"], record["runs"]) == ("help", [7], [1, 2])
    assert (record["commits"], record["versions"]) == (["abc"], {"numpy": "2.0"})
    assert (record["jobs"], record["seconds"], record["cpu_seconds"]) == (2, 4, 6)
    assert record["begun"] == "2025-12-31T00:00:00+00:00"
    assert record["signatures"] == ["BLEU|version:2"]


def test_the_page_has_findings_scores_and_what_made_them(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(run, tmp_path / "published", VALUES)
    monkeypatch.setattr(write_tables, "PUBLISHED", tmp_path / "published")
    text = write_tables.with_tables("<!-- table: results-schwenk2010 -->\n<!-- end of table -->")
    assert "Nothing of zh-en, it-en has been published yet." in text
    results, _ = read_published(tmp_path / "published", "schwenk2010", VALUES)
    for claim in results.claims():
        assert claim.statement in text
    assert "](results/papers/schwenk2010/ja-en/table1.svg)" in text
    assert (
        "fr-en/record.json) | help | 2 jobs, 6.0 s of processor | 1, 2 | abc | a processor |"
        in text
    )
    for label in set(results.tables["test_sets"]["row"]):
        assert f"<td>{escape(label)}</td>" in text
    assert write_tables.with_tables(text) == text
    html = text[text.index("<div") : text.index("</table>")]
    assert "\n\n" not in html  # a blank line ends HTML in Markdown
    assert "BLEU of all systems" in html
    nothing = write_tables.with_tables("<!-- table: results-auli2013 -->\n<!-- end of table -->")
    assert "Nothing of fr-en, de-en, en-de has been published yet." in nothing


def test_another_run_replaces_its_own_pairs_alone(
    run: Path, tmp_path: Path, make_tables: MakeTables
) -> None:
    folder = tmp_path / "published"
    publish(run, folder, VALUES)
    kept = (folder / "schwenk2010/ja-en/table1.tsv").read_bytes()
    (folder / "schwenk2010/fr-en/former.tsv").write_text("")
    paper_results(tmp_path / "again/papers", "schwenk2010", make_tables, ["fr-en"])
    assert publish(tmp_path / "again", folder, VALUES) == [("schwenk2010", "fr-en")]
    assert not (folder / "schwenk2010/fr-en/former.tsv").exists()
    assert (folder / "schwenk2010/ja-en/table1.tsv").read_bytes() == kept


def test_systems_that_were_not_trained_stay_so(run: Path, tmp_path: Path) -> None:
    path = run / "papers/schwenk2010/comparisons.tsv"
    frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    frame.loc[frame["pair"] == "fr-en", "untrained"] = "schwenk2010_cslm"
    frame.to_csv(path, sep="\t", index=False)
    publish(run, tmp_path / "published", VALUES)
    of_pair = {
        pair: read_frame(tmp_path / f"published/schwenk2010/{pair}/claims.tsv")["verdict"]
        for pair in ("fr-en", "ja-en")
    }
    assert "not trained" in of_pair["fr-en"].tolist()
    assert "not trained" not in of_pair["ja-en"].tolist()


def test_results_without_papers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no table of a paper"):
        publish(tmp_path, tmp_path / "published", VALUES)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.parent.name}-{place.name}")
def test_published_verdicts_are_of_the_present_rules(place: Path) -> None:
    for name, text in verdict_files(read_published_pair(place, VALUES)).items():
        assert (place / name).read_text(encoding="utf-8") == text, "make generated"
