"""Findings over the size of the text: places of made-up comparisons, computed by hand."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from browser import Browser, assert_readable, needs_browser
from paper_artefacts import ROOT, VALUES

from nlmt.papers import PAPERS
from nlmt.papers.pages import PaperResults
from nlmt.papers.paper import LearntText
from nlmt.papers.publish import Publication
from nlmt.papers.results import ALL_PAIRS, result_frame
from nlmt.papers.scales import published_html, scale_figures, scores_html
from nlmt.papers.verdicts import COMPARISON_COLUMNS, VERDICT_COLUMNS, Verdict

BITEXT = LearntText("train", {"fr-en": 1e8})
PAPER = replace(PAPERS.get("schwenk2010"), texts={"": BITEXT})


def published(
    scale: str,
    words: int | None,
    verdict: Verdict,
    *measured: tuple[float, float, float],
    relation: str = "higher",
    pair_of_values: str = "fr-en",
    trainings: tuple[str, ...] = ("",),
    interval_of: str = "",
) -> Publication:
    """A finding of comparisons by their difference and interval; the paper's difference is 3."""
    ratio = relation == "ratio-above"
    claim = {"claim": "gain", "pair": "fr-en"}
    verdicts = [
        claim
        | dict.fromkeys(VERDICT_COLUMNS[8:], "")
        | dict.fromkeys(("compared", "measured", "holding", "opposite"), len(measured))
        | {"training": training, "verdict": verdict, "p": 0.1, "adjusted": 0.1}
        | {"statement": "It gains.", "where": "table 1", "metric": "BLEU", "relation": relation}
        for training in trainings
    ]
    comparisons: list[dict[str, Any]] = [
        claim
        | dict.fromkeys(COMPARISON_COLUMNS[2:], math.nan)
        | {"training": training, "table": "table1", "better": f"better {n}", "worse": "worse"}
        | {"outcome": verdict, "unit": "BLEU", "metric": "BLEU", "untrained": ""}
        | {"interval_of": interval_of}
        | {"our_better": 10 if ratio else 50 + value, "our_worse": 10 * value if ratio else 50}
        | {"difference": value, "low": low, "high": high, "least": 0.0, "most": math.inf}
        | {"published_better": 10 if ratio else 33, "published_worse": 30}
        for training in trainings
        for n, (value, low, high) in enumerate(measured)
    ]
    results = PaperResults(
        "schwenk2010",
        replace(PAPER, trainings={"first": "", "second": ", second"}),
        ["fr-en"],
        {"table1": pd.DataFrame([{"pair": pair_of_values, "value": 1.0}])},
        pd.DataFrame(verdicts, columns=list(VERDICT_COLUMNS)),
        pd.DataFrame(comparisons, columns=list(COMPARISON_COLUMNS)),
    )
    return Publication(
        scale, results, {"fr-en": {"words": {} if words is None else {"train": words}}}
    )


SMALL = published("small", 100_000, Verdict.NOT_SHOWN, (1, -1, 3))
MEDIUM = published("medium", 10_000_000, Verdict.HOLDS, (2, 1, 3))


def test_points_intervals_and_colours_are_those_of_the_frames() -> None:
    (figure,) = scale_figures([SMALL, MEDIUM])
    assert figure.sizes == [("small", "0.1"), ("medium", "10"), ("the paper", "100")]
    # From 10^4.7 to 10^8.3 on 182 units, which begin at 32.
    ticks = [(47.2, "100k"), (97.7, "1M"), (148.3, "10M"), (198.8, "100M")]
    assert figure.ticks == ticks
    (finding,) = figure.findings
    # From -1 at y 79 to 3 at y 11, of a plot from 84 to 6.
    assert finding.zero == (62.0, "0")
    assert finding.tick == (11.0, "+3")
    assert finding.zone == (6.0, 56.0)
    drawn = {(own.verdict, own.ranges, own.dots) for own in finding.marks}
    assert drawn == {
        ("unclear", "M47.2 79V11", "M47.2 45h0"),
        ("holds", "M148.3 45V11", "M148.3 28h0"),
    }
    assert finding.lines == "M47.2 45L148.3 28"
    assert finding.papers == "M193.8 11h10"


def test_one_scale_alone_has_no_lines() -> None:
    ((finding,),) = [figure.findings for figure in scale_figures([SMALL])]
    assert finding.lines == ""
    assert len(finding.marks) == 1


def test_a_ratio_has_a_logarithmic_axis() -> None:
    one = published("small", 100_000, Verdict.HOLDS, (9, 3, 9), relation="ratio-above")
    ((finding,),) = [figure.findings for figure in scale_figures([one])]
    assert (finding.unit, finding.zero, finding.tick) == ("times", (79.0, "1"), (11.0, "9"))
    assert finding.marks[0].ranges.endswith(" 45V11")
    assert finding.papers.endswith(" 45h10")


def test_comparisons_and_trainings_of_one_scale_stand_side_by_side() -> None:
    measured = ((1.0, 0.0, 2.0), (2.0, 1.0, 3.0))
    one = published("small", 100_000, Verdict.HOLDS, *measured, trainings=("first", "second"))
    (figure,) = scale_figures([one])
    assert figure.trainings == ["first", "second"]
    dots = [(own.training, own.dots) for own in figure.findings[0].marks]
    # 5 units apart, around the place of the scale; from 0 at y 79 to 3 at y 11.
    middle = 32 + 0.3 / 3.6 * 182
    first, second, third, fourth = (f"{middle + shift:.1f}" for shift in (-7.5, -2.5, 2.5, 7.5))
    assert dots == [
        (0, f"M{first} 56.3h0M{second} 33.7h0"),
        (1, f"M{third} 56.3h0M{fourth} 33.7h0"),
    ]


