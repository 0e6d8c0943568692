"""Documentation pages: blocks of each markup, and what joins."""

from collections import Counter
from pathlib import Path

import pytest

from nlmt.corpora import Extraction, SplitSettings, read_corpora, text_of
from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.block import Block
from nlmt.corpora.page_blocks import page_blocks, sections
from nlmt.corpora.readers.pages import PAGES, PagesFormat, join_pages
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError

HTML = """<!DOCTYPE html><html><head><title>4. Crop</title><style>p {}</style></head><body>
<div class="navheader"><table><tr><th>Prev</th></tr></table></div>
<h2>4. <a id="x"></a>Crop<a class="permalink" href="#x">&para;</a></h2>
<div class="para">First <em>part</em>, <div class="url">http://x</div>second&nbsp;part.</div>
<pre>code</pre><p>One<br>two &amp; three<p>Next<ul><li>Item <p>inner</p> more</li></ul>
<dl><dt class="sig sig-object c">int no(void)</dt><dd>It</dd></dl>
<script>x = "<p>no</p>"</script><img alt="no"></body></html>"""


def blocks(content: str, markup: str = "html") -> list[Block]:
    return page_blocks(content.encode(), markup, "page")  # type: ignore[arg-type]


PARAMETERS = """<table class="nav_table"><tr><td>[<a>Up : Functions</a>]</td></tr></table>
<dl><dt><strong>axis</strong><span class="classifier">int, optional</span></dt>
<dt>x <span class="classifier-delimiter">:</span> <span class="classifier">float</span></dt></dl>"""


def test_html_types_of_parameters() -> None:
    """Style sheets set the colon that Sphinx leaves out; navigation of Texinfo is no text."""
    assert [block.text for block in blocks(PARAMETERS)] == ["axis : int, optional", "x : float"]


def test_html() -> None:
    assert [(block.element, block.text) for block in blocks(HTML)] == [
        ("title", "4. Crop"),
        ("h2", "4. Crop"),
        ("div", "First part, second\u00a0part."),
        ("div", "http://x"),
        ("p", "One two & three"),
        ("p", "Next"),
        ("li", "Item more"),
        ("p", "inner"),
        ("dd", "It"),
    ]


def test_text_of_html_outside_of_blocks_is_named() -> None:
    html = "<body>One <b>two</b> <p>three</p>\n<blockquote>four</blockquote><hr><p>five</p>"
    unread = Block("body", "", "text outside of blocks")
    assert blocks(html) == [unread, Block("p", "three"), unread, Block("p", "five")]


def test_mallard() -> None:
    page = """<page xmlns="http://projectmallard.org/1.0/" id="x"><info><link xref="a"/>
      <credit><name>Somebody</name></credit><desc>About it.</desc>
      <mal:credit xmlns:mal="http://projectmallard.org/1.0/"><mal:name>T</mal:name></mal:credit>
      </info><title>It</title><p>Press <keyseq><key>Ctrl</key><key>C</key></keyseq>
      now.</p><steps><item><p>First</p></item></steps><screen>$ ls</screen>
      <media><p>picture</p></media></page>"""
    assert [block.text for block in blocks(page, "mallard") if block.text] == [
        "About it.",
        "It",
        "Press CtrlC now.",
        "First",
    ]


@pytest.mark.parametrize(
    "meta",
    [
        '<meta charset="iso-8859-1">',
        '<META http-equiv="Content-Type" content="text/html; charset=windows-1252">',
    ],
)
def test_the_encoding_of_html(meta: str) -> None:
    content = f"<html><head>{meta}</head><p>d\xe9j\xe0 \u2019</p>".encode("cp1252")
    assert [block.text for block in page_blocks(content, "html", "page")] == ["d\xe9j\xe0 \u2019"]


def test_faulty_pages() -> None:
    for html in (b"<p>\n\xe9", b"<meta charset=nonsense><p>\n\xe9"):
        with pytest.raises(InputError, match=r"page:2: not UTF-8 .*iconv"):
            page_blocks(html, "html", "page")
    with pytest.raises(InputError, match="page:1: not XML: mismatched tag"):
        page_blocks(b"<page><p></page>", "mallard", "page")


