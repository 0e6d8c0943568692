"""Verdicts on claims, from frames with numbers chosen by hand."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from nlmt.errors import InputError
from nlmt.evaluation import Difference
from nlmt.evaluation.rank_correlation import rank_correlation
from nlmt.papers import Cell, Claim, Relation
from nlmt.papers.claim_views import counts_of
from nlmt.papers.evidence import adjusted_p
from nlmt.papers.results import Measurement, result_frame, result_row, write_frame
from nlmt.papers.verdicts import _adjusted, judge_claims, read_comparisons, read_verdicts
from nlmt.report import marked

# Three runs with a variance of 0.01: the half-width of the difference of two such means is
# 2.776 sqrt(2 x 0.01 / 3) = 0.2267 at 95 %, 2.132 sqrt(2 x 0.01 / 3) = 0.1741 at 90 %.
SPREAD = (-0.1, 0.0, 0.1)
WEIGHT = "weight"  # unit and column of values that are not of sentences


def measured(value: float, deviation: float | None = None, runs: bool = True) -> Measurement:
    """A value whose difference from the system `worse` has this standard error."""
    own = tuple(value + d for d in SPREAD) if runs else ()
    known = {} if deviation is None else {"worse": Difference(9.0, deviation, 1e6)}
    return Measurement(value, own, known)


def frame(
    better: Measurement | None,
    worse: Measurement | None,
    pair: str = "fr-en",
    unit: str = WEIGHT,
    number: str = "",
) -> pd.DataFrame:
    """The rows a and b, with a number behind them if there are several."""
    return result_frame(
        [
            result_row(pair, f"a{number}", WEIGHT, unit, "better", better),
            result_row(pair, f"b{number}", WEIGHT, unit, "worse", worse),
        ]
    )


def times(mean: float, spread: float = 0.002) -> Measurement:
    """Three repetitions, of which the least is the value."""
    runs = (mean * (1 - spread), mean, mean * (1 + spread))
    return Measurement(min(runs), runs)


def claim(
    relation: Relation,
    numbers: Sequence[object] = ("",),
    columns: Sequence[str] = (WEIGHT,),
    **others: object,
) -> Claim:
    """A claim about the rows a and b of these numbers, in these columns."""
    cells = {
        side: tuple(Cell("table1", f"{row}{k}", column) for k in numbers for column in columns)
        for side, row in (("better", "a"), ("worse", "b"))
    }
    fields: dict[str, object] = {
        "name": "a_over_b", "statement": "a is better than b.", "where": "section 1",
        "metric": WEIGHT, "relation": relation, **cells,
        "published": ((31.0, 30.0),) * len(cells["better"]),
    }  # fmt: skip
    return Claim(**(fields | others))  # type: ignore[arg-type]


def judged(
    claims: Sequence[Claim], table: pd.DataFrame, pairs: Sequence[str] = ("fr-en",), **others: Any
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Verdicts and comparisons by one table, whose published values are of fr-en."""
    return judge_claims(claims, {"table1": table}, pairs, {"table1": "fr-en"}, **others)


def verdict(one: Claim, table: pd.DataFrame) -> str:
    verdicts, _ = judged([one], table)
    assert len(verdicts) == 1
    return str(verdicts["verdict"][0])


def test_runs_of_one_system_are_compared_one_by_one() -> None:
    """Both vary by 1 from run to run, their difference by 0.1: 4.303 x 0.1 / sqrt(3) = 0.248."""
    second = [31.0, 32.0, 33.0]
    rows = [
        result_row("fr-en", row, WEIGHT, WEIGHT, "same", Measurement(runs[1], tuple(runs)))
        for row, runs in (("a", [31.6, 32.5, 33.4]), ("b", second))
    ]
    assert verdict(claim(Relation.HIGHER), result_frame(rows)) == "holds"
    times = [row | {"machine": "a"} for row in rows]  # repetitions share nothing
    assert verdict(claim(Relation.HIGHER), result_frame(times)) == "not shown at this scale"


