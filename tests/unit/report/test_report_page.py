"""The report: the table's arithmetic, the page whole and the same for the same numbers."""

import csv
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from browser import assert_readable, needs_browser

from nlmt.errors import InputError
from nlmt.report import (
    COMPARISON_COLUMNS,
    Report,
    compare_sentences,
    comparisons_table,
    format_table,
    marked,
    metrics_table,
    results_table,
    write_report,
    write_tsv,
)
from nlmt.report.page import (
    average,
    deviation,
    gain_pictures,
    metrics_by_system,
    read_curve,
    vocabulary_notes,
)

PERPLEXITY = {"perplexity": 53.8, "perplexity_without_oov": 50.25, "oov": 12, "words": 1000}


def score(system, bleu, difference, p_value):
    metric = {
        "runs": bleu, "mean": sum(bleu) / len(bleu), "stdev": 0.5, "sampling_stdev": 0.9,
        "length": None, "signature": "nrefs:1|tok:none", "difference": difference,
        "low": difference and difference - 0.5, "high": difference and difference + 0.5,
        "p_value": p_value, "comparisons": {},
    }  # fmt: skip
    return {
        "system": system, "label": f"<{system}>", "baseline": "one", "seeds": [1, 2],
        "resamples": 1000, "scores": {"test": dict.fromkeys(("BLEU", "TER", "chrF"), metric)},
        "source": f"eval/{system}.json",
    }  # fmt: skip


SCORES = [score("one", [50.0, 51.0], None, None), score("two", [51.0, 53.0], 1.5, 0.0004)]


@pytest.fixture
def report():
    return Report(
        title="toy: fr to en",
        scores=SCORES,
        perplexities={
            name: average([{"dev": PERPLEXITY, "test": PERPLEXITY, "source": source}])
            for name, source in (("kn", "lm/kn/perplexity.json"), ("nn", "lm/nn/run1.json"))
        },
        curves={"nn": [pd.DataFrame({"epoch": [1.0, 2.0], "dev_perplexity": [60.0, 55.0]})]},
    )


def write(report, folder):
    paths = [folder / name for name in ("index.html", "results.tsv", "results.json")]
    write_report(report, *paths)
    return paths


def test_main_columns_are_those_of_bleu():
    rows = results_table(SCORES)
    assert np.isnan(rows["difference"][0])
    assert np.isnan(rows["p_value"][0])
    assert rows["difference"][1] == pytest.approx(1.5)


def test_terminal_table_lines_up():
    header, first, second = format_table(results_table(SCORES)).splitlines()
    assert header.index("BLEU") + 4 == first.index("50.50") + 5
    assert header.index("95 % interval") + 13 == second.index("+1.00 to +2.00") + 14
    assert "+1.50" in second
    assert "<0.001" in second


def test_perplexities_over_different_vocabularies_say_so_in_the_cell():
    same = {name: {"vocabulary": {"words": 10, "hash": "a"}} for name in ("kn", "nn")}
    assert vocabulary_notes(same) == {"kn": "", "nn": ""}
    other = same | {"nn": {"vocabulary": {"words": 9000, "hash": "b"}}, "x": {}}
    assert vocabulary_notes(other) == {
        "kn": " (over 10 words)",
        "nn": " (over 9,000 words)",
        "x": " (vocabulary unknown)",
    }


def test_a_cell_that_was_not_run_says_so():
    assert "not run" in format_table(pd.DataFrame({"system": ["one"], "mean": [50.0]}))


def test_tsv_and_json_hold_the_same_numbers(report, tmp_path):
    _, tsv, js = write(report, tmp_path)
    with tsv.open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    systems = json.loads(js.read_text())["systems"]
    assert [float(row["mean"]) for row in rows] == [system["mean"] for system in systems]
    assert rows[1]["runs"] == "51.0 53.0"


def test_a_table_of_mixed_code_says_so_in_each_row(report, tmp_path):
    _, tsv, js = write(replace(report, warnings=["a change of the code"]), tmp_path)
    with tsv.open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert [row["note"] for row in rows] == ["mixed code", "mixed code"]
    assert "a change of the code" in json.loads(js.read_text())["warnings"]


def test_the_mark_follows_what_a_row_says():
    frame = pd.DataFrame({"note": ["from 3 to 4", ""], "value": [1, 2]})
    assert marked(frame, ["a change"])["note"].tolist() == ["from 3 to 4; mixed code", "mixed code"]
    assert marked(frame, []) is frame


def test_page_is_whole_escaped_and_deterministic(report, tmp_path):
    page = write(report, tmp_path / "a")[0].read_text()
    assert page == write(report, tmp_path / "b")[0].read_text()
    assert "&lt;two&gt;" in page
    assert "<two>" not in page
    # A curve, the gain in BLEU above, and of all metrics; the baseline has no gain.
    assert page.count("<svg") == 1 + 1 + 3
    assert page.count('title="runs: 51.00 53.00"') == 1
    for source in ("eval/one.json", "eval/two.json", "lm/kn/perplexity.json"):
        assert source in page


def test_perplexities_of_an_earlier_version_are_named(report, tmp_path):
    old = {"dev": PERPLEXITY, "test": {"perplexity": 53.8}, "source": "lm/nn/perplexity.json"}
    message = r"lm/nn/perplexity.json: no 'perplexity_without_oov' \(made by an earlier version"
    with pytest.raises(InputError, match=message):
        write(replace(report, perplexities={"nn": old}), tmp_path)


