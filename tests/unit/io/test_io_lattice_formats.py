"""Search graphs, HTK's and OpenFst's lattices: what comes back, and what is refused."""

import gzip
import random
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest
from lattices import SLF, all_paths, contents, path_features, random_lattice

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_builder import LatticeBuilder
from nlmt.io.lattice_file import LatticeFile, write_lattices
from nlmt.io.lattice_moses import read_search_graphs, write_search_graphs
from nlmt.io.lattice_nbest import write_nbest
from nlmt.io.lattice_openfst import is_kaldi, read_kaldi, read_openfst, write_openfst
from nlmt.io.lattice_slf import read_slf, read_slf_folder, write_slf_folder
from nlmt.io.lattice_text import group_names, label_weights, value_names
from nlmt.io.moses_ini import read_ini
from nlmt.io.nbest import read_nbest

GOLDEN = Path(__file__).parents[2] / "golden"


def translations(lattice: Lattice) -> list[tuple[float, str]]:
    return sorted((round(path.score, 3), lattice.text(path)) for path in all_paths(lattice))


def one_phrase(*words: str, source: str = "u") -> Lattice:
    builder = LatticeBuilder(0, {"LM0": [0.5]}, [source])
    builder.add(0, 1, words, [-1], span=(0, 1))
    return builder.build(2, 0, 1)


def monotone_lattice() -> Lattice:
    """Two source words, one after the other or together, each step with its features."""
    builder = LatticeBuilder(7, {"LM0": [0.5], "TM0": [1, 0]}, ["u", "v"])
    builder.add(0, 1, ["a"], [-1, -0.5, -0.25], span=(0, 1))
    builder.add(0, 1, ["b"], [-1, -0.25, 0], span=(0, 1))
    builder.add(1, 2, ["c", "d|e\u3000f"], [-2, -0.125, -3], span=(1, 2))
    builder.add(0, 2, [], [-4, 0, 0], span=(0, 2))
    # The first phrase has an alignment.
    offsets, points = np.array([0, 1, 1, 1, 1]), np.array([[0, 0]], np.int32)
    return replace(builder.build(3, 0, 2), point_offsets=offsets, points=points)


def test_the_graphs_of_moses() -> None:
    ini = read_ini(GOLDEN / "moses.ini")
    weights = {feature.label: list(ini.weights[feature.label]) for feature in ini.features}
    lattices = list(read_search_graphs(GOLDEN / "output" / "stack20.osgx.gz", weights))
    assert [lattice.sentence for lattice in lattices] == [0, 1, 2, 3, 4]
    assert [" ".join([lat.words[w] for w in lat.source]) for lat in lattices] == list(
        read_lines(GOLDEN / "test5.fr")
    )
    lines = list(read_lines(GOLDEN / "output" / "stack20.osgx.gz"))
    for lattice in lattices:
        of_sentence = [line for line in lines if line.startswith(f"{lattice.sentence} ")]
        # Every step leads to the end: all are there, and those that recombined are one node.
        assert len(lattice) == len(of_sentence) - 1
        complete = [line for line in of_sentence if "forward=-1 " in line]
        unmerged = [line for line in of_sentence if "recombined=" not in line]
        ends = sum("recombined=" not in line for line in complete)
        assert lattice.nodes == len(unmerged) - ends + 1
        best = max(float(line.split("score=")[1].split()[0]) for line in complete)
        assert lattice.best_path().score == pytest.approx(best, abs=5e-3)
    # The narrow search of Moses finds what its wide one does.
    nbest = read_nbest(GOLDEN / "output" / "stack100.nbest.gz")
    firsts = nbest.sentence_starts()[:5]
    assert [lat.text(lat.best_path()) for lat in lattices] == [nbest.text(i) for i in firsts]


def test_search_graphs_come_back(tmp_path: Path) -> None:
    lattice = monotone_lattice()
    empty = LatticeBuilder(8, lattice.weights).build(1, 0, 0)
    write_search_graphs(tmp_path / "x.gz", [lattice, empty])
    first, second = read_search_graphs(tmp_path / "x.gz", lattice.weights)
    assert contents(second) == contents(empty)
    assert translations(first) == translations(lattice)
    # The better of two steps between the same nodes comes first there; alignments are gone.
    arcs, before = (
        sorted(repr(arc[:4] + arc[5:]) for arc in contents(some)[3])  # type: ignore[attr-defined]
        for some in (first, lattice)
    )
    assert arcs == before
    assert list(read_lines(tmp_path / "x.gz"))[-1] == "8 hyp=0 stack=0 forward=-1 fscore=0.000"


