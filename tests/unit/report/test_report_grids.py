"""The table of a grid."""

from typing import Any

import pytest

from nlmt.report import grid_text
from nlmt.report.grids import grid_table


def perplexity(*runs: float) -> dict[str, Any]:
    return {"perplexity": sum(runs) / len(runs), "runs": list(runs)}


def score(system: str, mean: float, stdev: float | None, difference: float) -> dict[str, Any]:
    bleu = {"mean": mean, "stdev": stdev, "difference": difference}
    return {"system": system, "scores": {"test": {"BLEU": bleu}, "average": {}}}


GRID = {
    "points": [
        {"values": {"dim": 10, "dropout": 0.125}, "model": "nce-dim10-dropout0.125"},
        {"values": {"dim": 20, "dropout": 0.125}, "model": "nce-dim20-dropout0.125"},
    ],
    "systems": {"nlm": ["nlm-a", "nlm-b"]},
}
PERPLEXITIES = {
    "nce-dim10-dropout0.125": {"dev": perplexity(50, 52), "test": perplexity(60, 60)},
    "nce-dim20-dropout0.125": {"dev": perplexity(40, 43), "test": perplexity(70, 72)},
}
SCORES = [score("nlm-b", 31.5, 0.25, -0.5), score("nlm-a", 32, 0.0, 0), score("kn", 3, None, 0)]


def test_the_lowest_dev_perplexity_is_marked() -> None:
    table = grid_table(GRID, PERPLEXITIES, SCORES)
    assert table["best"].tolist() == ["", "*"]
    assert table["dim"].tolist() == ["10", "20"]
    assert table["dev perplexity"].tolist() == [51, 41.5]
    assert table["test +-"].tolist() == [0, pytest.approx(2**0.5)]
    assert table["nlm BLEU"].tolist() == [32, 31.5]
    assert grid_text(table).splitlines() == [
        "dim  dropout  model                   best  dev perplexity    +-"
        "  test perplexity    +-  nlm BLEU    +-  nlm gain",
        " 10    0.125  nce-dim10-dropout0.125                 51.00  1.41"
        "            60.00  0.00     32.00  0.00     +0.00",
        " 20    0.125  nce-dim20-dropout0.125     *           41.50  2.12"
        "            71.00  1.41     31.50  0.25     -0.50",
    ]


def test_a_single_run_has_no_spread() -> None:
    single = {
        name: {split: perplexity(one["runs"][0]) for split, one in of.items()}
        for name, of in PERPLEXITIES.items()
    }
    alone = grid_table({**GRID, "systems": {}}, single, SCORES)
    assert alone["dev +-"].isna().all()
    assert "nan" not in grid_text(alone)
