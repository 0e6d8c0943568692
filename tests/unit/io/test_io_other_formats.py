"""Files that are no plain text, one sentence a line, and texts that only look like them."""

from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_text
from nlmt.io.other_formats import check_text, only_sentences

XLIFF = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- of a program -->
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="a.txt" source-language="en" target-language="fr" datatype="plaintext">
    <body><trans-unit id="1"><source>Hello</source><target>Bonjour</target></trans-unit></body>
  </file>
</xliff>
"""
TMX = '<tmx version="1.4"><header srclang="en"/><body></body></tmx>\n'
SGM = '<refset setid="a" srclang="any" trglang="en">\n<DOC docid="b">\n<seg id="1">x</seg>\n'
PO = """\
# French translations.
# A translator, 2026.

msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

#: main.c:12
#, fuzzy
msgctxt "menu"
msgid "File"
msgid_plural "Files"
msgstr[0] "Fichier"
msgstr[1] "Fichiers"
"""
PRETTY = """\
[
  {
    "en": "Hello",
    "fr": "Bonjour"
  }
]
"""
OTHERS = {
    "XLIFF": (XLIFF, "XLIFF .make TMX of it with xliff2po and po2tmx"),
    "XLIFF without a declaration": (XLIFF.partition("?>\n")[2], "XLIFF"),
    "a line of XLIFF": (XLIFF.replace("\n", ""), "XLIFF"),
    "TMX": (TMX, "TMX .as a corpus, with format: tmx"),
    "a type of document": (f'<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">{TMX}', "TMX"),
    "sgm": (SGM, "sgm .*format: sgm"),
    "another XML": ('<?xml version="1.0"?>\n<TS version="2.1">\n<context>\n', "XML or HTML"),
    "HTML": ("<!DOCTYPE html>\n<html>\n<head>\n", "XML or HTML"),
    "PO": (PO, "gettext PO .make TMX of it with po2tmx"),
    "PO, Windows": (PO.replace("\n", "\r\n"), "gettext PO"),
    "PO, marked": ("\ufeff" + PO.partition("\n\n")[2], "gettext PO"),
    "JSON lines": ('{"en": "a", "fr": "b"}\n\n{ "en" : "{c}" }\n', "JSON .*jq -r .text"),
    "one JSON object": ('{"text": ["a", "b"]}', "JSON"),
    "an array": ('[{"en": "a"}, {"en": "b"}]\n', "JSON"),
    "JSON, indented": (PRETTY, "JSON"),
    "old line ends": ("un\rdeux\r", r"carriage returns .* .tr '\\r' '\\n' < FILE"),
    "a table": ("un\tone\ndeux\ttwo\n" * 5, "a table with tabs .*cut -f 1"),
}
TEXTS = {
    "nothing": "",
    "empty lines": "\n\n",
    "a brace": '{0} files\n{"a": "b"}\n',
    "JSON within a text": '{"a": "b"}\nis JSON.\n',
    "an array within a text": "[1]\nwas first.\n",
    "braces alone": "{\nbegins a block\n}\n",
    "a declaration within a text": '<?xml version="1.0"?>\nbegins a file.\n',
    "markup of the decoder": '<np translation="the house">das Haus</np>\n<wall/> <x> <y>\n',
    "tags": "<b> <i> are tags\n",
    "comments": "<!-- a note -->\n" * 100,
    "a message": 'msgid "File"\nis an entry of PO.\n',
    "a word": "msgid\n",
    "quotes": '"Yes."\n"No."\n',
    "carriage returns in lines": "un\rdeux\ntrois\r\r\n",
    "carriage returns at an end": "un\r\r\n",
    "some tabs": "un\tone\ndeux two\n" * 10,
    "as many tabs in a few lines": "un\tone\ndeux\ttwo\n" * 4,
    "tabs at the ends": "\tun\ndeux\t\n" * 10,
    "commas": "Paris, France\nRome, Italy\n" * 50,
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_other_formats_are_named(name: str, suffix: str, tmp_path: Path) -> None:
    content, message = OTHERS[name]
    path = tmp_path / f"text{suffix}"
    write_text(path, content)
    with pytest.raises(InputError, match=f"not a sentence a line, but {message}") as found:
        check_text(path)
    assert found.value.path == path
    with pytest.raises(InputError, match=message):
        list(only_sentences(read_lines(path), path))


@pytest.mark.parametrize("name", TEXTS)
def test_plain_texts_are_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "text"
    write_text(path, TEXTS[name])
    check_text(path)
    assert list(only_sentences(read_lines(path), path)) == list(read_lines(path))


def test_the_name_and_the_content_tell_csv(tmp_path: Path) -> None:
    for name, content, other in (
        ("a.csv", 'en,fr\n"Yes, sir.",Oui\n', True),
        ("a.csv.gz", "en;fr\nyes;oui\n", True),
        ("a.csv", "en\nyes\nno, sir\n", False),
        ("a.txt", "en,fr\nyes,oui\n", False),
    ):
        write_text(tmp_path / name, content)
        if other:
            with pytest.raises(InputError, match="CSV"):
                check_text(tmp_path / name)
        else:
            check_text(tmp_path / name)


def test_only_the_first_lines_decide() -> None:
    objects = ['{"a": 1}'] * 100
    lines = iter([*objects, "not reached"])
    with pytest.raises(InputError, match="JSON"):
        next(only_sentences(lines, "text"))
    assert list(lines) == ["not reached"]
    later = ["a sentence", *objects]
    assert list(only_sentences(later, "text")) == later


def test_files_that_are_no_text_are_left_to_their_readers(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"nlmt ids\0\xff\n")
    check_text(path)


@pytest.mark.parametrize("magic", [b"PAR1\x15\x04\x15\x00", b"%PDF-1.7\n%\xe2\xe3\n"])
def test_kinds_of_binary_files_are_named(magic: bytes, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(magic)
    with pytest.raises(InputError, match=r"not UTF-8 text, but (parquet|PDF) .write its sentences"):
        list(read_lines(path))
