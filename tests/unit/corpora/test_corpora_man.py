"""Manual pages: their blocks, and what joins."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmt.corpora.block import Block
from nlmt.corpora.page_blocks import page_blocks
from nlmt.corpora.readers.pages import PAGES, PagesFormat
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError

ENGLISH = r""".\" A comment
.de XX
.ft B
..
.TH knit 1 2024-01-01
.SH NAME
knit \- make a \(lqscarf\(rq
.SH SYNOPSIS
.nf
.B knit \-\-wool
.fi
.SH DESCRIPTION
.B knit
reads
.IR pattern (5),
.\" another
then it
.BR stops .
It is \s-1FAST\s0.
.PP
.TP
.BR \-w ", " \-\-wool \c
=\fIcolour\fP
Of this colour (see
.UR https://wool.invalid
the shop
.UE ).
.IP \(bu 2
An item\
 goes on.
.RS
.sp
Within.
.RE
.TS
a	b
.TE
.SS Files
"""
FRENCH = r""".TH knit 1 2024-01-01
.SH NOM
knit \- faire une «\ écharpe\ »
.SH SYNOPSIS
.nf
\fBknit \-\-wool\fP
.fi
.SH DESCRIPTION
\fBknit\fP lit \fIpattern\fP(5), puis s'\fBarrête\fP. Il est rapide.
.PP
.TP
\fB\-w\fP, \fB\-\-wool\fP=\fIcouleur\fP
De cette couleur (voir
.UR https://wool.invalid
la boutique
.UE ).
.IP \(bu 2
Un article continue.
.RS
.sp
Dedans.
.RE
.TS
a	b
.TE
.SS Fichiers
.SH TRADUCTION
Par quelqu'un.
"""


def blocks(page: str) -> list[Block]:
    return page_blocks(page.encode(), "man", "page")


def test_blocks() -> None:
    assert [(block.element, block.text) for block in blocks(ENGLISH)] == [
        ("SH", "NAME"),
        ("PP", "knit - make a \u201cscarf\u201d"),
        ("SH", "SYNOPSIS"),
        ("nf", ""),
        ("SH", "DESCRIPTION"),
        ("PP", "knit reads pattern(5), then it stops. It is FAST."),
        ("tag", "-w, --wool=colour"),
        ("TP", "Of this colour (see the shop)."),
        ("tag", "\u2022"),
        ("IP", "An item goes on."),
        ("RS", ""),
        ("sp", "Within."),
        ("RE", ""),
        ("TS", ""),
        ("SS", "Files"),
    ]


def test_the_last_line_may_end_in_a_backslash() -> None:
    assert [block.text for block in blocks(".SH KNIT\nA scarf\nof wool\\")] == [
        "KNIT",
        "A scarf of wool",
    ]


def test_control_characters_are_no_text() -> None:
    page = ".SH KNIT\n.PP\n\b\n.PP\nA\b\x7f scarf\n\x1b\nof wool\x85\n"
    assert [block.text for block in blocks(page)] == ["KNIT", "A scarf of wool"]


def test_link_without_a_text_and_headings_on_the_next_line() -> None:
    page = ".SH\nA title\nSee\n.UR https://a.invalid\n.UE .\n"
    assert [block.text for block in blocks(page)] == ["A title", "See https://a.invalid."]


@pytest.mark.parametrize("font", ["B", "I", "SM", "SB"])
def test_font_macros_without_an_argument_are_for_the_next_line(font: str) -> None:
    page = rf""".SH
.{font}
KNIT
Take
.{font}
wool, wa\c
.{font}
rm.
.TP
.{font} \" a comment
\-w
Of wool.
.TP
.{font} ""
No tag.
"""
    assert [block.text for block in blocks(page)] == [
        *("KNIT", "Take wool, warm."),
        *("-w", "Of wool."),
        *("", "No tag."),
    ]


def test_mdoc_and_links_have_no_text() -> None:
    assert blocks(".Dd May 1\n.Sh NAME\n.Nm knit\n") == []
    assert blocks(".so man1/knit.1\n") == []


def test_references_to_pages_and_definitions_that_name_their_ends() -> None:
    page = """.SH KNIT
See
.de XX END
no
..
.SH NO
.END
.MR purl 1 ,
.ig YY
no
..
no
.YY
and
.MR rib
"""
    assert [block.text for block in blocks(page)] == ["KNIT", "See purl(1), and rib"]


def test_conditions_are_those_of_printers() -> None:
    page = r""".if n .ad l
.SH KNIT
.if n \{\
Wool was
.\}
.if t Wool is
.if !t cold.
.if !n warm.
.ie \n(zZ=1 \{\
a sheep
.if t and a goat
.ie n one
.el two
.\}
.el\{\
And soft.
.ie \n(.g \{\
.ie n Not long.
.el Long.
.\}
.el Rough.
\}
.ie n .IP "Wool"
.el .IP wool
Of a sheep.
.Vb 2
\&        knit(wool)
.Ve
For a scarf.
"""
    assert [block.text for block in blocks(page)] == [
        "KNIT",
        "Wool is warm. And soft. Long.",
        "wool",
        "Of a sheep.",
        "",
        "For a scarf.",
    ]


def test_one_line_may_end_several_conditions() -> None:
    page = ".SH KNIT\n.if t \\{\n.if n \\{\nCold.\n.\\}\\}\nWarm.\n"
    assert [block.text for block in blocks(page)] == ["KNIT", "Warm."]


def test_lines_may_end_as_on_windows() -> None:
    assert blocks(ENGLISH.replace("\n", "\r\n")) == blocks(ENGLISH)


@pytest.mark.parametrize("opening", [".TS", ".nf", ".EX", r".ie n \{"])
def test_a_heading_ends_what_is_not_closed(opening: str) -> None:
    page = f".SH KNIT\nWool.\n{opening}\nx\n.SH PURL\nMore wool.\n"
    texts = [block.text for block in blocks(page)]
    assert texts[:2] == ["KNIT", "Wool."]
    assert texts[-2:] == ["PURL", "More wool."]


# What groff -man -Kutf8 -Tutf8 prints, but for the quotation marks of a terminal.
@pytest.mark.parametrize(
    ("written", "text"),
    [
        (
            r"v\('erifier, f\(:ur, manipula\(,c\(~ao, d\(^ot, \(oA, \(vs",
            "vérifier, für, manipulação, dôt, Å, š",
        ),
        (r"\(oe \(/l \(Po \(*a\(*W \(14 \[integral] \[Bq]", "œ ł £ αΩ ¼ ∫ „"),
        (r"\[char233]\N'233'\[u0065_0301]\[u00E9]\[e aa]\[S ,]", "éééééŞ"),
        (r"\o'e\(aa' \o'\(:a' \o'~n' \C'em'", None),
        (r"\o'e\(aa'\o'~n'\o'e\''\C'em'", "éñé—"),
        (r"\s'+2'A\s0\s10B\s+(12C\s[-1]D", "ABCD"),
        (r"a\h'-1p'\v'.1v'b\h'.4n'c\kxd\:e\%f\/g\,h", "abcdefgh"),
        (r"\h'.6n'b\h'0.1i'c\h|1n|d\X'tty: link'e\R'x 1'f", " b c def"),
        (r'\C"em"\N|65|\o"e\(aa"\v"1"\x|2|', "—Aé"),
        (r"\fIx\fP\f[CB]y\f(BIz\m[red]\M[blue]", "xyz"),
        (r"\*(lqx\*[rq] \*R", "“x” ®"),
        (r"\[-]x", "-x"),
        (r"\[nonsense]", None),
        (r"\[a]", None),
        (r"\[e a]", None),
        (r"\[e ff]", None),
        (r"\( aber", None),
        (r"\*(nd", None),
        (r"\n[step]", None),
        (r"\[uD800]", None),
        (r"\[u110000]", None),
        (r"\[u000A]", None),
        (r"\N'0'", None),
        (r"\Z'b'c", None),
        (r"\b'xyz'", None),
        (r"\A'b'", None),
        (r"\B|12|", None),
        (r"\w'b'", None),
        (r"\D'l 1 0'", None),
        (r"\l'3x'", None),
        (r"\L'1'", None),
        (r"\h'-1'b", None),
        (r"\h'\w'b'u'c", None),
        (r"\v'\w'b'u'c", None),
        (r"\h'1", None),
        (r"\o'\o|e|'", None),
        (r"\zbc", None),
        (r"\?b?", None),
        (r"\$1", None),
        (r"\V[HOME]", None),
        (r"\gx", None),
        (r"\O0", None),
    ],
)
def test_escapes(written: str, text: str | None) -> None:
    [_, block] = blocks(f".SH KNIT\na{written}\nz\n")
    assert block.text == ("" if text is None else f"a{text} z")
    assert bool(block.unknown) == (text is None)


@given(
    st.text(r"aeo-,' \(*[]", max_size=2),
    st.sampled_from(["[e {}]", "[{}]", "C'{}'", "o'{}'", "({}"]),
)
def test_all_escapes_are_read_or_named(name: str, escape: str) -> None:
    [_, block] = blocks(f".SH KNIT\na\\{escape.format(name)}\nz\n")
    assert bool(block.text) != bool(block.unknown)


def test_strings_of_a_page() -> None:
    page = r""".ie \n(.g .ds Aq \(aq
.el       .ds Aq '
.ds ae \fIexpr\fR
.ds C+ C\v'-.1v'\h'-1p'\s-2+\h'-1p'+\s0\v'.1v'\h'-1p'
.ds q "  a ""b""
.SH KNIT
.B "d\*(Aqune \*(ae" \*(C+
\*q
"""
    assert [block.text for block in blocks(page)] == [
        "KNIT",
        'd\'une expr C++ a ""b""',
    ]


def test_strings_of_pod() -> None:
    page = r""".\" Automatically generated by Pod::Man 4.14
.if n \{\
.    ds ' \&
.    ds L" ""
.\}
.SH "See \*(L"knit\*(R" \*(-- caf\*(C`e\*'\*(C'"
"""
    assert [block.text for block in blocks(page)] == ["See “knit” — café"]


def test_blocks_with_unknown_characters_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = write_pages(tmp_path, FRENCH.replace("Dedans", r"De\[knot]dans"))
    pairs, counts = joined(files, sentences=False)
    assert "Within." not in [target for _, target in pairs]
    assert counts["blocks_unknown"] == 1
    assert "1 blocks with unknown characters, macros" in caplog.text
    assert "left out: \\[knot]" in caplog.text


def test_blocks_with_unknown_macros_are_without_text_and_named() -> None:
    page = ".CW x\n.SH KNIT\nTake\n.CW wool\n.hy 0\nnow.\n.Sp\n.PP\n.RS\n.CW Wool\nis soft.\n.RE\n"
    found = blocks(page + ".PP\n.CW Wool\n.PP\nTake more.\n.TP\n.CW \\-w\nOf wool.\n")
    assert [(block.text, block.unknown) for block in found if block.element[0] != "R"] == [
        ("KNIT", ""),
        ("", ".CW"),
        ("", ".CW"),
        ("", ".CW"),
        ("Take more.", ""),
        ("", ".CW"),
        ("Of wool.", ""),
    ]


def test_macros_that_the_page_defines_are_read() -> None:
    page = r"""
.de q
\\$3\*(lq\\$1\*(rq\\$2
..
.de1 INDENT
.\" what follows
. RS \\$1
..
.de both
\\$* or
.q "\\$1" ,
..
.am both STOP
.ig
no
..
.STOP
.SH KNIT
Take
.q wool ; "the best "
.INDENT 7.0
.both soft warm
not hard.
"""
    found = [(block.element, block.text) for block in blocks(page)]
    texts = [("PP", "Take the best “wool”;"), ("RS", ""), ("PP", "soft warm or “soft”, not hard.")]
    assert found == [("SH", "KNIT"), *texts]


TWENTY = 20 * r"\\$1"  # arguments


@pytest.mark.parametrize(
    "macros",
    [
        ".de a\n.a x\n.a x\n..\n",
        ".de a\n.am a STOP\n.a x\n.STOP\n.a x\n..\n",
        "".join(f".de a{n}\n.a{n + 1} {TWENTY}\n..\n" for n in range(12)) + ".de a\n.a0 long\n..\n",
    ],
)
def test_endless_macros_end(macros: str) -> None:
    found = blocks(f"{macros}.SH KNIT\n.PP\nTake\n.a x\n.PP\nwool.\n")
    assert (found[1].text, found[-1].text) == ("", "wool.")
    assert found[1].unknown.startswith(".a")


def write_pages(root: Path, french: str) -> PartFiles:
    for folder, text in (("man/man1", ENGLISH), ("man/fr/man1", french)):
        (root / folder).mkdir(parents=True)
        (root / folder / "knit.1").write_text(text, encoding="utf-8")
    return PartFiles(TextFile(root), (TextFile(root),))


def joined(files: PartFiles, *, sentences: bool) -> tuple[list[tuple[str, str]], Counter[str]]:
    options = PagesFormat(
        kind="pages",
        markup="man",
        paths=("{language}/man1/{page}.1",),
        names={"en": "man", "fr": "man/fr"},
        sentences=sentences,
    )
    counts: Counter[str] = Counter()
    pairs = PAGES.pairs(options, files, ("fr", "en"), counts)
    return [(pair.source, pair.target) for pair in pairs], counts


def test_a_page_joins_without_its_translators(tmp_path: Path) -> None:
    pairs, counts = joined(write_pages(tmp_path, FRENCH), sentences=False)
    assert pairs[:2] == [
        ("NOM", "NAME"),
        ("knit - faire une «\u00a0écharpe\u00a0»", "knit - make a \u201cscarf\u201d"),
    ]
    assert ("Un article continue.", "An item goes on.") in pairs
    assert ("Dedans.", "Within.") in pairs
    assert not any("quelqu'un" in source for source, _ in pairs)
    assert counts["sections_differing"] == 0
    assert counts["joined"] == len(pairs) == 8
    assert counts["untranslated"] == 3  # SYNOPSIS, DESCRIPTION and the bullet


def test_sentences_of_paragraphs_with_as_many(tmp_path: Path) -> None:
    pairs, counts = joined(write_pages(tmp_path, FRENCH), sentences=True)
    assert counts["joined"] == len(pairs)
    assert ("Il est rapide.", "It is FAST.") in pairs
    assert len(pairs) == 9


def test_a_page_with_other_macros_is_left_out(tmp_path: Path) -> None:
    other = FRENCH.replace(".SS Fichiers\n", "")
    pairs, counts = joined(write_pages(tmp_path, other), sentences=False)
    assert pairs == []
    assert counts["sections_differing"] > 0


def test_compressed_pages_are_read_and_damaged_ones_named(tmp_path: Path) -> None:
    files = write_pages(tmp_path, FRENCH)
    (tmp_path / "man/man1/purl.1.gz").write_bytes(b"\x1f\x8bnot gzip")
    options = PagesFormat(kind="pages", markup="man", paths=("man/man1/{page}.1.gz",))
    with pytest.raises(InputError, match=r"purl\.1\.gz: damaged or truncated"):
        list(PAGES.texts(options, files.source, "en"))
