"""Table 1 and figure 3 of the joint paper, from a few numbers."""

import csv
import xml.etree.ElementTree as ElementTree

import pandas as pd
import pytest

from nlmt.report import mean_searches, write_search_page


def search(kind, size, bleu, score=-5.0, seconds=0.5):
    return {"kind": kind, "size": size, "bleu": bleu, "score": score, "seconds": seconds}


RUNS = [
    [search("list", 1, 20.0), search("list", 10, 21.0), search("states", 1, 22.0, -4.0)],
    [search("list", 1, 24.0), search("list", 10, 21.0), search("states", 1, 23.0, -3.0)],
]
SYSTEM = {
    "system": "baseline", "label": "5-gram <&>", "mean": 22.0, "stdev": 1.0, "difference": None,
    "p_value": None, "ter": 50.0, "chrf": 60.0, "runs": [21.0, 23.0],
}  # fmt: skip


def test_means_over_runs():
    first, second, third = mean_searches(RUNS).to_dict("records")
    assert (first["kind"], first["size"], first["bleu"]) == ("list", 1, 22.0)
    assert first["stdev"] == pytest.approx(8**0.5)
    assert second["stdev"] == 0
    assert third["score"] == -3.5
    assert mean_searches(RUNS[:1])["stdev"][0] == 0


def test_page_table_and_figure(tmp_path):
    for folder in (tmp_path / "one", tmp_path / "two"):
        write_search_page(folder, "Joint", pd.DataFrame([SYSTEM]), mean_searches(RUNS))
    with (tmp_path / "one/table1.tsv").open() as stream:
        (row,) = csv.DictReader(stream, delimiter="\t")
    assert row["label"] == "5-gram <&>"
    assert row["runs"] == "21.0 23.0"
    with (tmp_path / "one/figure3.tsv").open() as stream:
        points = list(csv.DictReader(stream, delimiter="\t"))
    assert [(p["kind"], p["size"]) for p in points] == [
        ("list", "1"),
        ("list", "10"),
        ("states", "1"),
    ]
    ElementTree.parse(tmp_path / "one/figure3.svg")  # noqa: S314 - our own
    page = (tmp_path / "one/index.html").read_text()
    assert "5-gram &lt;&amp;&gt;" in page
    assert page.count("<svg") == 1
    for name in ("figure3.svg", "index.html"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
