"""TMX and WMT's XML; no entity is ever put in."""

import io
import random
from collections import Counter
from pathlib import Path

import pytest
from sacrebleu.dataset.wmt_xml import WMTXMLDataset

from nlmt.corpora import SentencePair
from nlmt.corpora.readers.tmx import TMX, TmxFormat
from nlmt.corpora.readers.wmt_xml import WMT_XML, WmtXmlFormat
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.corpora.xml_events import xml_events
from nlmt.errors import InputError

UNITS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"><note>text</note></header><body>
<tu><tuv xml:lang="en-GB"><seg>Click <bpt i="1">&lt;b></bpt>OK<ept i="1">&lt;/b></ept>,
 then <hi>close</hi>.</seg></tuv><tuv xml:lang="FR"><seg>Cliquez sur OK&#160;!</seg></tuv></tu>
<tu><tuv lang="fr"><seg>seul</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>one</seg></tuv><tuv xml:lang="de"><seg>eins</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>caf&eacute;</seg></tuv><tuv xml:lang="fr"><seg>café</seg></tuv></tu>
</body></tmx>
"""


def write(folder: Path, content: str) -> TextFile:
    path = folder / "a.xml"
    path.write_text(content, encoding="utf-8")
    return TextFile(path)


def test_translation_units(tmp_path: Path) -> None:
    file = write(tmp_path, UNITS)
    counts: Counter[str] = Counter()
    options = TmxFormat(kind="tmx")
    found = list(TMX.pairs(options, PartFiles(file, (file,)), ("fr", "en"), counts))
    assert found == [
        SentencePair("000000000000", "Cliquez sur OK\u00a0!", "Click OK, then close."),
        SentencePair("000000000003", "café", "café"),
    ]
    assert counts == {"units": 4, "without_source": 1, "without_target": 1}
    assert list(TMX.texts(options, file, "de")) == ["eins"]


def test_units_in_capitals(tmp_path: Path) -> None:
    unit = '<TU><TUV XML:LANG="FR"><SEG>deux<PH TYPE="lb"/>mots</SEG></TUV></TU>'
    file = write(tmp_path, f"<TMX><BODY>{unit}</BODY></TMX>")
    assert list(TMX.texts(TmxFormat(kind="tmx"), file, "fr")) == ["deux mots"]


ENTITIES = "<!DOCTYPE tmx [<!ENTITY x {}>]>\n<tmx><body>&x;</body></tmx>"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ENTITIES.format('SYSTEM "file:///etc/passwd"'), r"a.xml:1: declares an entity"),
        (ENTITIES.format('"text"'), r"a.xml:1: declares an entity"),
        (ENTITIES.format('PUBLIC "x" "http://127.0.0.1/x"'), r"a.xml:1: declares an entity"),
        (
            '<!DOCTYPE tmx [<!ENTITY % x SYSTEM "http://127.0.0.1/x"> %x;]>\n<tmx/>',
            r"a.xml:1: declares an entity",
        ),
        (UNITS.replace("&eacute;", "&mine;"), r"a.xml:8: unknown entity &mine;"),
        ("<tmx>&nbsp;</tmx>", r"a.xml:1: not XML: undefined entity"),
        ("<tmx><body>", r"a.xml:1: not XML: no element found"),
        ("<tmx><body></tmx>", r"a.xml:1: not XML: mismatched tag"),
        ("<page/>", r"a.xml:1: not a TMX file"),
        ("one\ntwo\n", r"a.xml:1: not XML: syntax error"),
        (UNITS.replace("UTF-8", "UTF-80"), r"a.xml:1: unknown encoding: UTF-80 \(use UTF-8\)"),
        (UNITS.replace("UTF-8", "Big5"), r"a.xml:1: multi-byte encodings are not supported"),
    ],
)
def test_faulty_xml(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(TMX.texts(TmxFormat(kind="tmx"), write(tmp_path, content), "en"))


def test_the_other_encodings_of_xml(tmp_path: Path) -> None:
    path = tmp_path / "a.tmx"
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>'
    unit = '<tmx><tu><tuv lang="fr"><seg>été</seg></tuv></tu></tmx>'
    path.write_bytes((head + unit).encode("latin-1"))
    assert list(TMX.texts(TmxFormat(kind="tmx"), TextFile(path), "fr")) == ["été"]
    path.write_bytes(unit.encode("latin-1"))
    with pytest.raises(InputError, match=r"not XML: not well-formed \(invalid token\)"):
        list(TMX.texts(TmxFormat(kind="tmx"), TextFile(path), "fr"))


def test_long_documents_come_in_pieces() -> None:
    body = b"<tu>" + b"x" * 100 + b"</tu>"
    events = xml_events(io.BytesIO(b"<tmx>" + body * 10_000 + b"</tmx>"), "a")
    assert sum(event.kind == "start" for event in events) == 10_001


NEWS = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2021"><collection id="general">
<doc origlang="en" id="one">
  <src lang="en"><p><seg id="1">Good  morning</seg></p><p><seg id="2">Bye</seg></p></src>
  <ref lang="de" translator="A"><p><seg id="2">Tschüss</seg><seg id="1">Guten Morgen</seg></p></ref>
  <ref lang="de" translator="B"><p><seg id="1">Morgen</seg><seg id="2"/></p></ref>
  <hyp lang="de" system="x"><p><seg id="1">Guter Morgen</seg></p></hyp>
</doc></collection></dataset>
"""