@pytest.mark.parametrize(
    ("difference", "deviation", "expected"),
    [
        (0.3, 0.1, "holds"),  # 1.96 x 0.1 = 0.196
        (0.3, None, "holds"),  # the runs alone: 0.2267
        (0.3, 0.2, "not shown at this scale"),  # wider than the runs: sentences count
        (0.2, 0.1, "holds"),
        (0.2, None, "not shown at this scale"),
        (-0.2, None, "not shown at this scale"),
        (-0.3, 0.2, "not shown at this scale"),
        (-0.3, 0.1, "opposite"),
    ],
)
def test_the_interval_of_sentences_and_runs_decides(
    difference: float, deviation: float | None, expected: str
) -> None:
    higher = frame(measured(30 + difference, deviation), measured(30))
    assert verdict(claim(Relation.HIGHER), higher) == expected
    lower = frame(measured(30 - difference, deviation), measured(30))
    assert verdict(claim(Relation.LOWER), lower) == expected


@pytest.mark.parametrize(("deviation", "quantiles"), [(None, (2.776, 2.132)), (0.4, (1.96, 1.645))])
def test_power_is_half_the_interval(
    deviation: float | None, quantiles: tuple[float, float]
) -> None:
    error = deviation or (0.02 / 3) ** 0.5
    table = frame(measured(30.3, deviation), measured(30))
    to_a_tolerance = (Relation.EQUAL, Relation.NO_HIGHER)
    for relation in (Relation.HIGHER, *to_a_tolerance):
        tolerance = 0.3 if relation in to_a_tolerance else None
        one = claim(relation, tolerance=tolerance)
        _, comparisons = judged([one], table)
        expected = quantiles[relation in to_a_tolerance] * error
        assert comparisons["shows_from"][0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("missing", ["better", "worse", "both"])
def test_single_values_show_nothing(missing: str) -> None:
    """But sizes are exact, and of systems the sentences are known."""
    better = measured(31, runs=missing == "worse")
    worse = measured(30, runs=missing == "better")
    verdicts, comparisons = judged([claim(Relation.HIGHER)], frame(better, worse))
    assert list(verdicts["verdict"]) == ["not shown: one run"]
    assert verdicts["p"].isna().all()
    assert comparisons["difference"][0] == 1
    one = claim(Relation.HIGHER, metric="MB")
    assert verdict(one, frame(better, worse, unit="MB")) == "holds"
    assert verdict(one, frame(worse, better, unit="MB")) == "opposite"
    of_sentences = frame(measured(31, 0.3, runs=False), worse, unit="BLEU")
    assert verdict(claim(Relation.HIGHER, metric="BLEU"), of_sentences) == "holds"


def test_systems_that_were_compared_with_a_third_one_have_both_variances() -> None:
    """0.3 and 0.4 give 0.5 with (0.09 + 0.16)^2 / (0.09^2 / 10 + 0.16^2 / 20) = 29.9 degrees."""
    known = {"third": Difference(2.0, 0.3, 10), "far": Difference(9, 3, 9)}
    better = replace(measured(31), differences=known)
    known = {"far": Difference(8, 3, 9), "third": Difference(1.0, 0.4, 20)}
    worse = replace(measured(30), differences=known)
    one = claim(Relation.HIGHER, metric="BLEU")
    _, comparisons = judged([one], frame(better, worse, unit="BLEU"))
    row = comparisons.iloc[0]
    assert row["difference"] == pytest.approx(1.0)
    assert row["high"] - row["difference"] == pytest.approx(2.0425 * 0.5, rel=1e-3)  # t of 29.9
    assert row["outcome"] == "not shown at this scale"  # p is 0.055


@pytest.mark.parametrize("unit", ["BLEU", "perplexity", "cosine similarity"])
def test_systems_that_were_not_compared_show_nothing(unit: str) -> None:
    """Runs alone leave out the choice of sentences, also those of one system."""
    table = frame(measured(31), measured(30), unit=unit)
    verdicts, comparisons = judged([claim(Relation.HIGHER, metric=unit)], table)
    assert list(verdicts["verdict"]) == ["not shown: no comparison over sentences"]
    assert verdicts["p"].isna().all()
    assert comparisons[["low", "high", "p", "p_holds"]].isna().all(axis=None)
    for part in ("one", ""):  # none: of points between systems
        table["part"] = part
        assert "sentences" in verdict(claim(Relation.HIGHER, metric=unit), table)
    table["part"] = ["one:this", "one:that"]
    table["differences"] = ["one:that=1.0:0.3:10.0", "other=2.0:0.1:10.0"]
    assert verdict(claim(Relation.HIGHER, metric=unit), table) == "holds"


def test_a_claim_has_its_own_level() -> None:
    """p is 0.0455 for two standard errors, and 0.0027 for three."""
    for difference, at_five, at_one in ((0.2, "opposite", "not shown at this scale"),
                                        (0.3, "opposite", "opposite")):  # fmt: skip
        table = frame(measured(30 + difference, 0.1), measured(30))
        for level, expected in ((0.05, at_five), (0.01, at_one)):
            one = claim(Relation.NOT_SIGNIFICANTLY_HIGHER, tolerance=0.25, level=level)
            assert verdict(one, table) == expected
            _, comparisons = judged([one], table)
            quantile = {0.05: 1.645, 0.01: 2.326}[level]
            assert comparisons["shows_from"][0] == pytest.approx(quantile * 0.1, rel=1e-3)


def test_a_claim_about_another_size_is_not_run() -> None:
    table = pd.concat(
        [
            frame(measured(31), measured(30)),
            result_frame([result_row("fr-en", "text", "size", "tokens", "", Measurement(2000.0))]),
        ]
    )
    for cell, least, expected in (
        ("text", 2000, "holds"),
        ("text", 2001, "not run"),
        ("other", 1, "not run"),  # which was not measured
    ):
        one = claim(Relation.HIGHER, judged_from=(Cell("table1", cell, "size"), least))
        assert verdict(one, table) == expected


def test_differences_are_found_with_either_system() -> None:
    turned = replace(measured(30), differences={"better": Difference(-0.3, 0.2, 100)})
    tables = frame(measured(30.3), turned)
    assert verdict(claim(Relation.HIGHER), tables) == "not shown at this scale"


@pytest.mark.parametrize(
    ("relation", "difference", "deviation", "expected"),
    [
        *(
            (relation, *row)
            for relation in (Relation.EQUAL, Relation.NO_HIGHER)
            for row in (
                (0.1, None, "holds"),  # 0.1 + 0.174 < 0.3
                (0.1, 0.2, "not shown at this scale"),  # 0.1 + 0.329: what was drawn counts
                (0.15, None, "not shown at this scale"),
                (0.6, None, "opposite"),  # 0.6 - 0.227 > 0.3
                (0.6, 0.2, "not shown at this scale"),  # 0.6 - 0.392
            )
        ),
        (Relation.EQUAL, -0.6, None, "opposite"),
        (Relation.NO_HIGHER, -2.0, 0.2, "holds"),  # how much lower does not matter
    ],
)
def test_equality_needs_the_interval_within_the_tolerance(
    relation: Relation, difference: float, deviation: float | None, expected: str
) -> None:
    tables = frame(measured(30 + difference, deviation), measured(30))
    assert verdict(claim(relation, tolerance=0.3), tables) == expected


@pytest.mark.parametrize(
    ("difference", "compared", "expected"),
    [
        (0.12, 1, "holds"),  # 0.12 + 0.174 < 0.3
        (0.2, 1, "not shown at this scale"),
        (0.24, 1, "opposite"),  # more than 0.2267, although the gain is small
        (0.24, 2, "not shown at this scale"),  # p is 0.042, of two 0.085
        (0.6, 2, "opposite"),
        (-0.6, 1, "holds"),
    ],
)
def test_what_is_not_significantly_higher_is_neither_higher_nor_unclear(
    difference: float, compared: int, expected: str
) -> None:
    tables = frame(measured(30 + difference), measured(30))
    one = claim(Relation.NOT_SIGNIFICANTLY_HIGHER, tolerance=0.3)
    many = {name: getattr(one, name) * compared for name in ("better", "worse", "published")}
    assert verdict(one.model_copy(update=many), tables) == expected


def test_comparisons_on_other_pairs_are_not_judged_together() -> None:
    """p is 0.042, and twice that where the claim has two comparisons on this pair."""
    higher = Relation.NOT_SIGNIFICANTLY_HIGHER
    one = claim(higher, columns=["fr-en", "en-cs"], tolerance=0.3, published=((31.0, 31.0),) * 2)
    assert verdict(one, frame(measured(30.24), measured(30))) == "opposite"


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (1.3, "holds"),  # 1.3 - 0.227 > 1
        (1.2, "not shown at this scale"),
        (0.8, "not shown at this scale"),
        (0.5, "other size"),  # 0.5 + 0.227 < 1
        (0.0, "other size"),
        (-0.5, "opposite"),
    ],
)
def test_a_difference_may_need_a_size(difference: float, expected: str) -> None:
    one, tables = claim(Relation.HIGHER, by=1.0), frame(measured(30 + difference), measured(30))
    assert verdict(one, tables) == expected
    _, comparisons = judged([one], tables)
    assert comparisons["shows_from"][0] == pytest.approx(1.2267, abs=1e-3)