def change(line: int, old: str, new: str) -> list[str]:
    lines = [
        "0 hyp=0 stack=0 forward=1 fscore=-1",
        "0 hyp=1 stack=1 back=0 score=-1 transition=-1 forward=3 fscore=0 covered=0-0 "
        'scores="core=(1,2) " out="u|a"',
        "0 hyp=2 stack=1 back=0 score=-2 transition=-2 recombined=1 forward=3 fscore=0 covered=0-0 "
        'scores="core=(1,3) " out="u|b"',
        "0 hyp=3 stack=2 back=2 score=-2 transition=-1 forward=-1 fscore=0 covered=1-1 "
        'scores="core=(1,2) " out="v|c"',
    ]
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new)
    return lines


@pytest.mark.parametrize(
    ("line", "old", "new", "message"),
    [
        (0, "hyp=0", "hyp=9", ":1: not a search graph"),
        (1, "transition=-1 ", "", ":2: not a search graph"),
        (1, "(1,2)", "(1,2,3)", ":2: 3 feature values"),
        (1, "(1,2)", "(1,nan)", ":2: 2 feature values"),
        (1, "(1,2)", "(1,2_0)", ":2: 2 feature values"),
        (1, "(1,2)", "(1,x)", ":2: 2 feature values"),
        (1, "u|a", "u w|a", ":2: out= does not have 1 source words"),
        (2, "u|b", "w|b", ":3: source word 0 differs"),
        (2, "recombined=1", "recombined=5", ":3: no hypothesis 5"),
        (3, "hyp=3", "hyp=2", ":4: hyp=2 a second time"),
        (3, "back=2", "back=4", ":4: no hypothesis 4"),
        (3, "stack=2", "stack=3", ":4: sentence 0 has no complete translation"),
        (3, "stack=2", "stack=999999999", "no complete translation"),
        (3, "covered=1-1", "covered=9-9", "no complete translation"),
    ],
)
def test_broken_search_graphs(line: int, old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "graph"
    weights = {"A0": [1.0], "B0": [1.0]}
    path.write_text("\n".join(change(0, "", "")) + "\n")
    (lattice,) = read_search_graphs(path, weights)
    assert lattice.text(lattice.best_path()) == "b c"
    path.write_text("\n".join(change(line, old, new)) + "\n")
    with pytest.raises(InputError, match=message):
        list(read_search_graphs(path, weights))


def test_search_graphs_of_several_texts_are_refused(tmp_path: Path) -> None:
    """In a folder of lattices those of the second text would replace those of the first."""
    lines = [*change(0, "", ""), "1 hyp=0 stack=0 forward=-1 fscore=0"]
    (tmp_path / "graph").write_text("\n".join(lines + lines) + "\n")
    with pytest.raises(InputError, match="graph:6: sentence 0 comes twice"):
        list(read_search_graphs(tmp_path / "graph", {"A0": [1.0], "B0": [1.0]}))


def test_long_chains_of_recombination_are_followed_once(tmp_path: Path) -> None:
    count = 20_000
    lines = ["0 hyp=0 stack=0"]
    for number in range(1, count + 1):
        joined = f" recombined={number + 1}" if number < count else ""
        lines.append(
            f"0 hyp={number} stack=1 back=0 score=0 transition=0{joined} forward=-1 fscore=0 "
            f'covered=0-0 scores="core=(1) " out="u|{number}"'
        )
    (tmp_path / "graph").write_text("\n".join(lines) + "\n")
    (lattice,) = read_search_graphs(tmp_path / "graph", {"A0": [1.0]})
    assert (lattice.nodes, len(lattice)) == (2, count)


@pytest.mark.parametrize("kind", ["slf", "openfst"])
def test_word_lattices_come_back(kind: str, tmp_path: Path) -> None:
    write, read = (
        (write_slf_folder, read_slf_folder) if kind == "slf" else (write_openfst, read_openfst)
    )
    given = [random_lattice(s, nodes=5, arcs=8, sentence=s) for s in range(12)]
    none = np.zeros(0, np.int32)
    arrays = {"from_node": none, "to_node": none, "phrase": none}
    given.append(replace(given[0], sentence=12, nodes=1, features=given[0].features[:0], **arrays))
    given = [replace(g, words=["a", "b", "c\u00a0c", "d", "u", "é", "x|y"]) for g in given]
    some = next(iter(given[0].weights))
    small = given[0].weights | {some: [1e-9 / 3] * len(given[0].weights[some])}
    given = [replace(g, weights=small) for g in given]
    write(tmp_path / "folder", given)
    found = list(read(tmp_path / "folder"))
    assert [lattice.sentence for lattice in found] == list(range(13))
    for lattice, before in zip(found, given, strict=True):
        assert lattice.feature_names == before.feature_names
        assert lattice.weights == before.weights
        assert translations(lattice) == translations(before)
        best, expected = lattice.best_path(), before.best_path()
        assert path_features(lattice, best) == pytest.approx(path_features(before, expected))
    # What has been through the format once stays as it is.
    write(tmp_path / "again", found)
    twice = list(read(tmp_path / "again"))
    assert [contents(lattice) for lattice in twice] == [contents(lattice) for lattice in found]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Sentence_3", "Sentence_x", "UTTERANCE= has no number"),
        ("Sentence_3", "Sentence_9999999999", "UTTERANCE= has no number"),
        ("S=0 E=1", "S=0 E=7", "a node beyond"),
        ("S=0 E=1 W=a", "S=0 W=a", ":10: E= is missing"),
        (" W=a", "", ":10: a link without W="),
        ("x1=-2", "x2=-2", ":10: .* x2="),
        ("x1=-2", "x1=1_0", ":10: '1_0' is no number"),
        ("x1=-2", "x1=1e31", ":10: .*not a finite"),
        ("x1=-2", "a=-2", ":10: unknown field of a link.* a="),
        ("VERSION", "LANGUAGE", ":2: unknown field: LANGUAGE"),
        ("VERSION=1.1", "VERSION", ":2: 'VERSION' is not key=value"),
        ("end=2", "", "end= is missing"),
        ("NODES=3", "NODES=99999999", "exceeds the nodes of the links"),
        ("x1scale", "x3scale", ":8: x3scale= is out of order"),
        ("S=1 E=2", "S=1 E=0", "no path"),
        ("S=1 E=2 W=!NULL", "S=1 E=0 W=b\nJ=2 S=1 E=2 W=c", "cycle"),
        ("J=1 S=1 E=2 W=!NULL\n", "", "1 links, but LINKS=2: truncated"),
    ],
)
def test_broken_slf(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "3.slf"
    path.write_text(SLF)
    assert read_slf(path).best_path().score == -1
    path.write_text(SLF.replace(old, new, 1))
    with pytest.raises(InputError, match=f"3.slf.*{message}"):
        read_slf(path)


def test_few_bytes_do_not_ask_for_any_number_of_values(tmp_path: Path) -> None:
    scales = "".join(f"# F{i}\nx{i}scale=1\n" for i in range(2, 10_000))
    links = "".join(f"J={i} S=0 E=2 W=a\n" for i in range(2, 5000))
    path = tmp_path / "3.slf"
    path.write_text(SLF.replace("I=0\n", scales) + links)
    with pytest.raises(InputError, match=r"3\.slf: too many scales for its links"):
        read_slf(path)


def test_a_lattice_that_is_being_written_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "3.slf").write_text(SLF)
    (tmp_path / ".12-0123abcd.4.slf").write_text("")
    assert [lattice.sentence for lattice in read_slf_folder(tmp_path)] == [3]