def news(
    folder: Path, languages: tuple[str, str], names: tuple[str, ...], content: str = NEWS
) -> list[SentencePair]:
    file = write(folder, content)
    options = WmtXmlFormat(kind="wmt-xml", references=names)
    files = PartFiles(file, (file,))
    found = list(WMT_XML.pairs(options, files, languages, Counter()))
    assert all(len(pair.references) == WMT_XML.references(options, files) - 1 for pair in found)
    return found


def test_documents_with_sources_and_references(tmp_path: Path) -> None:
    assert news(tmp_path, ("en", "de"), ("A",)) == [
        SentencePair("one", "Good morning", "Guten Morgen"),
        SentencePair("one", "Bye", "Tschüss"),
    ]
    assert news(tmp_path, ("en", "de"), ("B", "A")) == [
        SentencePair("one", "Good morning", "Morgen", ("Guten Morgen",)),
        SentencePair("one", "Bye", "Tschüss", ("Tschüss",)),  # B has nothing
    ]
    partly = NEWS.replace('<seg id="2">Tschüss</seg>', "")
    assert len(news(tmp_path, ("en", "de"), ("A",), partly)) == 1
    suite = NEWS.replace("<doc ", '<doc testsuite="x" ')
    assert news(tmp_path, ("en", "de"), ("A",), suite) == []
    assert news(tmp_path, ("de", "en"), ("A",))[0] == SentencePair("one", "Tschüss", "Bye")


def test_segments_without_a_source_are_counted(tmp_path: Path) -> None:
    one = NEWS.replace('<seg id="2">Bye</seg>', "")
    another = '<doc id="two"><ref lang="de" translator="A"><p><seg id="1">Ja</seg></p></ref></doc>'
    file = write(tmp_path, one.replace("</collection>", f"{another}</collection>"))
    counts: Counter[str] = Counter()
    options = WmtXmlFormat(kind="wmt-xml", references=("A", "B"))
    found = list(WMT_XML.pairs(options, PartFiles(file, (file,)), ("en", "de"), counts))
    assert [pair.source for pair in found] == ["Good morning"]
    assert counts == {"empty": 0, "without_source": 2, "without_reference": 0}


@pytest.mark.parametrize(
    ("names", "old", "new", "message"),
    [
        ((), "", "", r":3: document 'one' has several references, A, B \(name"),
        (("C",), "", "", r": no reference by 'C' \(it has A, B\)"),
        (("A",), 'lang="de"', 'lang="fr"', r": no text in 'de' \(its languages are en, fr\)"),
        (("A",), ' id="2">Bye', ">Bye", r":4: <seg> without an id"),
        (("A",), ' id="2">Bye', ' id="1">Bye', r":4: segment 1 of document 'one' comes twice"),
    ],
)
def test_faulty_documents(
    tmp_path: Path, names: tuple[str, ...], old: str, new: str, message: str
) -> None:
    with pytest.raises(InputError, match=rf"a.xml{message}"):
        news(tmp_path, ("en", "de"), names, NEWS.replace(old, new))


