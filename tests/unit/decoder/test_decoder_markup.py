"""Markup in the input, as Moses' -xml-input: translations, walls, zones, and what is wrong."""

from dataclasses import replace
from math import log
from pathlib import Path

import pytest
from decoder_models import EVERYTHING, translations

from nlmt.cli import run_command
from nlmt.decoder import Decoder, GraphRequest, NbestRequest, SearchOptions
from nlmt.errors import InputError

TABLE = """a ||| A ||| 0.5 0.5 ||| 0-0
a b ||| A B ||| 0.25 0.25 ||| 0-0 1-1
b ||| B ||| 0.5 0.5 ||| 0-0
b c ||| E C ||| 0.01 0.01
c ||| C ||| 0.5 0.5 ||| 0-0
d ||| D ||| 0.5 0.5 ||| 0-0
"""
INI = """[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TM0 num-features=2 path={folder}/table
LexicalReordering name=LR0 type=wbe-msd-backward-fe path={folder}/order
Distortion
[weight]
WordPenalty0= -0.5
PhrasePenalty0= 0.25
TM0= 0.3 0.1
LR0= 1 1 1
Distortion0= 0
"""


@pytest.fixture
def ini(tmp_path: Path) -> Path:
    (tmp_path / "table").write_text(TABLE)
    (tmp_path / "order").write_text("b ||| B ||| 0.5 0.25 0.25\n")
    (tmp_path / "moses.ini").write_text(INI.format(folder=tmp_path))
    return tmp_path / "moses.ini"


@pytest.fixture
def decoder(ini: Path) -> Decoder:
    return Decoder(ini)


LINE = 'a <np translation="X Y||B" prob="0.8||0.2">b</np> c'


def test_policies(ini: Path) -> None:
    def found(policy: str) -> set[str]:
        search = replace(EVERYTHING, xml_input=policy, distortion_limit=0)
        return set(translations(ini, LINE, search))

    tables = {"A B C", "A E C"}
    given = {"A X Y C", "A B C"}
    assert found("ignore") == tables
    assert found("exclusive") == given
    assert found("inclusive") == tables | given
    assert found("constraint") == given
    (words, _), *_ = translations(ini, LINE, replace(EVERYTHING, distortion_limit=0)).items()
    assert words.split()[:3] == ["A", "<np", 'translation="X']