def test_the_slf_of_moses_is_refused() -> None:
    with pytest.raises(InputError, match=r"0.slf:6: a lattice of Moses.*search graph"):
        read_slf(GOLDEN / "output" / "slf" / "0.slf")


def test_a_lattice_as_htk_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "utterance.lat"
    path.write_text(
        "# of HVite\nVERSION=1.0\nUTTERANCE=spk/utt.mfc\nlmname=bigram\n"
        "lmscale=2.0 wdpenalty=-1.5 acscale=0.5\nvocab=dict\nN=4    L=4\nI=0 t=0.00\n"
        "I=1 t=0.30\nI=2 t=0.40\nI=3 t=0.50\n"
        "J=0     S=0    E=1    W=!SENT_START  v=0  a=-10.00   l=0.000\n"
        'J=1 S=1 E=2 W="New York" v=1 a=-20 l=-2 r=-0.25 d=:n,0.1:\n'
        "J=2 S=1 E=2 W=\\'caf\\303\\251 a=-22.5 l=-1\nJ=3 S=2 E=3 W=!NULL a=-1 l=-0.5\n"
    )
    (lattice,) = read_slf_folder(tmp_path)
    assert dict(lattice.feature_names) == dict.fromkeys(
        ["acoustic", "lm", "pronunciation", "wordpenalty"], 1
    )
    assert lattice.weights == {
        "acoustic": [0.5],
        "lm": [2.0],
        "pronunciation": [1.0],
        "wordpenalty": [-1.5],
    }
    # 0.5 (-10 - 20 - 1) + 2 (-2 - 0.5) - 0.25 - 1.5, and 0.5 (-10 - 22.5 - 1) + 2 (-1 - 0.5) - 1.5
    assert translations(lattice) == [(-22.25, "New York"), (-21.25, "'café")]