@pytest.mark.parametrize("markup", ["html", "man", "rst"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_pages_in_utf16_without_a_mark_are_not_empty(markup: str, encoding: str) -> None:
    with pytest.raises(InputError, match=r"page:1: not text: a NUL byte .*utf-16"):
        page_blocks("<p>One".encode(encoding), markup, "page")  # type: ignore[arg-type]


def test_a_nul_byte_within_a_page() -> None:
    assert [block.text for block in blocks("<p>One of\0two words")] == ["One of two words"]


def test_sections_begin_at_headings() -> None:
    cut = sections(blocks("<p>a</p><h1>b</h1><p>c</p><h2>d</h2>"), "html")
    assert [[block.text for block in section] for section in cut] == [["a"], ["b", "c"], ["d"]]


def page(*texts: str) -> list[Block]:
    return blocks("".join(f"<{tag}>{text}</{tag}>" for tag, text in (t.split(":") for t in texts)))


def test_pages_join_where_their_structure_is_the_same() -> None:
    counts: Counter[str] = Counter()
    source = {
        ("b", 1): page("h1:Titre", "p:Un mot", "p:OK", "p:Éléments  OK."),
        ("a", 1): page("p:un", "h1:Deux", "p:trois", "h1:quatre", "p:cinq"),
        ("c", 1): page("h1:Un", "p:deux"),
        ("d", 1): page("p:seul"),
        ("e", 1): [],
        ("f", 1): page("p:", "p:un", "p:deux", "p:"),
    }
    target = {
        ("b", 1): page("h1:Title", "p:A word", "p:OK", "p:éléments - OK"),
        ("a", 1): page("p:one", "h1:Two", "p:three", "p:more", "h1:four", "p:five"),
        ("c", 1): page("h2:One", "p:two"),
        ("e", 1): [],
        ("f", 1): page("p:one", "p:", "p:", "p:"),
    }
    pairs = join_pages(source, target, "html", counts)
    assert [(pair.document, pair.source, pair.target) for pair in pairs] == [
        ("a", "un", "one"),
        ("a", "quatre", "four"),
        ("a", "cinq", "five"),
        ("b", "Titre", "Title"),
        ("b", "Un mot", "A word"),
    ]
    assert counts == {
        "source_pages": 6,
        "target_pages": 5,
        "pages_missing": 1,
        "pages_empty": 1,
        "sections_differing": 3,
        "blocks_differing": 4,
        "blocks_unknown": 0,
        "without_source": 1,
        "without_target": 2,
        "untranslated": 2,
        "joined": 5,
    }


def test_long_texts_with_the_same_words_are_untranslated() -> None:
    text = "After all files have been made, follow {} and copy them to their places."
    counts: Counter[str] = Counter()
    for one, other, joined in (
        (text.format("section 2, « Clés »"), text.format("section 2, “Keys”"), 0),
        ("Proxys Squid, Apache, Samba", "Proxies Squid, Apache, Samba", 1),
        ("8, 1, 2, 7, 6, 3, 4 : un livret", "8, 1, 2, 7, 6, 3, 4: a booklet", 1),
    ):
        counts.clear()
        join_pages({("a", 1): page(f"p:{one}".replace(": ", " "))},
                   {("a", 1): page(f"p:{other}".replace(": ", " "))}, "html", counts)  # fmt: skip
        assert counts["joined"] == joined


@pytest.mark.parametrize("threads", [1, 2])
def test_a_corpus_of_pages(
    make_deb: object, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data/raw/docs").mkdir(parents=True)
    files = {}
    for name, words in (("fr", "le mot numéro"), ("C", "the word number")):
        for number in range(9):
            html = f"<page><title>{words} {number}</title><p>{words} {number} là</p></page>"
            files[f"./usr/share/help/{name}/x/p{number}.page"] = html.encode()
    make_deb(files, name="data/raw/docs/docs.deb")  # type: ignore[operator]
    entry = {
        "kind": "apt",
        "languages": {"fr": "French", "en": "English"},
        "packages": {"fr": "docs", "en": "docs"},
        "format": {
            "kind": "pages",
            "markup": "mallard",
            "paths": ["usr/share/help/{language}/x/{page}.page"],
            "names": {"en": "C"},
        },
    }
    corpus = read_corpora({"docs": entry})["docs"]
    split = SplitSettings(test=4, min_tokens=1)
    counters = (len, len)
    extraction = Extraction("docs", corpus, ("fr", "en"), split, counters, threads=threads)
    bitext = extraction.bitext(["train", "test"])
    assert (len(bitext.parts["train"]), len(bitext.parts["test"])) == (14, 4)
    assert bitext.counts["joined"] == 18
    texts = [f"le mot numéro {n}{end}" for n in range(9) for end in ("", " là")]
    assert list(text_of("docs", corpus, "fr", threads)) == texts
    monkeypatch.setitem(entry["format"], "names", {"en": "en_US"})  # type: ignore[arg-type]
    corpus = read_corpora({"docs": entry})["docs"]
    with pytest.raises(InputError, match=r"docs.deb: no page of language 'en' \(see format.paths"):
        list(text_of("docs", corpus, "en", threads))
    entry["format"]["paths"] = ["x/{language}.page"]  # type: ignore[index]
    with pytest.raises(InputError, match=r"docs.format.paths.0: .* does not have the form"):
        read_corpora({"docs": entry})


def test_faulty_sections_of_html_are_comments() -> None:
    page = b"<p>before</p><![ x><p>between</p><![nothing[x]]><p>after</p>"
    texts = [block.text for block in page_blocks(page, "html", "a.html")]
    assert texts == ["before", "between", "after"]


@pytest.mark.parametrize("split", [False, True])
def test_pages_of_one_name_in_two_paths(split: bool, tmp_path: Path) -> None:
    for language, one, other in (("fr", "Un texte", "Deux textes"), ("en", "A text", "Two texts")):
        for folder, text in (("user", one), ("admin", other)):
            place = tmp_path / folder / language
            place.mkdir(parents=True)
            (place / "index.html").write_text(f"<p>{text}</p>", encoding="utf-8")
    options = PagesFormat(
        kind="pages",
        markup="html",
        paths=("user/{language}/{page}.html", "admin/{language}/{page}.html"),
        sentences=split,
    )
    file = TextFile(tmp_path)
    pairs = list(PAGES.pairs(options, PartFiles(file, (file,)), ("fr", "en"), Counter()))
    assert pairs == [
        SentencePair("index", "Un texte", "A text"),
        SentencePair("index", "Deux textes", "Two texts"),
    ]
    assert sorted(PAGES.texts(options, file, "fr")) == ["Deux textes", "Un texte"]


@pytest.mark.parametrize("encoding", ["ISO-2022-JP", "iso-2022-kr", "hz-gb-2312"])
def test_encodings_of_html_whose_bytes_are_ascii(encoding: str) -> None:
    text = "\u4e2d\u6587"
    html = f'<meta charset="{encoding}"><p>{text}</p>'
    assert [block.text for block in page_blocks(html.encode(encoding), "html", "page")] == [text]
    # Of pages that name another encoding than theirs, those in UTF-8 are read.
    assert [block.text for block in page_blocks(html.encode(), "html", "page")] == [text]