@pytest.mark.parametrize(
    ("difference", "expected"),
    [(1.2, "holds"), (1.1, "holds"), (0.9, "not shown at this scale"), (-0.3, "opposite")],
)
def test_a_size_that_was_observed_is_that_of_the_estimate(difference: float, expected: str) -> None:
    """The difference is significant, and above the size, but its interval reaches below it."""
    one = claim(Relation.HIGHER, by=1, observed=True)
    table = frame(measured(30 + difference), measured(30))
    assert verdict(one, table) == expected
    assert judged([one], table)[1]["shows_from"][0] == pytest.approx(1)


def test_an_observed_size_that_is_not_significant_is_not_shown() -> None:
    table = frame(measured(31.3, 0.7), measured(30))
    one = claim(Relation.HIGHER, by=1, observed=True)
    assert verdict(one, table) == "not shown at this scale"


def test_the_mean_of_several_differences_is_judged() -> None:
    """0.6 and 0.1, with a standard error of 0.1 and 0.2: 0.35, with 0.15 at most."""
    tables = [
        frame(measured(30.6, 0.1), measured(30), number="1"),
        frame(measured(30.1, 0.2), measured(30), number="2"),
    ]
    one = claim(Relation.HIGHER, numbers=(1, 2), mean=True)
    verdicts, comparisons = judged([one], pd.concat(tables))
    assert list(verdicts[["verdict", "compared"]].iloc[0]) == ["holds", 1]
    (row,) = comparisons.to_dict("records")
    assert row["better"] == "mean of a1, weight; a2, weight"
    expected = {"our_better": 30.35, "our_worse": 30, "difference": 0.35, "low": 0.056}
    assert {key: round(row[key], 3) for key in expected} == expected
    assert (row["published_better"], verdicts["published"][0]) == (31, "31.0:30.0")
    assert verdict(one, tables[0]) == "not run"