def test_one_quote_is_part_of_a_word_of_htk(tmp_path: Path) -> None:
    (tmp_path / "1.lat").write_text("N=2 L=1\nJ=0 S=0 E=1 W='s l=-2\n")
    lattice = read_slf(tmp_path / "1.lat")
    assert [lattice.words[word] for word in lattice.word_ids] == ["'s"]


def test_a_no_break_space_is_part_of_a_word_of_htk(tmp_path: Path) -> None:
    path = tmp_path / "1.lat"
    path.write_text("N=2 L=1\nJ=0 S=0 E=1 W=10\u00a0km l=-2 \n", encoding="utf-8")
    lattice = read_slf(path)
    assert [lattice.words[word] for word in lattice.word_ids] == ["10\u00a0km"]
    path.write_text("N=2 L=1\n\x0c\nJ=0 S=0 E=1 W=a \u00a0\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"1\.lat:3: '\\xa0' is not key=value"):
        read_slf(path)


def test_a_lattice_as_srilm_writes_it(tmp_path: Path) -> None:
    """Words at nodes, logarithms to base 10, n-gram and own scores, long names."""
    path = tmp_path / "7.lat.gz"
    text = (
        "VERSION=1.1\nUTTERANCE=x\nbase=10\ndir=f\nlmscale=1 ngscale=3 x1scale=2 wdpenalty=-1\n"
        "start=5\nend=2\nNODES=3 LINKS=3\nI=5 t=0 WORD=<s>\nI=1 t=1 W=house a=-2\nI=2 W=</s>\n"
        "J=0 START=5 END=1 language=-1 ngram=-0.5 x1=-0.25 p=0.9\n"
        "J=1 S=1 E=2 a=-1 n=-1 # the end\nJ=2 S=5 E=2 W=home a=-9\n"
    )
    with gzip.open(path, "wt") as file:
        file.write(text)
    (lattice,) = read_slf_folder(tmp_path)
    assert lattice.sentence == 7
    assert lattice.weights["ngram"] == [3.0]
    # -2 - 1 - 3 * 0.5 - 2 * 0.25 - 1 and -1 - 3 * 1, times the logarithm of 10; -9 - 1.
    scores = {words: score for score, words in translations(lattice)}
    assert scores == pytest.approx({"house": -10 * log(10), "home": -10 * log(10)}, abs=1e-3)
    (tmp_path / "8.lat").write_text(text.replace("dir=f", "dir=b"))
    (_, lattice) = read_slf_folder(tmp_path)
    # A link has the fields of its start node; that of "house" has an `a` of its own.
    scores = {words: score for score, words in translations(lattice)}
    assert scores == pytest.approx({"house": -8 * log(10), "home": -10 * log(10)}, abs=1e-3)
    likely = text.replace("base=10", "base=0").replace("wdpenalty=-1", "wdpenalty=0.25")
    (tmp_path / "8.lat").write_text(likely.replace("=-", "="))
    (_, lattice) = read_slf_folder(tmp_path)
    scores = {words: score for score, words in translations(lattice)}
    # 0.25 a word; 2 * 1 * 0.5 ** 3 * 0.25 ** 2 for the first link, 1 and 1 ** 3 for the second.
    assert scores == pytest.approx({"house": log(2 / 4 / 8 / 16), "home": log(9 / 4)}, abs=1e-3)
    (tmp_path / "8.lat").write_text(likely.replace("=-", "=").replace("a=9", "a=0"))
    with pytest.raises(InputError, match=r"'0' has no logarithm, and base=0 says that it is none"):
        list(read_slf_folder(tmp_path))


def test_scales_that_htk_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "1.lat"
    path.write_text("N=2 L=1\nJ=0 S=0 E=1 W=a a=-1 l=-2 n=-3 r=-4 ds=-5 x1=-6 x9=-7\n")
    lattice = read_slf(path)
    used, unused = ("acoustic", "lm", "ngram", "pronunciation"), ("duration", "x1", "x9")
    scales = {name: [1] for name in used} | {name: [0] for name in (*unused, "wordpenalty")}
    assert lattice.weights == scales
    assert lattice.features.tolist() == [[-1, -2, -3, -4, -5, -6, -7, 1]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("L=2", "L=3", "2 links, but LINKS=3: truncated"),
        ("S=0 E=1", "S=0 E=x", ":3: E= is missing or no number"),
        ("VERSION=1.0", "SUBLAT=a", ":1: sub-lattices are not supported"),
        ("VERSION=1.0", "VERSION", ":1: 'VERSION' is not key=value"),
        ("S=1 E=2", "S=1 E=0", "0 nodes may be the start: name it by start="),
        ("S=1", "S=5", "2 nodes may be the start: name it by start="),
        ("a=-1", "a=nan", ":3: 'nan' is no number"),
        ("L=2", "L=2\nlmscale=1_0", ":3: '1_0' is no number"),
        ("L=2", "L=2\nbase=1_0", ":3: '1_0' is no number"),
        ("L=2", "L=2\nbase=-2", "base=-2 is no base of logarithms"),
        ("L=2", "L=2\nbase=1", "base=1 is no base of logarithms"),
        ("L=2", "L=2\nacscale=1e40", "'1e40' is not a finite number"),
        ("a=-1", "a=x", ":3: 'x' is no number"),
        ("W=b", "W=\\303x", "is not UTF-8"),
        ("J=1 ", "", ":4: a link without J="),
        ("L=2", "L=2\nI=1 W=a\nI=1 W=b", ":4: node 1 a second time"),
        ("L=2", "L=2\nI=1 W=a", "1 nodes, but NODES=3: truncated"),
        (" W=b", "", "link J=1 has no W=, and no line has I=2"),
        ("N=3 L=2\nJ=0 S=0 E=1 W=a", "dir=b\nI=1\nJ=0 S=0 E=1", "J=0 has no W=, .* has I=0"),
    ],
)
def test_broken_lattices_of_htk(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = "VERSION=1.0\nN=3 L=2\nJ=0 S=0 E=1 W=a a=-1\nJ=1 S=1 E=2 W=b l=-2\n"
    (tmp_path / "a.slf").write_text(text)
    assert read_slf(tmp_path / "a.slf", 4).best_path().score == -3
    (tmp_path / "a.slf").write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=f"a.slf.*({message})"):
        read_slf(tmp_path / "a.slf", 4)