@pytest.mark.parametrize("names", [("A",), ("", "A"), ("A", "B", "")])
def test_documents_with_some_references_are_read_as_by_sacrebleu(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    """SacreBLEU has an empty line where a reference is missing; we have the first one again."""
    rng = random.Random(len(names))  # noqa: S311
    content = ""
    for document in range(60):
        suite = rng.choice(["", "", 'testsuite="x"'])
        content += f'<doc id="{document}" origlang="en" {suite}>'
        content += '<src lang="en"><p><seg id="1">one</seg><seg id="2">two</seg></p></src>'
        for name in (name for name in ("", "A", "B", "C") if rng.random() < 0.5):
            translator = f'translator="{name}"' if name else ""
            content += f'<ref lang="de" {translator}><p>'
            for number in (number for number in (1, 2) if rng.random() < 0.8):
                text = rng.choice(["", f"{number} by {name or 'nobody'}"])
                content += f'<seg id="{number}">{text}</seg>' if text else f'<seg id="{number}"/>'
            content += "</p></ref>"
        content += "</doc>\n"
    content = f"<dataset>\n{content}</dataset>"
    found = news(tmp_path, ("en", "de"), tuple(name or "ref" for name in names), content)
    rows = WMTXMLDataset._unwrap_wmt21_or_later(io.BytesIO(content.encode()))
    expected = []
    fields = [f"ref:{name}" if name else "ref" for name in names]
    lines = zip(rows["docid"], rows["src"], *(rows[name] for name in fields), strict=True)
    for document, source, *references in lines:
        given = [reference for reference in references if reference]
        if given:
            given += [given[0]] * (len(names) - len(given))
            expected.append(SentencePair(document, source, given[0], tuple(given[1:])))
    assert found == expected
    assert len(found) > 10


def test_variants_and_breaks_of_units(tmp_path: Path) -> None:
    segments = [
        ("<seg/>", "<seg>Colour</seg>", "Colour"),
        ("<seg>\u200b</seg>", "<seg>Colour</seg>", "Colour"),
        ("<seg>First</seg>", "<seg>Second</seg>", "First"),
        ('<seg>File<ph type="lb">x</ph>Open</seg>', "", "File Open"),
        ('<seg>File<ph type="lb"/>Open</seg>', "", "File Open"),
        ("<seg>File<ph>&lt;br/></ph>Open</seg>", "", "File Open"),
        ("<seg>File<ut>{\\line }</ut>Open</seg>", "", "File Open"),
        ("<seg>File<ph>&#10;</ph>Open</seg>", "", "File Open"),
        ('<seg>s<ph type="image">&lt;i x="n"></ph>o</seg>', "", "so"),
        ('<seg><bpt i="1">&lt;b></bpt>s<ept i="1">&lt;/b></ept>o</seg>', "", "so"),
    ]
    units = "".join(
        f'<tu><tuv xml:lang="en-US">{one}</tuv><tuv xml:lang="en">{other}</tuv></tu>\n'
        for one, other, _ in segments
    )
    file = write(tmp_path, f"<tmx><body>{units}</body></tmx>")
    found = list(TMX.texts(TmxFormat(kind="tmx"), file, "en"))
    assert found == [expected for *_, expected in segments]


def test_languages_that_a_file_does_not_have(tmp_path: Path) -> None:
    file = write(tmp_path, UNITS)
    with pytest.raises(
        InputError, match=r"a.xml: no text in 'it' \(its languages are de, en, fr\)"
    ):
        list(TMX.pairs(TmxFormat(kind="tmx"), PartFiles(file, (file,)), ("en", "it"), Counter()))
    with pytest.raises(InputError, match="no text in 'it'"):
        list(TMX.texts(TmxFormat(kind="tmx"), file, "it"))


@pytest.mark.parametrize(
    ("languages", "hint"), [((' xml:lang="en"',) * 2, "en"), (("", ""), "not named")]
)
def test_units_in_one_language(tmp_path: Path, languages: tuple[str, str], hint: str) -> None:
    variants = "".join(f"<tuv{language}><seg>one</seg></tuv>" for language in languages)
    file = write(tmp_path, f"<tmx><body><tu>{variants}</tu></body></tmx>")
    files = PartFiles(file, (file,))
    with pytest.raises(InputError, match=rf"no text in 'fr' \(its languages are {hint}\)"):
        list(TMX.pairs(TmxFormat(kind="tmx"), files, ("fr", "en"), Counter()))