def test_scores_of_a_given_translation(ini: Path) -> None:
    """log p spread over the table's scores; penalties and reordering as for any phrase."""
    exclusive = replace(EVERYTHING, xml_input="exclusive", distortion_limit=0)
    rest = 2 * (0.4 * log(0.5) + 0.25 - -0.5)  # a and c
    found = translations(ini, LINE, exclusive)
    tm = (0.3 + 0.1) / 2
    assert found["A X Y C"] == pytest.approx(rest + tm * log(0.8) + 0.25 + 0.5 * 2, abs=1e-5)
    # The tables have b ||| B as well, so that its reordering scores are known: monotone.
    known = rest + tm * log(0.2) + 0.25 + 0.5 + log(0.5)
    assert found["A B C"] == pytest.approx(known, abs=1e-5)
    certain = translations(ini, 'a <x translation="X">b</x> c', exclusive)
    assert certain == pytest.approx({"A X C": rest + 0.25 + 0.5}, abs=1e-5)
    never = translations(ini, '<x translation="X" prob="0">b</x>', exclusive)
    assert never == pytest.approx({"X": tm * -100 + 0.25 + 0.5}, abs=1e-5)
    tiny = translations(ini, '<x translation="X" prob="1e-70">b</x>', exclusive)
    assert tiny == never


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("plain a", "plain A"),
        ("a < b &lt; c > d", "A < B &lt; C > D"),  # no tags, and escapes are Moses' user's to keep
        ("a<b>b</b>c", "A B C"),
        ('<x english="old style">a b</x> c', "old style C"),
        ('a b c <x translation="Z" span="1-2"/>', "A Z"),
        ('a <x span="0" translation="Z"/> b', "Z B"),
        ('<x translation="a > b">a</x>', "a > b"),
        ('<out translation="O"> a <in translation="I">b</in> </out>', "O"),
        ('<x translation="new words">neu</x> neu', "new words neu"),
        ('a <x translation="||">b</x> c', "A C"),
        ('<x id="1"\ttranslation="Z">a</x>', "Z"),
        ('<x\ttranslation="Z">a</x>', "Z"),
        ('<x id="1"translation="Z">a</x>', "Z"),
        ('<x translation = "Z" >a</x>', "Z"),
        ('<x translation="p prob=q" span="0">a</x>', "p prob=q"),
        ('<x title="a translation=b">a</x>', "A"),
        ("<x title='a translation=b' translation=\"Z\">a</x>", "Z"),
        ('<x mistranslation="Y" translation="Z">a</x>', "Z"),
        ('<x translation="a \\" prob=b">a</x>', 'a \\" prob=b'),
        ("<wall/> a <wall/>", "A"),
        ("<b> </b>", ""),
        ('<X translation="Z">a</X>', "Z"),
        ("a <_b> @ [c] <", "A <_b> @ [c] <"),  # tags begin with letters
        ("<x > a </ x> b", "A B"),
        ('<x english=one translation="Z" translation>a</x>', "Z"),
    ],
)
def test_lines(line: str, expected: str, decoder: Decoder) -> None:
    decoder.search = SearchOptions(xml_input="exclusive", distortion_limit=0)
    assert decoder.decode([line])[0].text == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a <x> b", "<x> is never closed"),
        ("a </x> b", "<x> is closed, but was not opened"),
        ("<x> a </y>", "<x> is closed by </y>"),
        ("<x> a </x/>", "<x> both closes and is empty"),
        ('a <x translation="b', "<x> has no end"),
        ('<x translation="b||c" prob="1">a</x>', "<x> has 2 translations, but 1 prob"),
        ('<x translation="b" prob="-1">a</x>', "<x> has a prob '-1'"),
        ('<x translation="b" prob="nan">a</x>', "<x> has a prob 'nan'"),
        ('<x translation="b" prob="1e999">a</x>', "<x> has a prob '1e999'"),
        ('<x translation="b"/> a', "<x> has no words in it"),
        ('<x translation="b" span="2-1"/> a', "<x> has a span '2-1'"),
        ('<x translation="b" span="0-5"/> a', "span of words 0-5 in a line of 1"),
        ("<x translation='b'>a</x>", "<x> has no double quotes around its translation"),
        ("a <wall span=0/> b", "<wall> has no double quotes around its span"),
        ('<x translation="b"\tprob=1>a</x>', "<x> has no double quotes around its prob"),
        ('<x translation= id="1">a</x>', "<x> has no double quotes around its translation"),
        ("a <zone/> b", "<zone> has no words in it"),
        ('<ne entity="1">a</ne>', "<ne> is a tag of Moses"),
        ("<update/>", "<update> is a tag of Moses"),
        ("<weight-overwrite/>", "<weight-overwrite> is a tag of Moses"),
        (f'a <x translation="b" span="0-{2**64 - 1}"/>', "words 0-.* in a line of 1"),
        ('<x translation="b" span="2"/> a b', "span of words 2-2 in a line of 2"),
        ("a </> b", "<> is closed, but was not opened"),
    ],
)
def test_errors_name_line_and_tag(line: str, message: str, decoder: Decoder) -> None:
    decoder.search = SearchOptions(xml_input="inclusive")
    with pytest.raises(InputError, match=f"dev.fr:2: markup: .*{message}"):
        decoder.decode(["a", line], source="dev.fr")
    with pytest.raises(InputError, match="xml_input is xml"):
        SearchOptions(xml_input="xml")


