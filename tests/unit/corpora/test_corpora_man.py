"""Manual pages: their blocks, and what joins."""

from collections import Counter
from pathlib import Path

import pytest

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


def test_link_without_a_text_and_headings_on_the_next_line() -> None:
    page = ".SH\nA title\nSee\n.UR https://a.invalid\n.UE .\n"
    assert [block.text for block in blocks(page)] == ["A title", "See https://a.invalid."]


def test_mdoc_and_links_have_no_text() -> None:
    assert blocks(".Dd May 1\n.Sh NAME\n.Nm knit\n") == []
    assert blocks(".so man1/knit.1\n") == []


def test_conditions_are_those_of_terminals_and_printers() -> None:
    page = (
        r""".if n .ad l
.SH KNIT
.if n \{\
Wool is
.\}
.if t warm.
.if !n cold.
.ie \n(zZ=1 \{\
a sheep
.if t and a goat
.\}
.el\{\
And soft.
\}
.ie n .IP """
        "wool"
        """
.el .IP wool
Of a sheep.
"""
    )
    assert [block.text for block in blocks(page)] == [
        "KNIT",
        "Wool is warm. And soft.",
        "wool",
        "Of a sheep.",
    ]


@pytest.mark.parametrize("opening", [".TS", ".nf", ".EX", r".ie \n(.g \{"])
def test_a_heading_ends_what_is_not_closed(opening: str) -> None:
    page = f".SH KNIT\nWool.\n{opening}\nx\n.SH PURL\nMore wool.\n"
    texts = [block.text for block in blocks(page)]
    assert texts[:2] == ["KNIT", "Wool."]
    assert texts[-2:] == ["PURL", "More wool."]


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