@needs_browser
def test_page_can_be_read_on_every_screen_and_on_paper(report, tmp_path, browser):
    assert_readable(browser, write(report, tmp_path)[0])


def test_learning_curves_are_read_exactly(tmp_path):
    path = tmp_path / "log.tsv"
    path.write_text("epoch\ttokens\tdev_perplexity\n0.5\t10\t100.1\n1\t20\t53.800000000000004\n")
    values = {"epoch": [0.5, 1.0], "dev_perplexity": [100.1, 53.800000000000004]}
    assert read_curve(path).to_dict("list") == values
    header = "epoch\tdev_perplexity\n"
    for damaged in ("", f"{header}1\t\n", "epoch\n1\n", f"{header}x\t1\n"):
        path.write_text(damaged)
        with pytest.raises(InputError, match=r"log.tsv: truncated or damaged learning curve"):
            read_curve(path)


def compared(metric):
    """The scores, with comparisons of the second system with two others."""
    scores = json.loads(json.dumps(SCORES))
    facts = {"difference": 1.25, "low": -1, "high": 3, "p_value": 0.5}
    facts["other_tests"] = {"bootstrap": 1}
    scores[1]["scores"]["test"][metric]["comparisons"] = {"one": facts, "three": facts}
    return scores


def test_comparisons_have_a_row_each():
    table = comparisons_table(compared("BLEU"))
    assert list(table["other"]) == ["one", "three"]
    assert list(table["system"]) == ["two", "two"]
    first = format_table(table, COMPARISON_COLUMNS).splitlines()[1]
    assert first.split()[-5:] == ["+1.25", "-1.00", "to", "+3.00", "0.500"]
    assert list(table["p_bootstrap"]) == [1, 1]
    assert len(comparisons_table(SCORES)) == 0
    scores = compared("BLEU")
    del scores[1]["scores"]["test"]["BLEU"]["comparisons"]["one"]["other_tests"]
    with pytest.raises(InputError, match=r"eval/two.json: no 'other_tests' \(made by"):
        comparisons_table(scores)


def test_page_shows_comparisons_with_further_systems(report, tmp_path):
    page = write(report, tmp_path / "without")[0].read_text()
    assert "further systems" not in page
    page = write(replace(report, scores=compared("TER")), tmp_path / "with")[0].read_text()
    section = page.split("further systems")[1].split("Language models")[0]
    assert section.count("+1.25") == 1  # the baseline, `one`, is in the tables above
    assert '<td class="text">three</td>' in section


def test_gains_share_a_scale_and_have_no_picture_where_there_is_none():
    rows = [
        {"difference": None, "low": None, "high": None},
        {"difference": 1.0, "low": -1.0, "high": 3.0},
        {"difference": 0.5, "low": None, "high": None},
    ]
    (lower,) = gain_pictures(rows[1:2], "TER")
    assert lower.zone == (0, lower.zero)  # less is better
    none, with_interval, without = gain_pictures(rows)
    assert none is None
    # -1 and 3 would be cut off at 2.5 times the gain: the scale is from -1 to 2.5.
    assert (with_interval.zero, with_interval.dots) == (29.6, "M54.1 7h0")
    assert with_interval.ranges == "M5 7H96"
    assert (without.zero, without.dots, without.ranges) == (29.6, "M41.9 7h0", "")


def test_metrics_have_a_row_each_and_a_cell_a_system():
    table = metrics_by_system(metrics_table(SCORES), ["two", "other", "one"])
    assert list(table) == ["test"]
    assert list(table["test"]) == ["BLEU", "TER", "chrF"]
    two, other, one = table["test"]["TER"]
    assert (two[0]["mean"], two[1] is None) == (52, False)
    assert other == (None, None)
    assert (one[0]["mean"], one[1]) == (50.5, None)


def test_page_shows_sentences_of_each_system(report, tmp_path):
    changes = compare_sentences(("one", "two"), ["un"], [["a b"]], ["a <c>"], ["a b"])
    shown = replace(report, changes={"two": changes})
    page = write(shown, tmp_path)[0].read_text()
    assert "<mark>a b</mark>" in page
    assert "<mark>a</mark> &lt;c&gt;" in page
    assert 'href="side-by-side/two.html"' in page
    assert "The sentences that changed most" not in write(report, tmp_path)[0].read_text()


def test_tsv_has_numbers_in_full_and_empty_cells(tmp_path):
    frame = pd.DataFrame({"a": [0.1 + 0.2, float("nan")], "b": [["x", 1], []], "c": ['"', "\t"]})
    write_tsv(tmp_path / "t.tsv", frame)
    with (tmp_path / "t.tsv").open(newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t"))
    assert rows == [["a", "b", "c"], ["0.30000000000000004", "x 1", '"'], ["", "", "\t"]]


def test_perplexities_are_means_over_runs() -> None:
    runs = [
        {
            "dev": {"perplexity": value, "oov": 3},
            "test": {"perplexity": 2 * value, "oov": 4},
            "vocabulary": {"words": 7},
            "source": f"lm/nn/run{number}/perplexity.json",
        }
        for number, value in ((1, 50.0), (2, 56.0))
    ]
    mean = average(runs)
    assert mean["dev"] == {"perplexity": 53.0, "oov": 3, "runs": [50.0, 56.0]}
    assert mean["test"]["perplexity"] == 106.0
    assert mean["vocabulary"] == {"words": 7}
    assert deviation(mean["dev"]["runs"]) == " ±4.24"
    assert deviation([50.0]) == ""