@pytest.mark.parametrize(
    "one",
    [
        published("small", None, Verdict.HOLDS, (1, 0, 2)),
        published("small", 100_000, Verdict.NOT_RUN, (math.nan, math.nan, math.nan)),
        published("small", 100_000, Verdict.HOLDS, (1, 0, 2), pair_of_values=ALL_PAIRS),
    ],
    ids=["not counted", "not measured", "of no text"],
)
def test_what_has_no_place_over_the_text_is_left_out(one: Publication) -> None:
    assert scale_figures([one]) == []
    assert "differences over words" not in published_html([one])


def test_a_page_has_each_finding_once_with_its_numbers_at_each_scale() -> None:
    html = published_html([SMALL, MEDIUM])
    assert "\n\n" not in html  # a blank line ends HTML in Markdown
    assert html.count("It gains. <small>table 1</small>") == 1
    assert "<span>fr-en<small>small</small></span><span>fr-en<small>medium</small></span>" in html
    cells = re.findall(r'<span class="of">(.*?) </span>.*?<b>(.*?)</b>', html)
    assert cells == [("fr-en, small", "not shown"), ("fr-en, medium", "holds")]
    assert html.count("<li>fr-en, small: +1.00 [\N{MINUS SIGN}1.00, +3.00]") == 1
    assert html.count("<li>fr-en, medium: +2.00 [+1.00, +3.00]") == 1
    assert 'aria-label="fr-en, over words of bitext, in BLEU"' in html


def test_a_finding_of_one_scale_has_no_picture_over_sizes() -> None:
    html = published_html([SMALL])
    assert "<li>fr-en, small: +1.00" in html
    assert "over words of" not in html


def test_a_finding_that_a_scale_does_not_have_leaves_its_cells_empty() -> None:
    verdicts, comparisons = (
        frame.assign(claim="loss", statement="It loses.") if "statement" in frame else frame[:0]
        for frame in (MEDIUM.results.verdicts, MEDIUM.results.comparisons)
    )
    results = replace(MEDIUM.results, verdicts=verdicts, comparisons=comparisons)
    html = published_html([SMALL, replace(MEDIUM, results=results)])
    cells = re.findall(r'</small></span>(<span class="cell.*)</summary>', html)
    assert [cell.count('<span class="cell') for cell in cells] == [2, 2]
    assert cells[0].endswith('<span class="cell"></span>')
    assert cells[1].startswith('<span class="cell"></span>')


def test_verdicts_of_one_run_are_marked() -> None:
    one = published("medium", 10_000_000, Verdict.HOLDS, (2, 1, 3), interval_of="sentences alone")
    verdicts = re.findall("<b>(.*?)</b></span>", published_html([SMALL, one]))
    assert verdicts == ["not shown", "holds\N{SUPERSCRIPT ONE}"]


def test_a_score_of_one_run_has_no_deviation() -> None:
    row = {"pair": "fr-en", "row": "baseline", "column": "test", "unit": "BLEU"}
    frame = result_frame([row | {"value": 50.0}, row | {"value": 51.0, "row": "c", "stdev": 0.5}])
    results = replace(SMALL.results, tables={**SMALL.results.tables, "test_sets": frame})
    html = scores_html([replace(SMALL, results=results)])
    assert "<th>fr-en, small, test</th>" in html
    assert "<tr><td>baseline</td><td>50.00</td></tr>" in html
    assert "<tr><td>c</td><td>51.00 <small>±&nbsp;0.50</small></td></tr>" in html


def test_findings_on_models_of_another_text_have_a_figure_of_its_own() -> None:
    large = LearntText("texts/default", {"fr-en": 1e9})
    paper = replace(PAPER, texts={"": large, "table1": BITEXT})
    found = []
    for one in (SMALL, MEDIUM):
        records = {
            "fr-en": {"words": {"texts/default": 20_000_000, **one.records["fr-en"]["words"]}}
        }
        found.append(replace(one, results=replace(one.results, paper=paper), records=records))
    (figure,) = scale_figures(found)  # all findings are of table 1
    assert (figure.text, figure.sizes[1]) == ("bitext", ("medium", "10"))
    paper = replace(PAPER, texts={"": large, "table2": BITEXT})
    found = [replace(one, results=replace(one.results, paper=paper)) for one in found]
    (figure,) = scale_figures(found)
    assert (figure.text, figure.sizes[2]) == ("text", ("the paper", "1,000"))
    assert "over words of text, in millions: small 20, medium 20, " in published_html(found)


@needs_browser
def test_pictures_can_be_read_on_every_screen(tmp_path: Path, browser: Browser) -> None:
    styles = ROOT / "src/nlmt/report/templates"
    css = "".join((styles / name).read_text() for name in ("style.css", "findings.css"))
    page = tmp_path / "index.html"
    viewport = '<meta name="viewport" content="width=device-width">'
    page.write_text(f"{viewport}<style>{css}</style>{published_html([SMALL, MEDIUM])}")
    assert_readable(browser, page)


@pytest.mark.parametrize("key", ["baltescu2015", "auli2013", "luong2015"])
def test_the_papers_text_has_the_published_size(key: str) -> None:
    for pair, words in PAPERS.get(key).texts[""].words.items():
        values = [
            float(fields[4])
            for path in (VALUES / key).glob("t*.tsv")
            for fields in (line.split("\t") for line in path.read_text().splitlines()[1:])
            if fields[3] == "tokens" and (pair in fields[1] or key == "luong2015")
        ]
        assert words in values