def test_acceptors_of_other_tools(tmp_path: Path) -> None:
    (tmp_path / "4.fst.txt").write_text("5 2 a 1.5\n5 1 b\n2 0.25\n1 0\n")
    (lattice,) = read_openfst(tmp_path)
    assert lattice.feature_names == [("Cost", 1)]
    assert translations(lattice) == [(-1.75, "a"), (0.0, "b")]
    for content, message in (
        ("0 1 a b 2 3\n", ":1: no line"),
        ("0 1 a b 2\n1 2 c\n2\n", ":2: no line"),
        ("0 1 a 1,2\n1 3\n", ":2: costs of one number and of two"),
        ("0 x a\n", ":1: no line"),
        ("0 1 a BadNumber\n1\n", ":1: not a finite"),
        ("0 1 a -Infinity\n1\n", ":1: not a finite"),
        ("0 1 a\n1 1_0\n", ":2: not a finite"),
        ("0 1 a\n", "no final state"),
        ("0 1 a\n1 0 b\n1\n", "cycle"),
    ):
        (tmp_path / "4.fst.txt").write_text(content)
        with pytest.raises(InputError, match=f"4.fst.txt.*{message}"):
            list(read_openfst(tmp_path))


def test_acceptors_are_numbered_by_name_or_place(tmp_path: Path) -> None:
    for name in ("007", "10", "1a", "utterance"):
        (tmp_path / f"{name}.fst.txt").write_text("0 1 a\n1\n")
    (tmp_path / ".12-0123abcd.3.fst.txt").write_text("")  # half-written
    assert [lattice.sentence for lattice in read_openfst(tmp_path)] == [10, 1, 7, 3]