def test_runs_are_compared_with_a_number() -> None:
    # The half-width of the mean of three is 2.920 x 0.1 / sqrt(3) = 0.169 at 90 %, 0.248 at 95 %.
    near = claim(Relation.EQUAL, tolerance=0.3, worse=(Cell("", "30", ""),))
    assert verdict(near, frame(measured(30.12), None)) == "holds"
    assert verdict(near, frame(measured(30.2), None)) == "not shown at this scale"
    assert verdict(near, frame(measured(30.6), None)) == "opposite"
    _, comparisons = judged([near], frame(measured(30.1), None))
    assert comparisons["worse"].tolist() == ["30"]


@pytest.mark.parametrize(("runs", "interval_of"), [(True, ""), (False, "sentences alone")])
def test_a_gain_is_compared_with_zero_by_its_comparison(runs: bool, interval_of: str) -> None:
    gain = Measurement(0.5, differences={"worse": Difference(0.5, 0.1, 1e6)}, baseline="worse")
    rows = [
        result_row("fr-en", "a", WEIGHT, "BLEU", "better", gain),
        result_row("fr-en", "c", WEIGHT, "BLEU", "better", measured(30, runs=runs)),
    ]
    one = claim(Relation.HIGHER, worse=(Cell("", "0", ""),), published=((1.5, 0.0),))
    verdicts, comparisons = judged([one], result_frame(rows))
    assert verdicts["verdict"][0] == "holds"
    assert comparisons["low"][0] == pytest.approx(0.304, abs=1e-3)
    assert comparisons["interval_of"][0] == interval_of