def orders(ini: Path, line: str) -> set[str]:
    """Orders in which the words of a line can be translated, each by itself."""
    found = translations(ini, line, replace(EVERYTHING, xml_input="exclusive", distortion_limit=-1))
    return {words.replace(" ", "") for words in found if "E" not in words}


def test_walls(ini: Path) -> None:
    assert orders(ini, "a b <wall/> c d") == {"ABCD", "ABDC", "BACD", "BADC"}
    assert orders(ini, "a <wall> b c </wall> d") == {"ABCD"}
    assert orders(ini, f'a b <wall span="1-{10**18}"/> c') == {"ABC"}


def test_zones(ini: Path) -> None:
    def together(order: str, words: str) -> bool:
        return words in order or words[::-1] in order

    free = orders(ini, "a b c d")
    assert len(free) == 24
    zoned = orders(ini, "<zone> a b </zone> c d")
    assert zoned == {order for order in free if together(order, "AB")}
    # Two zones, one wall that counts inside its own alone.
    line = "<zone> a <wall/> b </zone> <zone> c d </zone>"
    assert orders(ini, line) == {"ABCD", "ABDC", "CDAB", "DCAB"}


def test_no_way_gives_an_empty_line(tmp_path: Path, ini: Path) -> None:
    """Two zones that cross: after c, which is in both, neither a nor d may come."""
    line = 'a c d <zone span="0-1"/> <zone span="1-2"/>'
    assert orders(ini, line) == {"ACD", "DCA"}
    order = "".join(f"{w} ||| {w.upper()} ||| 0.5 0.5 0.5\n" for w in "ad")
    (tmp_path / "order").write_text(order + "c ||| C ||| 1 1 1\n")
    decoder = Decoder(ini, search=SearchOptions(stack=1, xml_input="ignore"))
    request = NbestRequest(tmp_path / "list", 5)
    best = decoder.decode([line, "a b"], nbest=request, graph=GraphRequest(tmp_path / "osg"))
    assert [(one.text, one.found) for one in best] == [("", False), ("A B", True)]
    assert request.path.read_text().startswith("0 |||  ||| LR0= 0 0 0 Distortion0= 0 ")
    assert (tmp_path / "osg").read_text().startswith("0 hyp=0 stack=0\n1 hyp=0")


def test_lists_graphs_and_alignments(decoder: Decoder, tmp_path: Path) -> None:
    decoder.search = SearchOptions(xml_input="exclusive", distortion_limit=0)
    request = NbestRequest(tmp_path / "list", 5, segmentation=True, alignment=True)
    graph = GraphRequest(tmp_path / "osg", tmp_path / "osgx", slf=tmp_path / "slf")
    (best,) = decoder.decode([LINE], nbest=request, graph=graph)
    assert best.text == "A X Y C"
    assert best.alignment == "0-0 2-3"
    first, *_ = request.path.read_text().splitlines()
    assert first.endswith(" ||| 0=0 1=1-2 2=3 ||| 0-0 2-3 ")
    scores = [float(part) for part in first.split("TM0= ")[1].split(" |||")[0].split()]
    assert scores == pytest.approx([2 * log(0.5) + log(0.8) / 2] * 2, abs=1e-4)
    assert 'out="b|X Y"' in graph.extended.read_text()  # type: ignore[union-attr]


def test_the_command(tmp_path: Path, ini: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").write_text(f"{LINE}\n")
    flags = ["-f", str(ini), "-i", str(tmp_path / "in"), "-dl", "0"]
    printed = []
    for policy in ("exclusive", "ignore"):
        run_command("decode", [*flags, "-xml-input", policy])
        printed.append(capsys.readouterr().out)
    assert printed == ["A X Y C \n", "A B C \n"]
    with pytest.raises(InputError, match="invalid choice"):
        run_command("decode", [*flags, "-xi", "maybe"])
