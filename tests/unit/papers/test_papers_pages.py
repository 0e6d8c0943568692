"""The pages: what they say, that they need nothing beside them, that tables are accessible."""

import re
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from default_experiment import default_experiment
from matplotlib.figure import Figure
from paper_artefacts import (
    VALUES,
    MakeTables,
    paper_results,
    sentence_changes,
    write_overview_files,
)

from nlmt.errors import InputError
from nlmt.papers import PAPERS, read_claims
from nlmt.papers.claim_views import counts_of
from nlmt.papers.numbers import deviation, number, probability
from nlmt.papers.overview import overview_entries, read_overview
from nlmt.papers.pages import (
    PaperResults,
    Provenance,
    read_figures,
    write_front_page,
    write_paper_page,
)
from nlmt.papers.plots import standalone_svg, write_figure
from nlmt.papers.provenance import part_of, run_times
from nlmt.papers.results import write_frame
from nlmt.papers.views import overview_views
from nlmt.report import marked
from nlmt.report.svg import as_svg

PAIRS = ("fr-en", "en-cs")
VOID = {"meta", "br", "path", "use", "rect", "img", "link", "wbr"}


class Outline(HTMLParser):
    """Checks that elements close in turn; keeps attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.text += data


def outline(path: Path) -> Outline:
    found = Outline()
    found.feed(path.read_text(encoding="utf-8"))
    assert found.open == []
    return found


@pytest.fixture(scope="module")
def auli(tmp_path_factory: pytest.TempPathFactory, tables_of: MakeTables) -> PaperResults:
    return paper_results(tmp_path_factory.mktemp("auli"), "auli2013", tables_of, PAIRS)


def test_numbers_have_the_digits_of_their_unit() -> None:
    assert number(31.554, "BLEU") == "31.55"
    assert number(-0.5, "BLEU", sign=True) == "\N{MINUS SIGN}0.50"
    assert number(0.5, "TER", sign=True) == "+0.50"
    assert number(123456.7, "tokens a second") == "123,457"
    assert number(0.012345, "seconds a sentence") == "0.0123"
    assert number(float("nan"), "BLEU") == number(None, "BLEU") == ""
    assert deviation(0.0549, 0.348, "exponent of V") == "0.055"
    assert deviation(1234.5, 5678, "tokens a second") == "1,234"
    assert deviation(None, 0.5, "BLEU") == ""
    assert (probability(0.0001), probability(0.0123), probability(None)) == ("<0.001", "0.012", "")


def test_a_page_shows_claims_first_and_published_values_beside_ours(
    tmp_path: Path, tables_of: MakeTables
) -> None:
    page = tmp_path / "baltescu2015/index.html"
    name = "baltescu2015_class"
    part = part_of(default_experiment(), name)
    assert part is not None
    provenance = Provenance(
        parts={name: part},
        run_times={"fr-en": {name: 120.0, "kn5": 500.0}},
        configuration={"systems": {name: {"language_models": [name]}}},
    )
    write_paper_page(page, paper_results(tmp_path, "baltescu2015", tables_of, PAIRS), provenance)
    text = outline(page).text
    assert text.index("What the paper finds") < text.index("Table 4:")
    assert "31.55 against 31.07 BLEU" in text  # Brown over frequency binning, as published
    assert "not shown" in text
    assert "Training: AdaGrad" in text
    assert "run time of all its jobs, fr-en: 2 min" in text  # of its own and of its model's
    assert "objective: nce" in text
    assert re.search(r"\(shows from \d+\.\d\d\)", text)
    assert "33.01" in text  # KenLM's published value
    assert "seeds of the runs 1, 2, 3: baltescu2015_class" in text
    assert "1.2 days" in text  # a published unit that is not ours
    assert "results/papers/baltescu2015/table7.tsv" in text


@pytest.mark.parametrize("key", ["luong2015", "schwenk2010"])
def test_pages_need_nothing_beside_them(tmp_path: Path, tables_of: MakeTables, key: str) -> None:
    page = tmp_path / key / "index.html"
    write_paper_page(page, paper_results(tmp_path, key, tables_of, PAIRS), Provenance())
    html = page.read_text(encoding="utf-8")
    of_parts = re.findall(r"<p>Of ([^<]*)</p>", html)
    assert of_parts
    assert all(name for names in of_parts for name in names.split(", "))
    found = outline(page)
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in found.attributes}
    assert not re.search(r"url\(|@import|https?://", html)
    # Every table and figure can scroll within the page.
    assert html.count("<table") == html.count('class="scroll"') - html.count("<figure>")
    headers = [attributes for tag, attributes in found.attributes if tag == "th"]
    assert all("scope" in one for one in headers)
    anchors = {attributes["id"] for _, attributes in found.attributes if "id" in attributes}
    for tag, attributes in found.attributes:
        target = attributes.get("href") or ""
        if tag == "a" and target.startswith("#"):
            assert target[1:] in anchors
        assert not target.startswith("..")  # what the paper's own target does not make


def test_the_sentences_that_changed_most_are_on_the_page_as_text(
    tmp_path: Path, auli: PaperResults
) -> None:
    page, changes = tmp_path / "auli2013/index.html", sentence_changes()
    write_paper_page(page, auli, Provenance(changes={"fr-en": [changes], "en-cs": []}))
    found = outline(page)
    assert not {"img"} & {tag for tag, _ in found.attributes}
    section = found.text.partition("The sentences that changed most")[2]
    shown = changes.largest(10)
    texts = [(change.source, *change.references, change.system) for change in shown]
    for text in [text for of_one in texts for text in of_one]:
        assert text in section
    assert f"{changes.names[1]}, against {changes.names[0]}" in section
    assert section.count("chrF ") == len(shown) + 1 == 11  # and once in the rule
    assert re.findall(r"\(([+-]\d+\.\d)\)", section) == [f"{c.gain:+.1f}" for c in shown]
    assert "<mark>" in page.read_text()
    assert "en-cs" not in section.partition("Where the numbers come from")[0]
    write_paper_page(page, auli, Provenance())
    assert "The sentences that changed most" not in outline(page).text


def test_figures_take_the_colour_of_the_text(tmp_path: Path, auli: PaperResults) -> None:
    table = PAPERS.get("auli2013").tables["figure3"]
    svg, png = tmp_path / "figure3.svg", tmp_path / "figure3.png"
    write_figure(table, auli.tables["figure3"], svg, png)
    first = svg.read_bytes(), png.read_bytes()
    write_figure(table, auli.tables["figure3"], svg, png)
    assert (svg.read_bytes(), png.read_bytes()) == first
    root = ET.fromstring(first[0])  # noqa: S314
    assert root.get("role") == "img"
    assert root.get("aria-label") == table.title
    text = first[0].decode()
    assert "currentColor" in text
    assert "#000000" not in text
    assert "seconds a sentence" in text
    page = tmp_path / "auli2013/index.html"
    write_paper_page(page, auli, Provenance(figures=read_figures([svg])))
    assert "<svg" in page.read_text()
    outline(page)


def test_a_figure_of_mixed_code_says_so(tmp_path: Path, auli: PaperResults) -> None:
    table, frame = PAPERS.get("auli2013").tables["figure3"], auli.tables["figure3"]
    svg, png = tmp_path / "figure3.svg", tmp_path / "figure3.png"
    for warnings in ([], ["these results were made partly before a change of the code"]):
        write_figure(table, marked(frame, warnings), svg, png)
        assert (">mixed code<" in svg.read_text()) == bool(warnings)


def test_figures_keep_the_digits_of_what_is_written() -> None:
    figure = Figure()
    figure.text(1 / 3, 1 / 7, "0.00512 s")
    svg = as_svg(figure, "name", "title")
    assert ">0.00512 s<" in svg
    assert not re.search(r"\.\d{3}", svg.replace("0.00512 s", ""))


def test_bleu_is_drawn_over_the_text_beside_the_baseline(auli: PaperResults) -> None:
    table, frame = PAPERS.get("auli2013").tables["table2"], auli.tables["table2"]
    svg = standalone_svg(table, frame, "name")
    for text in (*PAIRS, "Baseline", "network"):
        assert f">{text}<" in svg
    assert ">network<" not in standalone_svg(table, frame.assign(value=float("nan")), "name")


def test_a_figure_of_nothing_is_empty(tmp_path: Path, auli: PaperResults) -> None:
    frame = auli.tables["figure3"].assign(value=float("nan"))
    table = PAPERS.get("auli2013").tables["figure3"]
    write_figure(table, frame, tmp_path / "a.svg", tmp_path / "a.png")


def test_the_overview_has_scores_sizes_and_times(overview: pd.DataFrame) -> None:
    systems = overview[overview["pair"] == "fr-en"].set_index("system")
    assert systems.loc["baseline", "papers"] == "auli2013"
    assert 50 <= systems.loc["baseline", "BLEU test"] <= 52
    assert pd.isna(systems.loc["baseline", "training"])
    listed = systems.loc["schwenk2010_neural_both"]
    assert listed["parameters"] == 2 * 123_456  # of words and of tuples
    assert listed["training"] == 2 * 60
    assert listed["rescoring"] == 3  # two models on a list
    assert systems.loc["auli2013_lstm_lattice", "rescoring"] == 4
    # Of models that a system leaves out nothing counts, of a mixture its networks.
    combined = systems.loc[["combined_all", "combined_without_auli", "combined_auli"]]
    assert combined["parameters"].tolist() == [4 * 123_456, 3 * 123_456, 123_456]
    assert combined["rescoring"].tolist() == [6, 4.5, 1.5]
    assert systems.loc["schwenk2010_nist_mixture", "parameters"] == 2 * 123_456
    assert listed["megabytes"] > systems.loc["baseline", "megabytes"] > 0
    # The weights of reranking are tuned on dev2, those of the decoder are not.
    assert pd.isna(systems.loc["luong2015_1layer", "BLEU dev2"])
    assert systems.loc[["luong2015_baseline", "luong2015_classes"], "BLEU dev2"].notna().all()
    assert systems.loc["luong2015_1layer", ["BLEU test", "BLEU luong2015_test2"]].notna().all()
    assert "BLEU average" not in overview


def test_an_overview_of_an_earlier_version_is_named(overview: pd.DataFrame, tmp_path: Path) -> None:
    write_frame(tmp_path / "overview.tsv", overview.drop(columns="training"))
    with pytest.raises(InputError, match=r"overview.tsv: no column 'training' \(made by an"):
        read_overview(tmp_path / "overview.tsv")


def test_the_overview_keeps_tasks_apart(tmp_path: Path) -> None:
    """A system of the same name has other corpora and test sets in each task."""
    found = overview_entries(default_experiment(), "auli2013", "fr-en")[:3]
    own = write_overview_files(tmp_path, found, default_experiment())
    write_frame(tmp_path / "overview.tsv", marked(own, ["a change of the code"]))
    noted = read_overview(tmp_path / "overview.tsv")
    assert noted.pop("note").tolist() == ["mixed code"] * len(own)
    pd.testing.assert_frame_equal(noted, own)
    assert [view["heading"] for view in overview_views(own)] == ["fr-en"]
    others = [
        replace(entry, paper="luong2015", task="other", pair="de-en" if place else "fr-en")
        for place, entry in enumerate(found)
    ]
    both = write_overview_files(tmp_path, [*found, *others], default_experiment())
    assert both["papers"].tolist() == 3 * ["auli2013"] + 3 * ["luong2015"]
    headings = [view["heading"] for view in overview_views(both)]
    assert headings == [f"fr-en, {found[0].task}", "fr-en, other", "de-en, other"]


def test_run_times_are_those_of_all_jobs_of_a_name(tmp_path: Path) -> None:
    for name, seconds in (
        ("train_neural_lm/help.fr-en.nce.tsv", 10.0),
        ("tune_weights/help.fr-en.base.run1.tsv", 7.0),
        ("decode/help.fr-en.base.run1.test.tsv", 5.0),
        ("decode/help.fr-en.base2.run1.test.tsv", 90.0),
        ("decode/help.en-cs.base.run1.test.tsv", 90.0),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"s\th:m:s\n{seconds}\t0:00:01\n")
    found = run_times(tmp_path, "help", "fr-en", ["nce", "base", "other"])
    assert found == {"nce": 10.0, "base": 12.0}
    (tmp_path / "decode/help.fr-en.base.run2.test.tsv").write_text("nothing\n1\n")
    with pytest.raises(InputError, match="not a benchmark file"):
        run_times(tmp_path, "help", "fr-en", ["base"])


def test_the_front_page_counts_verdicts(
    tmp_path: Path, tables_of: MakeTables, auli: PaperResults, overview: pd.DataFrame
) -> None:
    schwenk = paper_results(tmp_path, "schwenk2010", tables_of, PAIRS)
    page = tmp_path / "index.html"
    tables = tables_of("combined", PAIRS)
    combined = PaperResults("combined", PAPERS.get("combined"), PAIRS, tables)
    write_front_page(page, [auli, schwenk, combined], overview)
    found = outline(page)
    for results in (auli, schwenk):
        counted = counts_of(results.verdicts, ["fr-en"])
        claims = len(read_claims(VALUES, results.key))
        assert [sum(one.verdicts.values()) for one in counted] == [claims]
    assert "schwenk2010_neural_lm" in found.text
    assert "parameters of neural models" in found.text
    # What has no claims shows its tables, and counts no findings.
    assert "What combining the models of the papers gives" in found.text
    assert "+ all but Luong et al." in found.text
    assert "combined: " not in found.text
    assert 'href="auli2013/index.html#' in page.read_text()
    for claim in auli.claims():
        assert [outcome.pair for outcome in claim.outcomes] == list(PAIRS)
        for outcome in claim.outcomes:
            assert not outcome.text or f'aria-label="{escape(outcome.text)}"' in page.read_text()
    assert any(outcome.picture for claim in auli.claims() for outcome in claim.outcomes)


def test_findings_of_a_factor_show_how_many_times(tmp_path: Path, tables_of: MakeTables) -> None:
    results = paper_results(tmp_path, "baltescu2015", tables_of, ["fr-en"])
    for words in ("by a factor of 7", "by a factor of more than 100"):
        found = next(claim for claim in results.claims() if words in claim.statement)
        assert found.measure == "ratio"
        for outcome in found.outcomes:
            assert " times" in outcome.text


def test_findings_are_counted_by_way_of_training(
    tmp_path: Path, tables_of: MakeTables, overview: pd.DataFrame
) -> None:
    results = paper_results(tmp_path, "baltescu2015", tables_of, ["fr-en"])
    names = list(PAPERS.get("baltescu2015").trainings)
    counts = counts_of(results.verdicts, ["fr-en"])
    assert [count.training for count in counts] == names
    of_claims = results.verdicts.groupby("claim")["training"].apply(list)
    assert of_claims["brown_over_frequency_bins"] == names
    assert of_claims["backoff_gains_from_text"] == [""]  # of no neural model
    for count in counts:
        assert sum(count.verdicts.values()) == len(of_claims)
    of_all = next(claim for claim in results.claims() if claim.name == "backoff_gains_from_text")
    assert [outcome.span for outcome in of_all.outcomes] == [2]
    page, front = tmp_path / "own/index.html", tmp_path / "index.html"
    write_paper_page(page, results, Provenance())
    text = outline(page).text
    for name in names:
        assert f"fr-en, {name}: " in text
    write_front_page(front, [results], overview)
    assert f"fr-en, {names[1]}" in outline(front).text


def test_papers_need_no_claims(tmp_path: Path, auli: PaperResults, overview: pd.DataFrame) -> None:
    other = PaperResults("auli2013", auli.paper, PAIRS, {"table1": auli.tables["table1"]})
    page = tmp_path / "own/index.html"
    write_paper_page(page, other, Provenance())
    assert "What the paper finds" not in outline(page).text
    write_front_page(tmp_path / "index.html", [other, auli], overview)
    outline(tmp_path / "index.html")