def test_tolerances_of_other_units_are_shares() -> None:
    days = claim(Relation.EQUAL, tolerance=0.1, metric="days", published=((1.2, 1.2),))
    near = frame(times(100.0), times(108.0), unit="seconds")  # a twelfth is 9
    far = frame(times(100.0), times(120.0), unit="seconds")
    assert verdict(days, near) == "holds"
    assert verdict(days, far) == "opposite"


def test_tolerances_of_other_units_need_a_published_value() -> None:
    """Of zero there is no share. Of 1 and -1, 0.1 is a tenth: 10.5 of 105."""
    table = frame(times(100.0), times(105.0), unit="seconds")
    for values in ((None, None), (0.0, 0.0)):
        days = claim(Relation.EQUAL, tolerance=0.1, metric="days", published=(values,))
        with pytest.raises(InputError, match="its tolerance or least difference is in days"):
            verdict(days, table)
    two_sided = claim(Relation.EQUAL, tolerance=0.1, metric="days", published=((1.0, -1.0),))
    assert verdict(two_sided, table) == "holds"
    ratio = claim(
        Relation.RATIO, factor=1.0, tolerance=0.1, metric="days", published=((None, None),)
    )
    assert verdict(ratio, table) == "holds"  # a share of the factor


@pytest.mark.parametrize(
    ("factor", "tolerance", "worse", "expected"),
    [
        (3.0, 0.1, 30.0, "holds"),
        (3.0, 0.1, 27.5, "holds"),
        (3.0, 0.1, 27.0, "not shown at this scale"),  # on the edge of the tolerance
        (3.0, 0.1, 15.0, "other size"),
        (3.0, 0.1, 40.0, "other size"),
        (3.0, 0.1, 9.0, "opposite"),
        (0.54, 0.2, 5.4, "holds"),
        # A share has no opposite: an overhead of 200 % has another size than one of 54 %.
        *((0.54, 0.2, worse, "other size") for worse in (3.0, 9.0, 20.0)),
    ],
)
def test_ratios_are_held_to_their_tolerance(
    factor: float, tolerance: float, worse: float, expected: str
) -> None:
    ratio = claim(Relation.RATIO, factor=factor, tolerance=tolerance)
    assert verdict(ratio, frame(times(10.0), times(worse))) == expected


@pytest.mark.parametrize(
    ("worse", "expected"),
    [
        (2500.0, "holds"),
        (1000.0, "not shown at this scale"),
        (150.0, "other size"),
        (10.0, "other size"),
        (9.0, "opposite"),
    ],
)
def test_ratios_above_a_factor_have_no_upper_limit(worse: float, expected: str) -> None:
    above = claim(Relation.RATIO_ABOVE, factor=100.0)
    assert verdict(above, frame(times(10.0), times(worse))) == expected
    # Runs whose interval reaches below the factor, or above 1, do not decide.
    spread = Measurement(worse, (worse / 30, worse, worse * 30))
    assert verdict(above, frame(times(10.0), spread)) == "not shown at this scale"


