"""Models of figure 2 of Baltescu and Blunsom: sizes that both kinds have, and gains."""

import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from paper_artefacts import cell

from nlmt.evaluation import Difference
from nlmt.papers.memory import derived_rows, draw_memory
from nlmt.papers.results import Measurement, differences, result_frame, result_row

Points = dict[str, tuple[float, float]]  # size and BLEU of a model


def derived(backoff: Points, neural: Points, column: str) -> pd.DataFrame:
    """The derived rows of models of these sizes; standard errors are 0.4 and 0.3."""
    rows = []
    for kind, points, deviation in (("back-off", backoff, 0.4), ("neural", neural, 0.3)):
        for name, (size, bleu) in points.items():
            known = {"baseline": Difference(bleu - 60, deviation, 100)}
            runs = (bleu - 0.1, bleu, bleu + 0.1)
            for heading, unit, one in (
                ("BLEU", "BLEU", Measurement(bleu, runs, known)),
                (column, "MB", Measurement(size)),
            ):
                rows.append(result_row("fr-en", f"{kind} / {name}", heading, unit, name, one))
    return result_frame(derived_rows("fr-en", result_frame(rows)))


@pytest.mark.parametrize("largest", [4.0, 48.0])
def test_the_mean_lead_of_models_of_equal_files(largest: float) -> None:
    """From 2 to 4 MB neural models have 53.5 on average, back-off models 53.

    4 MB are the most of the back-off models, or a twelfth of the largest one.
    """
    backoff = {"a": (1.0, 50.0), "b": (4.0, 54.0)} | ({"c": (48.0, 58.0)} if largest > 4 else {})
    frame = derived(backoff, {"d": (2.0, 53.0), "e": (8.0, 55.0)}, "file size")
    lead = cell(frame, "neural vs. back-off / under 1 GB", "BLEU")
    assert (lead["value"], lead["note"]) == (pytest.approx(0.5), "files of 2 to 4 MB")
    assert lead["part"] == "d e a b"  # c, of a larger file, does not count
    found = differences(lead.to_dict())["0"]
    assert found.difference == pytest.approx(0.5)
    # (0.3^2 + 0.4^2)^2 / (0.3^4 / 100 + 0.4^4 / 100)
    assert (found.deviation, found.freedom) == pytest.approx((0.5, 185.46), rel=1e-4)


def test_models_without_a_common_size_have_no_lead() -> None:
    backoff, neural = {"a": (1.0, 50.0), "b": (2.0, 54.0)}, {"d": (2.0, 53.0), "e": (8.0, 55.0)}
    frame = derived(backoff, neural, "file size")
    assert not frame["row"].str.contains("under").any()


def test_gains_have_the_variance_of_their_comparisons() -> None:
    """All models were compared with the baseline alone: 0.4 sqrt(2) for a gain."""
    backoff = {"a": (1.0, 50.0), "b": (2.0, 53.0), "c": (4.0, 54.0)}
    frame = derived(backoff, {"d": (2.0, 53.0), "e": (8.0, 55.0)}, "memory")
    for which, value in (("first", 3.0), ("last", 1.0)):
        gain = cell(frame, f"back-off / {which} gain", "BLEU")
        found = differences(gain.to_dict())["0"]
        assert gain["value"] == found.difference == value
        assert found.deviation == pytest.approx(0.4 * math.sqrt(2))


@pytest.mark.parametrize("runs", [(50.0,), (49.0, 51.0)])
def test_a_model_of_one_run_has_no_deviation(runs: tuple[float, ...]) -> None:
    """Which is not one of zero."""
    rows = [
        result_row("fr-en", "neural / a", heading, unit, "a", one)
        for heading, unit, one in (
            ("BLEU", "BLEU", Measurement(50.0, runs)),
            ("memory", "MB", Measurement(2.0)),
        )
    ]
    figure = Figure(layout="constrained")
    draw_memory(result_frame(rows), figure)
    _, caps, _ = figure.axes[0].containers[1]  # of the neural models
    drawn = [place for cap in caps for place in np.asarray(cap.get_ydata(), float)]
    assert [math.isfinite(place) for place in drawn] == [len(runs) > 1] * 2


def test_what_the_paper_says_of_the_figure_is_drawn_beside_ours() -> None:
    rows = [
        result_row("fr-en", "back-off / all", heading, unit, "a", Measurement(value))
        for heading, unit, value in (("BLEU", "BLEU", 50.0), ("memory", "MB", 2.0))
    ]
    published = {"published": [33.0, 12.0], "published_unit": ["BLEU", "GB"]}
    figure = Figure(layout="constrained")
    draw_memory(result_frame(rows).assign(**published), figure)
    assert [axes.get_title() for axes in figure.axes] == ["fr-en", "fr-en, the paper"]
    points = [axes.containers[0][0].get_xydata().tolist() for axes in figure.axes]
    assert points == [[[2.0, 50.0]], [[12000.0, 33.0]]]
