"""sgm as NIST and WMT write it, and as it goes wrong."""

from collections import Counter
from pathlib import Path

import pytest

from nlmt.corpora import SentencePair
from nlmt.corpora.readers.sgm import SGM, SgmFormat, read_sgm
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError

SOURCE = """\ufeff<srcset setid="news" srclang="any">\r
<doc sysid="ref" docid="one" genre="news" origlang="en">\r
<p>\r
<seg id="1">Un &amp; deux &lt;3 &#233;t&#xe9; R&D &#0;</seg>\r
<seg id="2">  Trois
quatre </seg>\r
</p>\r
</doc>\r
<DOC docid='two'><hl><seg id=1>Titre\u00a0!</seg></hl><seg id="2"></seg></DOC>\r
</srcset>
"""
REFERENCE = """<refset setid="news" srclang="any" trglang="en">
<doc sysid="ref" docid="two">
<seg id="2">empty</seg>
<seg id="1">Title!</seg>
</doc>
<doc sysid="ref" docid="one"><seg id="1">One & two</seg><seg id="2">Three four</seg></doc>
</refset>
"""


def file(folder: Path, name: str, content: str) -> TextFile:
    (folder / name).write_text(content, encoding="utf-8", newline="")
    return TextFile(folder / name)


def pairs(
    source: TextFile, *references: TextFile, names: tuple[str, ...] = ()
) -> tuple[list[SentencePair], Counter[str]]:
    counts: Counter[str] = Counter()
    options = SgmFormat(kind="sgm", references=names)
    files = PartFiles(source, references)
    found = list(SGM.pairs(options, files, ("fr", "en"), counts))
    assert all(len(pair.references) == SGM.references(options, files) - 1 for pair in found)
    return found, counts


def test_segments_join_by_document_and_number(tmp_path: Path) -> None:
    source = file(tmp_path, "src.sgm", SOURCE)
    found, counts = pairs(source, file(tmp_path, "ref.sgm", REFERENCE))
    assert found == [
        SentencePair("one", "Un & deux <3 été R&D &#0;", "One & two"),
        SentencePair("one", "Trois quatre", "Three four"),
        SentencePair("two", "Titre\u00a0!", "Title!"),
    ]
    assert counts == {"empty": 1}
    assert len(list(SGM.texts(SgmFormat(kind="sgm"), source, "fr"))) == 3


def test_several_references_in_files_of_their_own(tmp_path: Path) -> None:
    source = file(tmp_path, "src.sgm", SOURCE)
    one = file(tmp_path, "ref1.sgm", REFERENCE)
    other = file(tmp_path, "ref2.sgm", REFERENCE.replace("Title", "Heading"))
    found, _ = pairs(source, one, other)
    assert (found[2].target, found[2].references) == ("Title!", ("Heading!",))


def test_several_references_in_one_file(tmp_path: Path) -> None:
    source = file(tmp_path, "src.sgm", SOURCE)
    other = REFERENCE.replace("Title", "Heading").replace('"ref"', '"b"')
    both = file(tmp_path, "ref.sgm", REFERENCE.replace('"ref"', '"a"') + other)
    found, _ = pairs(source, both, names=("b", "a"))
    assert found[2].texts() == ("Titre\u00a0!", "Heading!", "Title!")
    with pytest.raises(InputError, match=r"several references, a, b \(name those"):
        pairs(source, both)
    with pytest.raises(InputError, match=r"no reference 'c' \(it has a, b\)"):
        pairs(source, both, names=("c",))
    with pytest.raises(InputError, match="references are named in the format and also files"):
        pairs(source, both, both, names=("a", "b"))


def test_sets_that_name_their_author(tmp_path: Path) -> None:
    document = '<doc docid="d"><seg id="1"><![CDATA[un & <b>]]> &amp; {}</seg></doc>'
    sets = "".join(
        f'<{kind}set {key}="{name}">{document.format(name)}</{kind}set>\n'
        for kind, key, name in (("ref", "refid", "A"), ("ref", "refid", "B"), ("tst", "sysid", "s"))
    )
    content = f'<?xml version="1.0"?>\n<mteval>{sets}</mteval>'
    assert read_sgm(file(tmp_path, "all.xml", content)) == {
        name: {("d", "1"): f"un & <b> & {name}"} for name in "ABs"
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<seg id="2">Three four</seg>', "", r"ref.sgm: no segment 2 of document 'one'"),
        ('docid="two"', 'docid="zwei"', r"ref.sgm: no segment 1 of document 'two'"),
        ("</refset>", '<doc docid="x"><seg id="1">x</seg></doc></refset>', r"several references"),
        ("Title!</seg>", 'x</seg><seg id="3">y</seg>', r"src.sgm: no segment 3 of document 'two'"),
        ("</seg>\n</doc>", "\n</doc>", r"ref.sgm:5: </doc> closes what is not open"),
        ("</refset>", "", r"ref.sgm:8: <refset> is not closed: truncated\?"),
        ('<seg id="2">e', '<seg id="1">e', r"ref.sgm:4: segment 1 of document 'two' comes twice"),
        ('<seg id="2">e', "<seg>e", r"ref.sgm:3: <seg> without an id"),
        ("empty</seg>", 'empty<seg id="9">', r"ref.sgm:3: <seg> outside of a document, or within"),
    ],
)  # fmt: skip
def test_faults(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in REFERENCE
    source = file(tmp_path, "src.sgm", SOURCE)
    with pytest.raises(InputError, match=message):
        pairs(source, file(tmp_path, "ref.sgm", REFERENCE.replace(old, new, 1)))


def test_what_is_no_sgm(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no segment in this file"):
        read_sgm(file(tmp_path, "a.sgm", "one\ntwo\n"))
    (tmp_path / "b.sgm").write_bytes(b"<doc>\xe9")
    with pytest.raises(InputError, match=r"b.sgm:1: not UTF-8"):
        read_sgm(TextFile(tmp_path / "b.sgm"))


def test_what_is_too_long_to_be_read_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = file(tmp_path, "src.sgm", '<doc docid="one"><seg id="1">A</seg></doc>\n')
    monkeypatch.setattr("nlmt.corpora.lines._MOST", 43)
    assert read_sgm(source) == {"": {("one", "1"): "A"}}
    monkeypatch.setattr("nlmt.corpora.lines._MOST", 42)
    with pytest.raises(InputError, match=r"src.sgm: more than 42 characters, too many"):
        read_sgm(source)


def test_empty_elements(tmp_path: Path) -> None:
    source = '<srcset><doc docid="one"><seg id="1">A</seg>\n<seg id="2"/><seg id=3 />\n'
    source += '<seg id="4">D</seg></doc><doc docid="two"/></srcset>'
    reference = (
        source.replace("srcset", "refset").replace("A", "a").replace('id="2"/', 'id="2">x</seg')
    )
    found, counts = pairs(
        file(tmp_path, "src.sgm", source),
        file(tmp_path, "ref.sgm", reference.replace("<seg id=3 />", '<seg id="3">\u2067</seg>')),
    )
    assert found == [SentencePair("one", "A", "a"), SentencePair("one", "D", "D")]
    assert counts == {"empty": 2}