def test_two_files_of_one_sentence_are_refused(tmp_path: Path) -> None:
    for name in ("1", "01"):
        (tmp_path / f"{name}.fst.txt").write_text("0 1 a\n1\n")
        (tmp_path / f"{name}.lat").write_text("N=2 L=1\nJ=0 S=0 E=1 W=a l=-2\n")
    with pytest.raises(InputError, match=r"01\.fst\.txt: sentence 1 is in 1\.fst\.txt, too"):
        list(read_openfst(tmp_path))
    with pytest.raises(InputError, match=r"01\.lat: sentence 1 is in 1\.lat, too"):
        list(read_slf_folder(tmp_path))
    (tmp_path / "01.lat").rename(tmp_path / "a.lat")
    with pytest.raises(InputError, match=r"a\.lat: sentence 1 is in 1\.lat, too .*its place in"):
        list(read_slf_folder(tmp_path))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0 1 x a 1.5\n0 1 y <eps>\n1\n", [(-1.5, "a"), (0.0, "")]),
        ("0 1 x a\n1 2 y b\n2\n", [(0.0, "a b")]),
        ("0 1 x nan\n1 2 y infinity\n2\n", [(0.0, "nan infinity")]),
        ("0 1 7 3 0.5\n1 2 8 0\n2\n", [(-0.5, "3")]),
        ("0 1 a 1.5,2,3_3_4\n0 1 b 1,0.25,\n1 0.5,1,\n", [(-5.0, "a"), (-2.75, "b")]),
    ],
)
def test_transducers_and_costs_of_kaldi(
    content: str, expected: list[tuple[float, str]], tmp_path: Path
) -> None:
    (tmp_path / "4.fst.txt").write_text(content)
    (lattice,) = read_openfst(tmp_path)
    assert translations(lattice) == expected
    if "," in content:
        assert lattice.weights == {"GraphCost": [-1], "AcousticCost": [-1]}


