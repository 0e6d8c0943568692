"""Perplexity against translation quality: which models compare, and the verdict on it."""

import math
from pathlib import Path

import pytest
from default_experiment import changed_experiment, default_experiment
from paper_artefacts import MakeTables, cell, judged, perplexity, scores, write_json

from nlmt.experiment import Experiment
from nlmt.papers import PAPERS
from nlmt.papers.results import differences
from nlmt.papers.scores import correlation_with_perplexity

# Perplexity and BLEU by depth: of each training, and of each adapted.
MEASURED = {
    ("", ""): [(6.5, 30.0), (4.1, 31.0), (3.7, 33.0), (3.6, 32.0)],
    ("_adagrad", ""): [(2.7, 36.0), (2.8, 35.0), (3.0, 34.0), (3.2, 33.0)],
    ("", "_adapted"): [(8.3, 20.0), (5.9, 21.0), (5.7, 22.0)],
    ("_adagrad", "_adapted"): [(5.1, 29.0), (5.2, 30.0), (5.6, 28.0)],
}


def write_models(folder: Path, of: Experiment) -> None:
    """Write the perplexities and scores of all models, each of one run."""
    for (training, adapted), values in MEASURED.items():
        for depth, (value, bleu) in enumerate(values, 1):
            layers = f"{depth}layer{training}"
            content = perplexity(layers, 6000 if training else 3000)
            content["test"]["perplexity"] = value
            for run in (1, 2, 3):
                lm = folder / f"lm/luong2015_{layers}{adapted}/run{run}"
                write_json(lm / "perplexity.json", content)
            system = f"luong2015_{'domain_' if adapted else ''}{layers}"
            plan = of.systems[system]
            found = scores(system, plan.baseline, plan.compared_with, plan.test_sets, runs=[bleu])
            write_json(folder / f"eval/{system}.json", found)


def test_models_of_one_vocabulary_and_baseline_are_ranked(
    tmp_path: Path, make_tables: MakeTables
) -> None:
    write_models(tmp_path / "fr-en", default_experiment())
    tables = make_tables("luong2015")
    found = cell(tables["text"], "perplexity and BLEU", "rank correlation")
    # Products of centred ranks: -4 and -5 of squares 5, -2 and -1 of squares 2.
    assert found["value"] == pytest.approx(-12 / 14)
    assert found["note"].startswith("14 models in 4 groups, 95 % interval -0.96 to -0.51, ")
    correlation = differences(found.to_dict())["0"]
    assert correlation.deviation == pytest.approx(math.sqrt(1.06 / 8))
    # At most -12, as sums of two groups of four and two of three: of -10 in 1 of 576, -9 in 6,
    # -8 in 11, and of -4 in 1 of 36, -3 in 4, -2 in 4.
    assert correlation.p_value == pytest.approx(2 * (1 * (1 + 4 + 4) + 6 * (1 + 4) + 11) / 20736)


def test_the_verdict_is_by_the_exact_p(tmp_path: Path, make_tables: MakeTables) -> None:
    write_models(tmp_path / "fr-en", default_experiment())
    verdicts, comparisons = judged("luong2015", make_tables("luong2015"))
    verdict = verdicts[verdicts["claim"] == "perplexity_tracks_bleu"]
    assert verdict[["training", "verdict"]].to_numpy().tolist() == [["", "holds"]]
    row = comparisons[comparisons["claim"] == "perplexity_tracks_bleu"].iloc[0]
    assert row["p_holds"] == pytest.approx(100 / 20736)
    assert -1 < row["low"] < row["our_better"] < row["high"] < 0


@pytest.mark.parametrize("unigram", [59.5, 60.0])
def test_models_that_were_not_trained_are_not_ranked(unigram: float, tmp_path: Path) -> None:
    """Dev perplexity is 60 in all runs: the second run of a model is no better than a unigram."""
    folder, of = tmp_path / "fr-en", default_experiment()
    write_models(folder, of)
    table = PAPERS.get("luong2015").tables["text"]
    found = table.needs(of, of.paper("luong2015"), "fr-en").files
    paths = [folder / path for path in found["perplexity and BLEU / rank correlation"]]
    for path in paths:
        if path.name == "metrics.json":
            failed = path.parent.parts[-2:] == ("luong2015_1layer_adapted", "run2")
            content = {"dev_unigram_perplexity": unigram if failed else 300.0}
            write_json(path, content | {"dev": {"perplexity": 60.0}})
    measured = correlation_with_perplexity({}, "BLEU").read(paths)
    # Of its group two models are left, which rank alike: a product of 1/2, and squares of 1/2.
    assert measured.value == pytest.approx(-(4 + 5 + 0.5 + 1) / (5 + 5 + 0.5 + 2))
    assert measured.note.startswith("13 models in 4 groups, ")
    assert measured.note.endswith("; not trained: luong2015_1layer_adapted")


def test_models_that_are_left_out_are_not_ranked() -> None:
    systems = {name: None for name in default_experiment().systems.names() if "adagrad" in name}
    of = changed_experiment(systems=systems)
    table = PAPERS.get("luong2015").tables["text"]
    found = table.needs(of, of.paper("luong2015"), "fr-en").files
    names = {path.split("/")[1] for path in found["perplexity and BLEU / rank correlation"]}
    assert "luong2015_3layer_adapted" in names
    assert not any("adagrad" in name for name in names)