def test_ratios_of_several_runs_need_their_interval_within_the_tolerance() -> None:
    """Times of 10 and 30 seconds that differ by a tenth, and by a hundredth, between runs."""
    three = claim(Relation.RATIO, factor=3.0, tolerance=0.1)

    for spread, expected in ((0.1, "not shown at this scale"), (0.01, "holds")):
        table = frame(times(10.0, spread), times(30.0, spread), unit="seconds")
        assert verdict(three, table) == expected
        _, comparisons = judged([three], table)
        row = comparisons.iloc[0]
        assert (row["our_better"], row["our_worse"]) == pytest.approx((10.0, 30.0))  # means
        logs = [math.log(1 + d * spread) for d in (-1, 0, 1)]
        width = 2.776 * (2 * statistics.variance(logs) / 3) ** 0.5
        assert row["low"] == pytest.approx(3 / math.exp(width), rel=1e-3)


@pytest.mark.parametrize("zero", ["better", "worse"])
def test_nothing_is_known_of_a_ratio_with_a_value_of_zero(zero: str) -> None:
    cells = {"better": times(10.0), "worse": times(30.0)} | {zero: times(0.0)}
    one = claim(Relation.RATIO, factor=3.0, tolerance=0.1)
    assert verdict(one, frame(cells["better"], cells["worse"])) == "not shown at this scale"
    _, comparisons = judged([one], frame(cells["better"], cells["worse"]))
    row = comparisons.iloc[0]
    assert (row["low"], row["high"], row["p_holds"]) == (0, math.inf, 0.5)


def test_models_that_are_trained_in_two_ways_have_two_verdicts() -> None:
    one = claim(Relation.HIGHER)
    tables = frame(measured(31), measured(30))
    other = frame(measured(29), measured(30)).replace({"column": {WEIGHT: "weight, ours"}})
    both = pd.concat([tables, other[other["row"] == "a"]])  # the worse one is not trained
    trainings = {"the paper's": "", "ours": ", ours"}
    verdicts, comparisons = judged([one], both, trainings=trainings)
    assert list(verdicts["training"]) == ["the paper's", "ours"]
    assert list(verdicts["verdict"]) == ["holds", "opposite"]
    assert list(comparisons["better"]) == ["a, weight", "a, weight, ours"]
    assert list(comparisons["worse"]) == ["b, weight", "b, weight"]
    verdicts, _ = judged([one], tables, trainings=trainings)
    assert list(verdicts["training"]) == [""]  # nothing depends on it


def several(*outcomes: str) -> str:
    """The verdict on a claim with such comparisons."""
    differences = {"holds": 1.0, "opposite": -1.0, "not shown": 0.0, "one run": 1.0}
    tables = []
    for number, outcome in enumerate(outcomes):
        value = None
        if outcome != "not run":
            value = measured(30 + differences[outcome], runs=outcome != "one run")
        tables.append(frame(value, measured(30), number=str(number)))
    return verdict(claim(Relation.HIGHER, range(len(outcomes))), pd.concat(tables))


def test_a_claim_holds_where_all_of_its_comparisons_do() -> None:
    assert several("holds", "holds") == "holds"
    assert several("holds", "not shown") == "not shown at this scale"
    assert several("holds", "opposite") == "mixed"
    assert several("holds", "opposite", "not shown") == "mixed"
    assert several("opposite", "opposite") == "opposite"
    assert several("not shown", "opposite") == "not shown at this scale"
    assert several("not run", "not run") == "not run"
    assert several("holds", "not run") == "not run"
    assert several("not shown", "not run") == "not shown at this scale"
    assert several("opposite", "not run") == "opposite"
    assert several("holds", "one run") == "not shown: one run"
    assert several("not shown", "one run") == "not shown at this scale"


