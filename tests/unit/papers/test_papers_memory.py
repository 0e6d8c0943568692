"""Models of figure 2 of Baltescu and Blunsom: sizes that both kinds have, gains and crossings."""

import math

import pandas as pd
import pytest
from paper_artefacts import cell

from nlmt.evaluation import Difference
from nlmt.papers.memory import crossing, derived_rows
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


def test_the_memory_from_which_back_off_models_are_no_worse() -> None:
    """From 1 to 2 MB their lead goes from -0.5 to 1, a third of the way to 0."""
    backoff = {"a": (0.25, 50.0), "b": (0.5, 51.0), "c": (2.0, 53.0), "d": (4.0, 58.0)}
    frame = derived(backoff, {"e": (1.0, 52.5), "f": (2.0, 52.0), "g": (3.0, 53.0)}, "memory")
    crossed = cell(frame, "back-off no worse from / neural", "memory")
    assert crossed["value"] == pytest.approx(2 ** (1 / 3))
    assert crossed["note"].startswith("95 % interval")


def test_where_curves_cross() -> None:
    rising, flat = [(1.0, 10.0), (100.0, 30.0)], [(1.0, 20.0), (100.0, 20.0)]
    crossed = crossing(rising, flat)
    assert crossed is not None
    assert crossed.value == pytest.approx(10.0)  # half way between the logarithms
    assert crossed.note == ""
    better, worse = [(2.0, 30.0), (50.0, 30.0)], [(2.0, 10.0), (50.0, 10.0)]
    always, never = crossing(better, flat), crossing(worse, flat)
    assert always is not None
    assert never is not None
    assert (always.value, never.value) == (2.0, 50.0)
    assert "back-off models are no worse" in always.note
    assert "neural models are better" in never.note
    assert crossing([(1.0, 10.0)], flat) is None
    assert crossing([(200.0, 10.0), (300.0, 10.0)], flat) is None  # no memory of both
