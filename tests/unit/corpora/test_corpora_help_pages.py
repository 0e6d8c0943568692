import pytest

from nlmt.corpora.readers.libreoffice_help import extract_help, parse_page
from nlmt.errors import InputError


def texts(html: str, page: str = "shared/01/a") -> list[str]:
    return [paragraph.text for paragraph in parse_page(page, html)]


def one(html: str, page: str = "shared/01/a") -> str:
    (text,) = texts(f'<p id="par_id1">{html}</p>', page)
    return text


def switch(*cases: tuple[str, str], kind: str = "switchinline") -> str:
    spans = "".join(
        f'<span hidden="true" id="default{n}">{text}</span>'
        if case == "default"
        else f'<span hidden="true" id="{case}{n}" class="{case}">{text}</span>'
        for n, (case, text) in enumerate(cases)
    )
    return f'<span id="sw1" class="{kind}">{spans}</span>'


def test_inline_markup_goes_and_spaces_stay():
    assert one('Click <span class="emph">OK</span>, then <a href="x">close</a>.') == (
        "Click OK, then close."
    )
    assert one("x<sup>2</sup> and H<sub>2</sub>O") == "x2 and H2O"
    assert one("first<br>second\n   line <img src='a.png' alt='icon'>end") == (
        "first second line end"
    )
    assert one("<a name='x'></a>Open<span> the</span> file") == "Open the file"


def test_entities_are_decoded_and_no_break_spaces_stay():
    assert one("a &lt; b &amp;&amp; c &#233; &eacute; Valeur&nbsp;: 1") == (
        "a < b && c é é Valeur\u00a0: 1"
    )


def test_a_switch_by_system_shows_what_unix_shows():
    mac = '<span class="emph">LibreOffice - Preferences</span>'
    other = '<span class="emph">Tools - Options</span>'
    assert one(f"Choose {switch(('MAC', mac), ('default', other))} - View.") == (
        "Choose Tools - Options - View."
    )
    assert one(switch(("MAC", "m"), ("WIN", "w"), ("UNIX", "u"), ("default", "d"))) == "u"
    assert one(switch(("WIN", "w"), ("default", "d"))) == "d"
    assert one("in " + switch(("WIN", "windows"))) == "in windows"


def test_a_switch_by_program_shows_the_page_s_own():
    cases = switch(("CALC", "sheet"), ("WRITER", "text"), ("default", "document"))
    assert one(cases, "scalc/guide/a") == "sheet"
    assert one(cases, "swriter/guide/a") == "text"
    assert one(cases, "shared/guide/a") == "document"
    assert one(switch(("CALC", "sheet"), ("WRITER", "text"))) == "text"


def test_nested_switches():
    inner = switch(("MAC", "Command"), ("default", "Ctrl"))
    html = f"Press {switch(('CALC', inner + '+1'), ('default', inner + '+2'))}!"
    assert one(html, "scalc/a") == "Press Ctrl+1!"
    assert one(html) == "Press Ctrl+2!"


def test_whole_paragraphs_in_switches():
    def block(case):
        return (case, f'<p id="par_{case}">{case} text</p>')

    systems = switch(block("MAC"), block("WIN"), block("default"), kind="switch")
    programs = switch(block("WRITER"), block("CALC"), kind="switch")
    assert texts(systems) == ["default text"]
    assert texts(programs) == ["WRITER text", "CALC text"]


def test_only_identified_paragraphs_count_and_each_id_once():
    html = """<html><head><title>T</title></head><body>
      <header><p id="par_head">head</p></header>
      <h1 id="hd_id1">Title</h1><p>no id</p><p id="bm_id3">mark</p><p id="par_id2"> </p>
      <div class="embedded"><p id="par_id4">first</p></div><p id="par_id4">again</p>
      <pre><code><p id="par_code">x = 1</p></code></pre><script>var a = "<p id='par_s'>";</script>
      <table><tr><td><p id="par_id5">cell</p></td></tr></table>
      <footer><p id="par_foot">foot</p></footer></body></html>"""
    found = parse_page("a", html)
    assert [(paragraph.element, paragraph.text) for paragraph in found] == [
        ("hd_id1", "Title"),
        ("par_id4", "first"),
        ("par_id5", "cell"),
    ]


def test_broken_nesting_loses_nothing():
    assert sorted(texts('<p id="par_1">one <span>two<p id="par_2">three</p>')) == [
        "one two",
        "three",
    ]
    assert texts('</div></span><p id="par_1">one</b></p>') == ["one"]


def test_pages_are_sorted_and_others_left_out(make_help, make_deb):
    path = make_help("fr", {"z/b": '<p id="par_1">deux</p>', "a/c": '<p id="par_1">un</p>'})
    assert [(p.page, p.text) for p in extract_help(path, "fr")] == [("a/c", "un"), ("z/b", "deux")]
    with pytest.raises(InputError, match="no page of the LibreOffice help"):
        extract_help(make_deb({"./usr/share/doc/a.html": b"<p>"}), "fr")
    with pytest.raises(InputError, match="not UTF-8"):
        extract_help(make_deb({"./usr/share/libreoffice/help/fr/text/a.html": b"\xe9"}), "fr")


def test_pages_are_of_the_language(make_deb):
    pages = {code: f'<p id="par_1">{code}</p>'.encode() for code in ("de", "pt", "pt-BR", "zh-CN")}
    folder = "./usr/share/libreoffice/help"
    path = make_deb({f"{folder}/{code}/text/a.html": page for code, page in pages.items()})
    assert [p.text for p in extract_help(path, "zh")] == ["zh-CN"]
    with pytest.raises(InputError, match="the page a in several variants of pt"):
        extract_help(path, "pt")
    with pytest.raises(InputError, match=r"fr.deb: no text in 'fr' \(its languages are de, pt, zh"):
        extract_help(path, "fr")