def test_comparisons_of_one_run_are_of_sentences_alone() -> None:
    """Not where one side is a model that all runs share, where runs were compared, nor of sizes."""
    several, one = measured(31, 0.1), replace(measured(31, 0.1), runs=(31.0,))
    sizes = Measurement(31.0), Measurement(30.0)
    for better, worse, unit, expected in (
        (one, measured(30, runs=False), "BLEU", "sentences alone"),
        (several, measured(30), "BLEU", ""),
        (several, measured(30, runs=False), "BLEU", ""),
        (measured(31), measured(30), WEIGHT, ""),
        (*sizes, "MB", ""),
    ):
        _, comparisons = judged([claim(Relation.HIGHER)], frame(better, worse, unit=unit))
        assert comparisons["interval_of"].tolist() == [expected]
        assert comparisons["outcome"].tolist() == ["holds"]


def test_a_rank_correlation_is_of_models_not_of_sentences_alone() -> None:
    found = rank_correlation([[(k, k) for k in range(8)]])
    assert found is not None
    row = result_row(
        "fr-en", "a", WEIGHT, WEIGHT, "", Measurement(found.difference, differences={"0": found})
    )
    one = claim(Relation.HIGHER, worse=(Cell("", "0", ""),), published=((None, 0.0),))
    _, comparisons = judged([one], result_frame([row]))
    assert comparisons[["outcome", "interval_of"]].to_numpy().tolist() == [["holds", ""]]


def test_models_that_were_not_trained_take_part_in_no_finding() -> None:
    table = frame(measured(31), measured(30))
    for part, expected in (("worse", "not trained"), ("other", "holds")):
        untrained = [("fr-en", part)]
        verdicts, comparisons = judged([claim(Relation.HIGHER)], table, untrained=untrained)
        assert list(verdicts["verdict"]) == [expected]
        assert list(comparisons["outcome"]) == [expected]
        assert math.isnan(verdicts["p"][0]) == (part == "worse")


def test_a_value_of_several_models_was_trained_where_all_were() -> None:
    table = frame(measured(31), measured(30))
    table["part"] = table["part"].replace("better", "first second")
    verdicts, comparisons = judged(
        [claim(Relation.HIGHER)], table, untrained=[("fr-en", "second"), ("en-de", "first")]
    )
    assert list(verdicts["verdict"]) == ["not trained"]
    assert list(comparisons["untrained"]) == ["second"]


def test_p_values_are_adjusted_for_their_number() -> None:
    """The example of Benjamini and Hochberg (1995), section 4.1: four of fifteen are rejected."""
    values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    values += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    found = adjusted_p(values[::-1])[::-1]
    assert [one <= 0.05 for one in found] == [True] * 4 + [False] * 11
    assert found[:4] == pytest.approx([0.0015, 0.003, 0.0095, 0.035625])
    assert adjusted_p([]) == []


def test_claims_of_a_pair_are_adjusted_together() -> None:
    """Three claims by their own standard errors; those without repetition have no p."""
    errors = (0.1, 0.45, 0.55)
    tables = [
        frame(measured(31, error), measured(30), number=str(number))
        for number, error in enumerate(errors)
    ]
    tables.append(frame(Measurement(2.0), Measurement(1.0), number="3"))
    claims = [claim(Relation.HIGHER, [number], name=f"claim{number}") for number in range(4)]
    verdicts, _ = judged(claims, pd.concat(tables))
    normal = statistics.NormalDist()
    expected = [2 * (1 - normal.cdf(1 / error)) for error in errors]
    assert list(verdicts["p"][:3]) == pytest.approx(expected, abs=1e-5)
    assert list(verdicts["adjusted"][:3]) == pytest.approx(adjusted_p(expected), abs=1e-5)
    assert verdicts[["p", "adjusted"]].iloc[3].isna().all()
    of_each = ["holds", "holds", "not shown at this scale", "not shown: one run"]
    assert list(verdicts["verdict"]) == of_each


def test_only_claims_that_hold_survive_the_adjustment() -> None:
    """p is 0.0357, which is not below the second claim's own level."""
    claims = [claim(Relation.HIGHER, name=f"at{level}", level=level / 100) for level in (5, 1)]
    verdicts, _ = judged(claims, frame(measured(30.21, 0.1), measured(30)))
    assert list(verdicts["verdict"]) == ["holds", "not shown at this scale"]
    assert (verdicts["adjusted"] < 0.05).all()
    assert [count.surviving for count in counts_of(verdicts, ["fr-en"])] == [1]


