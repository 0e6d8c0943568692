"""Learning curves: points as they were logged, and the gap between two models."""

import math
from pathlib import Path

import pytest
from default_experiment import changed_experiment, default_experiment
from paper_artefacts import cell, write_curve

from nlmt.errors import InputError
from nlmt.papers import PairFiles
from nlmt.papers.curves import curves_figure, later_entropy, later_gap, read_curve

MODELS = {"1 layer": "luong2015_1layer", "2 layers": "luong2015_2layer"}


def test_points_and_gaps(tmp_path: Path) -> None:
    of_runs = {"one": (90, 80, 70, 60), "two": (95, 70, 66, 58), "two again": (96, 72, 64, 56)}
    for name, perplexities in of_runs.items():
        curve = [(1_000_000 * k, value) for k, value in enumerate(perplexities, 1)]
        write_curve(tmp_path / name, curve)
    files = {"1 layer": ["one"], "2 layers": ["two", "two again"]}
    files = {row: [str(tmp_path / name) for name in names] for row, names in files.items()}
    facts = {"model": dict.fromkeys(files, "m"), "minibatch": {"1 layer": 100, "2 layers": 100}}
    frame = curves_figure("Figure", {}, note="").make([PairFiles("fr-en", files, facts)])
    point = cell(frame, "2 layers / after 30,000 minibatches", "cross-entropy")
    assert point["value"] == pytest.approx((math.log(66) + math.log(64)) / 2)
    later = cell(frame, "2 layers", "cross-entropy from minibatch 20K on")
    runs = [math.log(70 * 66 * 58) / 3, math.log(72 * 64 * 56) / 3]
    assert [float(run) for run in later["runs"].split()] == pytest.approx(runs)
    assert later["value"] == pytest.approx(sum(runs) / 2)
    assert later["unit"] == "nats"
    gap = cell(frame, "1 layer vs. 2 layers", "mean gap from minibatch 30K on")
    assert gap["value"] == pytest.approx((70 - 66 + 60 - 58) / 2)


def test_a_training_that_ends_before_has_no_later_part() -> None:
    one, other = ({29_999: p, 30_000: p - 1} for p in (9.0, 7.0))
    assert later_gap(one, {29_999: 7.0}) is None
    assert later_gap(one, other) == 2
    elsewhere_too = {25_000: 9.0, 30_000: 6.0, 35_000: 5.0}
    assert later_gap(one, elsewhere_too) == 2
    assert later_entropy({19_999: 9.0}) is None


def test_models_whose_curve_has_no_test_text_are_left_out() -> None:
    needs = curves_figure("Figure", MODELS, note="").needs
    files = needs(default_experiment(), None, "fr-en").files
    assert set(files) == {"1 layer", "2 layers"}
    assert files["1 layer"] == [f"lm/luong2015_1layer/run{k}/log.tsv" for k in (1, 2, 3)]
    of = changed_experiment(language_models={"luong2015_1layer": {"watch_test": False}})
    assert set(needs(of, None, "fr-en").files) == {"2 layers"}


def test_no_curve(tmp_path: Path) -> None:
    (tmp_path / "log.tsv").write_text("epoch\ttokens\n1\t2\n")
    with pytest.raises(InputError, match="no learning curve"):
        read_curve(tmp_path / "log.tsv", 128)
