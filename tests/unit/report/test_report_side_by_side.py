"""The sentences that changed most: the right ones, in order, marked and escaped."""

import pytest
from browser import assert_readable, needs_browser

from nlmt.errors import InputError
from nlmt.report import compare_sentences, read_changes, write_changes, write_side_by_side
from nlmt.report.changes import matched_words

NAMES = ("base", "new")
SOURCE = ["un", "deux", "trois", "quatre"]
REFERENCE = ["the small house", "a <b> red cell", "insert a chart", "unchanged"]
BASELINE = ["the small hose", "the green table", "insert a chart", "unchanged"]
SYSTEM = ["the small house", "a <b> red cell", "remove the table", "unchanged"]


def test_changes_are_ordered_by_their_size(monkeypatch):
    changes = compare_sentences(NAMES, SOURCE, [REFERENCE], BASELINE, SYSTEM)
    better, worse = changes.better, changes.worse
    assert [change.number for change in better] == [1, 0]
    assert [change.number for change in worse] == [2]
    assert better[0].system_score == pytest.approx(100)
    assert better[0].gain > better[1].gain > 0 > worse[0].gain
    assert better[0].source == "deux"
    monkeypatch.setattr("nlmt.report.changes.COUNT", 1)
    changes = compare_sentences(NAMES, SOURCE, [REFERENCE], BASELINE, SYSTEM)
    assert changes.better == better[:1]


def test_the_file_has_what_changed(tmp_path):
    changes = compare_sentences(NAMES, SOURCE, [REFERENCE], BASELINE, SYSTEM)
    assert (changes.sentences, changes.different) == (4, 3)
    assert [change.number for change in changes.largest(5)] == [2, 1, 0]
    assert len(changes.largest(2)) == 2
    path = tmp_path / "changes.json"
    write_changes(path, changes)
    assert read_changes(path) == changes
    for damaged, message in (
        ("{}", "no 'better' .made by an earlier version"),
        ('{"better": [{}]}', "no 'references' .made by an earlier version"),
        ('{"better": [], "worse": [], "names": ["a"]}', "no changes of sentences"),
    ):
        path.write_text(damaged)
        with pytest.raises(InputError, match=message):
            read_changes(path)


def test_words_of_the_reference_are_told_from_others():
    assert matched_words(["a b c"], "a x c d") == [
        (True, "a"), (False, "x"), (True, "c"), (False, "d")
    ]  # fmt: skip
    assert matched_words(["x y z", "c a b"], "a b c") == [(True, "a b"), (False, "c")]
    assert matched_words([""], "a") == [(False, "a")]
    assert matched_words(["a"], "") == []


def test_page_is_escaped_and_deterministic(tmp_path):
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for page in pages:
        changes = compare_sentences(NAMES, SOURCE, [REFERENCE], BASELINE, SYSTEM)
        write_side_by_side(page, changes)
    text = pages[0].read_text()
    assert text == pages[1].read_text()
    assert "3 of 4 translations differ" in text
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert "<mark>the small</mark> hose" in text
    assert "<mark>the small house</mark>" in text


def test_page_begins_with_warnings(tmp_path):
    page = tmp_path / "page.html"
    changes = compare_sentences(NAMES, SOURCE, [REFERENCE], BASELINE, SYSTEM)
    write_side_by_side(page, changes)
    assert "Warnings" not in page.read_text()
    write_side_by_side(page, changes, ["made by <two> versions"])
    assert "<li>made by &lt;two&gt; versions</li>" in page.read_text()


def test_page_shows_all_references(tmp_path):
    other = ["the tiny house", "some cell", "add a chart", "unchanged"]
    page = tmp_path / "page.html"
    changes = compare_sentences(("a", "b"), SOURCE, [REFERENCE, other], BASELINE, SYSTEM)
    write_side_by_side(page, changes)
    text = page.read_text()
    assert "<dt>reference 1</dt><dd>the small house</dd>" in text
    assert "<dt>reference 2</dt><dd>the tiny house</dd>" in text


@needs_browser
def test_page_can_be_read_on_every_screen_and_on_paper(tmp_path, browser):
    page = tmp_path / "page.html"
    long = [" ".join([line] * 40) for line in SYSTEM]
    write_side_by_side(page, compare_sentences(("a", "b"), SOURCE, [REFERENCE], BASELINE, long))
    assert_readable(browser, page)


def test_files_of_different_length_are_refused():
    with pytest.raises(InputError, match="3 lines of source, but 4 translations"):
        compare_sentences(NAMES, SOURCE[:3], [REFERENCE], BASELINE, SYSTEM)