def test_claims_of_no_training_are_adjusted_among_those_of_each() -> None:
    """0.04 becomes 0.04 x 3 / 3 beside 0.01 and 0.02, and 0.04 x 3 / 2 beside 0.03 and 0.5."""
    rows = [
        ("fr-en", "", 0.04, 0.06),
        ("fr-en", "descent", 0.01, 0.03),
        ("fr-en", "AdaGrad", 0.03, 0.06),
        ("fr-en", "descent", 0.02, 0.03),
        ("fr-en", "AdaGrad", 0.5, 0.5),
        ("fr-en", "AdaGrad", math.nan, math.nan),
        ("en-de", "", 0.2, 0.2),
    ]
    verdicts = pd.DataFrame(rows, columns=["pair", "training", "p", "expected"])
    found = _adjusted(verdicts)["adjusted"]
    assert found.tolist() == pytest.approx(verdicts["expected"].tolist(), nan_ok=True)


def test_claims_about_a_pair_are_held_against_that_pair() -> None:
    """The paper says it of fr-en and has values of en-cs, too; it has none of en-de."""
    pairs = ["fr-en", "en-cs", "en-de"]
    tables = pd.concat([frame(measured(31), measured(30), pair) for pair in pairs])
    tables.loc[tables["pair"] == "en-cs", "published"] = 20.0
    verdicts, comparisons = judged([claim(Relation.HIGHER, columns=["fr-en"])], tables, pairs)
    assert list(verdicts["pair"]) == ["fr-en", "en-de"]
    assert list(verdicts["verdict"]) == ["holds", "holds"]
    assert list(comparisons["published_better"]) == [31.0, 31.0]


def test_claims_about_other_pairs_are_held_against_each_of_ours_once() -> None:
    values = ((31.0, 30.0), (21.0, 20.0))
    one = claim(Relation.HIGHER, columns=["zh-en", "ja-en"], published=values)
    verdicts, comparisons = judged([one], frame(measured(31), measured(30)))
    assert list(verdicts["compared"]) == [1]
    assert comparisons["published_better"].isna().all()  # the paper has two
    assert list(verdicts["published"]) == ["31.0:30.0 21.0:20.0"]


def test_values_of_no_pair_are_those_of_each() -> None:
    tables = {"table1": frame(measured(31), measured(30), "all pairs")}
    pairs = ["fr-en", "en-de"]
    verdicts, _ = judge_claims([claim(Relation.HIGHER)], tables, pairs, {"table1": "all pairs"})
    assert list(verdicts["pair"]) == pairs
    assert list(verdicts["verdict"]) == ["holds", "holds"]


def test_claims_about_tables_that_are_not_made_were_not_run() -> None:
    verdicts, _ = judge_claims([claim(Relation.HIGHER)], {}, ["fr-en"], {})
    assert list(verdicts["verdict"]) == ["not run"]


@pytest.mark.parametrize("warnings", [[], ["a change of the code"]])
def test_verdicts_are_read_as_they_were_written(warnings: list[str], tmp_path: Path) -> None:
    made = judged([claim(Relation.HIGHER)], frame(measured(31), measured(30)))
    for name, one in zip(("claims", "comparisons"), made, strict=True):
        write_frame(tmp_path / f"{name}.tsv", marked(one, warnings))
        text = (tmp_path / f"{name}.tsv").read_text()
        assert text.count("mixed code") == len(one) * len(warnings)
    verdicts = read_verdicts(tmp_path / "claims.tsv")
    assert verdicts["holding"][0] == 1
    comparisons = read_comparisons(tmp_path / "comparisons.tsv")
    assert list(comparisons) == list(made[1])
    assert comparisons["low"][0] == pytest.approx(1 - 2.776 * (0.02 / 3) ** 0.5, rel=1e-3)
    with pytest.raises(InputError, match="columns"):
        read_verdicts(tmp_path / "comparisons.tsv")
