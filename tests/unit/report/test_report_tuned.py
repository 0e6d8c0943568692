"""What the report says of tuning: dev beside test, lengths, curves, and what it warns of."""

import json
import re

import pandas as pd
import pytest

from nlmt.errors import InputError
from nlmt.report import Report, TunedRun, format_table, read_tuned_run, results_table, write_report
from nlmt.report.tuned import gain_on_dev, mean_bleu
from nlmt.report.warnings import result_warnings

OTHER = {"mean": 50.0, "runs": [50.0], "stdev": None, "signature": "s"}


def score(system, mean, difference, *, stdev=0.1, length=1.0):
    bleu = {
        "mean": mean, "runs": [mean], "stdev": stdev, "signature": "s", "difference": difference,
        "low": difference and difference - 0.2, "high": difference and difference + 0.2,
        "p_value": None, "length": length,
    }  # fmt: skip
    return {
        "system": system, "label": system, "baseline": "base", "seeds": [1], "source": system,
        "scores": {"test": {"BLEU": bleu, "TER": OTHER, "chrF": OTHER}},
    }  # fmt: skip


def run(bleu, tuning_set="dev", **others):
    return TunedRun(1, tuning_set, bleu, **others)


def warnings_of(gain, on_dev, *, rescored=True, tuning_set="dev", **others):
    """Those of a system with these gains, whose baseline has 50 BLEU on both sets."""
    tuned = {"base": [run(50.0)], "nlm": [run(50.0 + on_dev, tuning_set)]}
    results = results_table(
        [score("base", 50.0, None), score("nlm", 50 + gain, gain, **others)], tuned
    )
    return result_warnings(results, tuned, rescored=["nlm"] if rescored else [])


@pytest.mark.parametrize(
    ("warnings", "expected"),
    [
        (warnings_of(1.0, 1.2), []),
        (warnings_of(0.3, -0.2), ["0.20 BLEU below its baseline on dev", "-0.20 BLEU on dev, but"]),
        (warnings_of(0.3, -0.2, rescored=False), ["-0.20 BLEU on dev, but +0.30 on test"]),
        (warnings_of(-0.4, 0.5), ["+0.50 BLEU on dev, but -0.40 on test"]),
        (warnings_of(-0.02, 0.03, stdev=0.01), []),  # neither is clear
        (warnings_of(0.3, 1.0, stdev=0.31), ["spread by 0.31 BLEU, more than its gain of +0.30"]),
        (warnings_of(0.3, -0.2, tuning_set="dev2"), []),  # sets that cannot be compared
        (warnings_of(1.0, 1.0, length=0.96), ["too short: 0.960 times"]),
        (warnings_of(1.0, 1.0, length=1.04), ["too long: 1.040 times"]),
        (warnings_of(1.0, 1.0, length=None), []),  # empty references
    ],
)  # fmt: skip
def test_each_fault_is_one_warning(warnings, expected):
    assert len(warnings) == len(expected)
    for warning, part in zip(warnings, expected, strict=True):
        assert warning.startswith("nlm: ")
        assert part in warning


def test_warnings_of_a_run_are_among_them():
    tuned = {"base": [run(50.0, warnings=("tuning gained nothing",))]}
    results = results_table([score("base", 50.0, None)], tuned)
    assert result_warnings(results, tuned) == ["base, run 1: tuning gained nothing"]


def test_dev_stands_beside_test():
    tuned = {"base": [run(50.0), run(51.0)], "nlm": [run(51.0), run(52.5)]}
    assert mean_bleu(tuned["nlm"]) == 51.75
    assert gain_on_dev("nlm", "base", tuned) == 1.25
    assert gain_on_dev("base", "base", tuned) is None
    assert mean_bleu([run(51.0), run(None)]) is None
    table = results_table([score("base", 50.0, None), score("nlm", 51.0, 1.0)], tuned)
    header, _, nlm = format_table(table).splitlines()
    assert re.search(r"length +dev +dev gain", header)
    assert re.search(r"\+1\.00 +\+0\.80 to \+1\.20 +1\.000 +51\.75 +\+1\.25", nlm)


def test_weights_and_logs_are_read(tmp_path):
    weights, log = tmp_path / "weights.json", tmp_path / "log.tsv"
    weights.write_text('{"weights": {"LM0": [1]}, "bleu": 50.5, "warnings": ["too short"]}')
    log.write_text("iteration\tdecoded\tlength\n1\t49.5\t\n2\t50.5\t1.01\n")
    files = {"weights": "weights.json", "log": "log.tsv"}
    read = read_tuned_run(tmp_path, seed=3, tuning_set="dev2", **files)
    facts = read.seed, read.tuning_set, read.bleu, read.warnings
    assert facts == (3, "dev2", 50.5, ("too short",))
    assert read.curve.to_dict("list") == {"iteration": [1.0, 2.0], "decoded": [49.5, 50.5]}
    weights.write_text('{"weights": {"LM0": [1]}, "ter": -40.0, "warnings": []}')
    dev = {"seed": 1, "tuning_set": "dev"}
    assert read_tuned_run(tmp_path, **dev, weights="weights.json").bleu is None
    header = "iteration\tdecoded\n"
    for damaged in ("", "iteration\n1\n", f"{header}1\tx\n", f"{header}1\t\n"):
        log.write_text(damaged)
        with pytest.raises(InputError, match=r"log.tsv: truncated or damaged tuning log"):
            read_tuned_run(tmp_path, **dev, **files)
    weights.write_text('{"weights": {"LM0": [1]}, "bleu": 50.5}')
    with pytest.raises(InputError, match=r"weights.json: no warnings of tuning \(tune again\)"):
        read_tuned_run(tmp_path, **dev, weights="weights.json")


def test_scores_of_an_earlier_version_are_named():
    old = score("base", 50.0, None)
    del old["scores"]["test"]["BLEU"]["length"]
    with pytest.raises(InputError, match=r"base: no 'length' \(made by an earlier version"):
        results_table([old])


def test_page_has_warnings_and_curves_with_their_data(tmp_path):
    curve = pd.DataFrame({"iteration": [1.0, 2.0, 3.0], "decoded": [40.25, 50.75, 50.5]})
    tuned = {"base": [run(50.75, curve=curve)], "nlm": [run(50.0, warnings=("<lost>",))]}
    scores = [score("base", 50.0, None), score("nlm", 50.5, 0.5)]
    report = Report("toy", scores, {}, {}, tuned=tuned, rescored=["nlm"])
    paths = [tmp_path / name for name in ("index.html", "results.tsv", "results.json")]
    _, warnings = write_report(report, *paths)
    assert len(warnings) == 3
    page = paths[0].read_text()
    assert "&lt;lost&gt;" in page
    assert "0.75 BLEU below its baseline on dev" in page
    assert page.count("<svg") == 1 + 2  # the curve, and the gain of nlm in both tables
    assert "iterations (circles: weights kept)" in page
    assert "40.25 50.75 50.50" in page
    assert "#000000" not in page.split("<svg", 1)[1]  # ink has the colour of the text
    content = json.loads(paths[2].read_text())
    assert content["warnings"] == warnings
    assert content["tuning"]["base"][0]["curve"] == [40.25, 50.75, 50.5]
    without = Report("toy", scores, {}, {})
    write_report(without, *paths)
    assert "Warnings" not in paths[0].read_text()
