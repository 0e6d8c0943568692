"""The report: the table's arithmetic, the page whole and the same for the same numbers."""

import csv
import json

import pytest

from nlmt.report import Report, format_table, result_rows, write_report

PERPLEXITY = {"perplexity": 53.8, "perplexity_without_oov": 50.25, "oov": 12, "words": 1000}


def score(system, bleu, difference, p_value):
    metric = {
        "runs": bleu,
        "mean": sum(bleu) / len(bleu),
        "stdev": 0.5,
        "sampling_stdev": 0.9,
        "signature": "nrefs:1|tok:none",
        "difference": difference,
        "p_bootstrap": p_value,
        "p_randomisation": p_value,
        "run_p_values": [],
    }
    return {
        "system": system,
        "label": f"<{system}>",
        "baseline": "one",
        "seeds": [1, 2],
        "resamples": 1000,
        "scores": {"test": {"BLEU": metric, "TER": metric, "chrF": metric}},
        "source": f"eval/{system}.json",
    }


SCORES = [score("one", [50.0, 51.0], None, None), score("two", [51.0, 53.0], 1.5, 0.0004)]


@pytest.fixture
def report():
    return Report(
        title="toy: fr to en",
        scores=SCORES,
        perplexities={
            "kn": {"dev": PERPLEXITY, "test": PERPLEXITY, "source": "lm/kn/perplexity.json"},
            "nn": {"dev": PERPLEXITY, "test": PERPLEXITY, "source": "lm/nn/perplexity.json"},
        },
        curves={"nn": ([1, 2], [60.0, 55.0])},
    )


def write(report, folder):
    paths = [folder / name for name in ("index.html", "results.tsv", "results.json")]
    write_report(report, *paths)
    return paths


def test_main_columns_are_those_of_bleu():
    rows = result_rows(SCORES)
    assert rows[0]["difference"] is None
    assert rows[0]["p_value"] is None
    assert rows[1]["difference"] == pytest.approx(1.5)


def test_terminal_table_lines_up():
    header, first, second = format_table(result_rows(SCORES)).splitlines()
    assert header.index("BLEU") + 4 == first.index("50.50") + 5
    assert "+1.50" in second
    assert "<0.001" in second


def test_a_cell_that_was_not_run_says_so():
    assert "not run" in format_table([{"system": "one", "label": "one", "mean": 50.0}])


def test_tsv_and_json_hold_the_same_numbers(report, tmp_path):
    _, tsv, js = write(report, tmp_path)
    with tsv.open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    systems = json.loads(js.read_text())["systems"]
    assert [float(row["mean"]) for row in rows] == [system["mean"] for system in systems]
    assert rows[1]["runs"] == "51.0 53.0"


def test_page_is_whole_escaped_and_deterministic(report, tmp_path):
    page = write(report, tmp_path / "a")[0].read_text()
    assert page == write(report, tmp_path / "b")[0].read_text()
    assert "&lt;two&gt;" in page
    assert "<two>" not in page
    assert page.count("<svg") == 2
    for source in ("eval/one.json", "eval/two.json", "lm/kn/perplexity.json"):
        assert source in page