def test_an_archive_of_kaldi(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lat.1.txt"
    path.write_text(
        "spk-utt1 \n0\t1\tthe\t1.5,20.25,3_3\n1\t2\tcat\t0.5,10,4\n1\t2\that\t1,9,4_4\n2\t0,1,\n\n"
        "spk-utt2 \n0 1 2 0.25,3,\n1\n\n"
    )
    first, second = read_kaldi(path)
    assert translations(first) == [(-33.25, "the cat"), (-32.75, "the hat")]
    assert (second.sentence, translations(second)) == (1, [(-3.25, "2")])
    assert main(["lattice", "best", str(path)]) == 0
    assert capsys.readouterr().out == "the hat\n2\n"
    path.write_text("utt\n0 1 a 1,2,3\n1 x\n")
    with pytest.raises(InputError, match=r"lat.1.txt:3: not a finite number"):
        list(read_kaldi(path))


@pytest.mark.parametrize("content", ["", "utt\n", "\n0 1 a 1,2,3\n", "an utt\n0 1 a\n", "utt\n0\n"])
def test_texts_that_are_no_archive_of_kaldi(content: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(content)
    assert not is_kaldi(tmp_path / "a")


def test_features_that_do_not_fit(tmp_path: Path) -> None:
    write_openfst(tmp_path, [monotone_lattice()])
    features = tmp_path / "7.features.tsv"
    whole = features.read_text()
    for content, message in (
        (whole.replace("TM0_1", "XX"), ":1: other features"),
        (whole.replace("-1.000000\t", "", 1), ":2: 2 values, not 3"),
        (whole + "0\t0\t0\n", "5 arcs, but 6 lines"),
        (whole[: whole.rstrip().rindex("\n") + 1], "5 arcs, but 4 lines"),
    ):
        features.write_text(content)
        with pytest.raises(InputError, match=message):
            list(read_openfst(tmp_path))
    features.unlink()
    with pytest.raises(InputError, match=r"7\.features\.tsv: no such file"):
        list(read_openfst(tmp_path))


def test_names_of_values() -> None:
    features = [("LM0", 1), ("TM0", 2), ("TM1", 1)]
    assert value_names(features) == ["LM0", "TM0_1", "TM0_2", "TM1"]
    assert group_names(value_names(features)) == features
    assert group_names(["a_2", "a_1", "b"]) == [("a_2", 1), ("a_1", 1), ("b", 1)]
    assert group_names(["a_1", "a_2", "b", "a"])[0] == ("a_1", 1)  # not two features a
    with pytest.raises(ValueError, match="two feature values have the same name"):
        label_weights(["a", "b", "a"], [1, 2, 3])


def test_what_a_format_cannot_say(tmp_path: Path) -> None:
    lattice = monotone_lattice()
    (tmp_path / "3.slf").write_text(SLF)
    with pytest.raises(InputError, match="lacks the source spans of its arcs"):
        write_search_graphs(tmp_path / "x", [replace(lattice, spans=np.zeros_like(lattice.spans))])
    with pytest.raises(InputError, match="has the word <eps>"):
        write_openfst(tmp_path, [replace(lattice, words=["<eps>"] * 6)])
    with pytest.raises(InputError, match="sentence 0 has the word !NULL, which is no word"):
        write_slf_folder(tmp_path, [one_phrase("a", "!NULL")])
    with pytest.raises(InputError, match=r"sentence 0 has the word \|\|\|, which is no word"):
        write_nbest(tmp_path / "list", [one_phrase("|||")], 1)
    with pytest.raises(InputError, match=r"sentence 0 has the source word a\|b, with a bar"):
        write_search_graphs(tmp_path / "x", [one_phrase("c", source="a|b")])
    write_search_graphs(tmp_path / "x", [one_phrase("b|c", "|", source="|")])
    (found,) = read_search_graphs(tmp_path / "x", {"LM0": [0.5]})
    assert translations(found) == [(-0.5, "b|c |")]
    with pytest.raises(InputError, match="sentence 3 has other features than the first"):
        write_openfst(tmp_path, [lattice, read_slf(tmp_path / "3.slf")])


def test_words_of_openfst_may_all_be_numbers(tmp_path: Path) -> None:
    write_openfst(tmp_path, [one_phrase("0", "12")])
    (lattice,) = read_openfst(tmp_path)
    assert translations(lattice) == [(-0.5, "0 12")]


def test_lists_have_the_features_of_their_paths(tmp_path: Path) -> None:
    weights = {"UnknownWordPenalty0": [1.0], "TM0": [0.5, 0.25]}
    names = [(label, len(values)) for label, values in weights.items()]
    lattices = [
        replace(random_lattice(seed, sentence=seed), feature_names=names, weights=weights)
        for seed in (2, 5)
    ]
    write_nbest(tmp_path / "list", lattices, 7)
    nbest = read_nbest(tmp_path / "list")
    listed = [(lattice, path) for lattice in lattices for path in lattice.nbest(7)]
    assert nbest.feature_names == [("TM0", 2)]
    assert nbest.sentence.tolist() == [lattice.sentence for lattice, _ in listed]
    assert [nbest.text(i) for i in range(len(nbest))] == [one.text(path) for one, path in listed]
    features = [path_features(lattice, path)[1:] for lattice, path in listed]
    np.testing.assert_allclose(nbest.features, features, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(nbest.totals, [path.score for _, path in listed], rtol=1e-5)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, file = str(GOLDEN / "output" / "stack20.osgx.gz"), str(tmp_path / "some")
    ini = ["--weights", str(GOLDEN / "moses.ini")]
    assert main(["lattice", "convert", graph, file]) == 1
    assert "give --weights moses.ini" in capsys.readouterr().err
    assert main(["lattice", "convert", graph, file, *ini]) == 0
    assert len(LatticeFile(file)) == 5
    assert main(["lattice", "best", graph, *ini]) == 0
    best = capsys.readouterr().out
    for kind in ("osgx", "slf", "openfst", "lattice"):
        other = str(tmp_path / kind)
        assert main(["lattice", "convert", file, other, "--to", kind]) == 0
        assert main(["lattice", "best", other, *(ini if kind == "osgx" else [])]) == 0
        assert capsys.readouterr().out == best
    assert (tmp_path / "lattice").read_bytes() == (tmp_path / "some").read_bytes()
    small = str(tmp_path / "small")
    assert main(["lattice", "prune", file, small, "--beam", "4", "--density", "20"]) == 0
    assert main(["lattice", "info", small]) == 0
    assert "lattices: 5\nnodes: " in capsys.readouterr().out
    assert main(["lattice", "best", small, "--nbest", "3", "--distinct"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 15
    assert lines[0].startswith("0 ||| my door translates a model in a machine .  ||| WordPenalty0=")
    (tmp_path / "nbest").write_text("\n".join(lines) + "\n")
    assert read_nbest(tmp_path / "nbest").feature_names[2] == ("TranslationModel0", 4)
    assert main(["lattice", "prune", file, file]) == 2
    assert main(["lattice", "convert", f"{tmp_path}/slf", f"{tmp_path}/slf", "--to", "slf"]) == 1
    assert "the same folder" in capsys.readouterr().err
    assert main(["lattice", "info", str(tmp_path / "nothing")]) == 1
    assert "nothing: no such file or folder" in capsys.readouterr().err


def test_other_weights(tmp_path: Path) -> None:
    lattice = monotone_lattice()
    write_lattices(tmp_path / "x", [lattice])
    other = LatticeFile(tmp_path / "x")[0].with_weights({"TM0": [0, 1]})
    expected = lattice.with_weights({"LM0": [0.5], "TM0": [0, 1]})
    assert other.best_path().score == expected.best_path().score
    with pytest.raises(InputError, match="no feature NLM0"):
        lattice.with_weights({"NLM0": [1]})
    with pytest.raises(InputError, match="TM0 has 2 values"):
        lattice.with_weights({"TM0": [1]})


@pytest.mark.parametrize("kind", ["osgx", "slf", "openfst"])
def test_damaged_text_is_read_or_refused(kind: str, tmp_path: Path) -> None:
    lattice = monotone_lattice()
    write_search_graphs(tmp_path / "osgx", [lattice])
    write_slf_folder(tmp_path / "slf", [lattice])
    write_openfst(tmp_path / "openfst", [lattice])
    name = {"osgx": "osgx", "slf": "slf/7.slf", "openfst": "openfst/7.fst.txt"}[kind]
    whole = (tmp_path / name).read_bytes()
    rng = random.Random(3)  # noqa: S311
    refused = right = 0
    for _ in range(400):
        content = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(content))
            content[at : at + rng.randrange(3)] = rng.choice(
                [b"", b" ", b"9", b"-", b"\n", b"=", b"\xff", b"1e99"]
            )
        (tmp_path / name).write_bytes(content)
        try:
            found = {
                "osgx": lambda: read_search_graphs(tmp_path / "osgx", lattice.weights),
                "slf": lambda: read_slf_folder(tmp_path / "slf"),
                "openfst": lambda: read_openfst(tmp_path / "openfst"),
            }[kind]()
            right += all(len(some.nbest(5)) > 0 for some in found)
        except InputError as error:
            refused += str(tmp_path / name) in str(error)
    assert right + refused == 400
    assert right > 20 < refused
