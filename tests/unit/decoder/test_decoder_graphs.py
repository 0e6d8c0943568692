"""Search graphs against those of Moses, the best translations, and the n-best lists."""

import re
from functools import cache, partial
from pathlib import Path

import pytest

from nlmt.cli import run_command
from nlmt.decoder import Decoder, GraphRequest, NbestRequest, SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.nbest import read_nbest

run = partial(run_command, "decode")

pytestmark = pytest.mark.threads

NARROW = SearchOptions(stack=20, distortion_limit=6)
CUBE = SearchOptions(cube_pruning=True, pop_limit=100, stack=50, distortion_limit=6)
Step = dict[str, str]


def read_graphs(path: Path) -> list[dict[int, Step]]:
    """Steps by number, for each sentence."""
    graphs: list[dict[int, Step]] = []
    for line in read_lines(path):
        if " stack=0" in line:
            graphs.append({})
            continue
        fields = re.sub(r" out=([^\"].*)", r' out="\1"', line)  # the plain format has no quotes
        step = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', fields))
        graphs[int(line.split(" ")[0])][int(step["hyp"])] = step
    return graphs


def span(step: Step) -> set[int]:
    first, last = map(int, step["covered"].split("-"))
    return set(range(first, last + 1))


def entries(graph: dict[int, Step]) -> set[tuple[frozenset[int], str, str, str]]:
    """What a step is apart from its number: coverage, source span, words, scores."""

    def coverage(number: int) -> frozenset[int]:
        if number == 0:
            return frozenset()
        return coverage(int(graph[number]["back"])) | span(graph[number])

    return {
        (coverage(number), step["covered"], step["out"], step.get("scores", ""))
        for number, step in graph.items()
    }


def paths(graph: dict[int, Step]) -> list[tuple[float, str]]:
    """Every complete translation with its score, by going through the graph."""
    ways: dict[int, list[Step]] = {}
    for number, step in graph.items():
        ways.setdefault(int(step.get("recombined", number)), []).append(step)

    @cache
    def until(node: int) -> list[tuple[float, str]]:
        if node == 0:
            return [(0.0, "")]
        return [
            (score + float(step["transition"]), f"{words} {step['out'].strip(chr(34))}")
            for step in ways[node]
            for score, words in until(int(step["back"]))
        ]

    complete = {int(s.get("recombined", n)) for n, s in graph.items() if s["forward"] == "-1"}
    return [(score, words.strip()) for node in complete for score, words in until(node)]


@pytest.fixture(scope="module")
def written(
    golden: Path, golden_decoder: Decoder, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[float]]:
    """All formats of the first five sentences, and their best scores."""
    folder = tmp_path_factory.mktemp("graphs")
    graph = GraphRequest(
        folder / "osg", folder / "osgx.gz", folder / "hypergraph", slf=folder / "slf"
    )
    golden_decoder.search = NARROW
    source = list(read_lines(golden / "test5.fr"))
    best = golden_decoder.decode(
        source, nbest=NbestRequest(folder / "nbest", 20, distinct=True), graph=graph
    )
    return folder, [translation.score for translation in best]


@pytest.mark.parametrize("name", ["osg", "osgx.gz"])
def test_moses_graphs_are_in_ours(
    name: str, golden: Path, written: tuple[Path, list[float]]
) -> None:
    ours = read_graphs(written[0] / name)
    theirs = read_graphs(golden / "output" / f"stack20.{name.removesuffix('.gz')}.gz")
    assert len(ours) == len(theirs) == 5
    for mine, moses, best in zip(ours, theirs, written[1], strict=True):
        assert entries(moses) <= entries(mine)
        ends = [float(step["score"]) for step in mine.values() if step["forward"] == "-1"]
        assert max(ends) == pytest.approx(best, abs=6e-4)
        assert max(ends) == max(float(s["score"]) for s in moses.values() if s["forward"] == "-1")
        number = max(mine, key=lambda n: (mine[n]["forward"] == "-1", float(mine[n]["score"])))
        while number:  # forward leads along the best way, fscore is what is left of it
            step = mine[number]
            assert float(step["score"]) + float(step["fscore"]) == pytest.approx(best, abs=2e-3)
            number = int(step["back"])


def test_lines_have_the_form_of_moses(golden: Path, written: tuple[Path, list[float]]) -> None:
    for name in ("osg", "osgx"):
        place = written[0] / ("osg" if name == "osg" else "osgx.gz")
        ours = {re.sub(r"(hyp|forward)=\d+", "", line) for line in read_lines(place)}
        moses = list(read_lines(golden / "output" / f"stack20.{name}.gz"))
        first = [line for line in moses if " stack=1 " in line and "recombined" not in line]
        # Numbers differ; a best completion that Moses' beam has lost changes fscore.
        same = sum(re.sub(r"(hyp|forward)=\d+", "", line) in ours for line in first)
        assert same == len(first)


def test_the_list_from_the_graph_is_the_list(written: tuple[Path, list[float]]) -> None:
    nbest = list(read_lines(written[0] / "nbest"))
    for number, graph in enumerate(read_graphs(written[0] / "osg")):
        found: dict[str, float] = {}
        for score, words in paths(graph):
            found[words] = max(score, found.get(words, score))
        listed = [line.split(" ||| ") for line in nbest if line.startswith(f"{number} |||")]
        totals = sorted(found.values(), reverse=True)[: len(listed)]
        assert [float(fields[3]) for fields in listed] == pytest.approx(totals, abs=1e-2)
        for fields in listed:
            assert found[fields[1].strip()] == pytest.approx(float(fields[3]), abs=1e-2)


def read_slf(path: Path) -> tuple[float, str, int]:
    """Score and words of the best path, and the number of dead ends."""
    scale: list[float] = []
    links = []
    nodes = end = -1
    for line in read_lines(path):
        fields = dict(token.split("=", 1) for token in line.split() if "=" in token)
        if line.startswith("x"):
            scale.append(float(line.split("=")[1]))
        elif line.startswith("end="):
            end = int(fields["end"])
        elif line.startswith("NODES="):
            nodes = int(fields["NODES"])
        elif line.startswith("J="):
            values = [float(fields.get(f"x{i + 1}", 0)) for i in range(len(scale))]
            score = sum(a * b for a, b in zip(scale, values, strict=True))
            links.append((int(fields["S"]), int(fields["E"]), fields["W"], score))
    best: dict[int, tuple[float, str]] = {0: (0.0, "")}
    for start, to, word, score in sorted(links, key=lambda link: link[1]):
        assert start < to
        way = (best[start][0] + score, f"{best[start][1]} {word}")
        best[to] = max(best.get(to, way), way)
    dead = set(range(nodes)) - {link[0] for link in links} - {end}
    assert end == nodes - 1
    assert set(best) == set(range(nodes))
    return best[end][0], best[end][1].strip(), len(dead)


def test_lattices_join_and_their_best_path_is_the_translation(
    written: tuple[Path, list[float]],
) -> None:
    nbest = read_nbest(written[0] / "nbest")
    assert len(nbest.totals) > 5
    firsts = [line.split(" ||| ")[1].strip() for line in read_lines(written[0] / "nbest")]
    for number, best in enumerate(written[1]):
        score, words, dead = read_slf(written[0] / "slf" / f"{number}.slf")
        assert score == pytest.approx(best, abs=1e-4)
        assert words in firsts
        assert dead == 0


def test_hypergraphs_hold_the_lines_of_moses(
    golden: Path, written: tuple[Path, list[float]]
) -> None:
    ours, theirs = written[0] / "hypergraph", golden / "output" / "hypergraph"
    assert (ours / "weights").read_text() == (theirs / "weights").read_text()
    for number in range(5):
        mine, moses = (list(read_lines(place / f"{number}.gz")) for place in (ours, theirs))
        assert mine[0] == moses[0]
        nodes, edges = map(int, mine[1].split())
        assert sum(line.startswith("# node") for line in mine) == nodes
        assert sum(" ||| " in line for line in mine[2:]) == edges

        def bodies(lines: list[str]) -> set[str]:
            # The last digit of a sum may differ.
            return {
                re.sub(r"(\.\d{4})\d\d", r"\1", line.split("] ", 1)[1])
                for line in lines
                if line.startswith("[")
            }

        assert len(bodies(moses) - bodies(mine)) <= len(bodies(moses)) // 20


def test_weights_of_hypergraphs_keep_their_digits(golden: Path, tmp_path: Path) -> None:
    decoder = Decoder(golden / "moses.ini")
    decoder.set_weights({"LM0": [1.2345678e-7], "Distortion0": [1 / 3]})
    decoder.decode(["ma ville"], graph=GraphRequest(hypergraphs=tmp_path / "hg"))
    weights = dict(line.split(" ") for line in read_lines(tmp_path / "hg" / "weights"))
    assert float(weights["LM0"]) == pytest.approx(1.2345678e-7, rel=1e-7)
    assert float(weights["Distortion0"]) == pytest.approx(1 / 3, rel=1e-7)
    assert weights["PhrasePenalty0"] == "0.200000"


def test_graphs_end_in_the_translations_and_do_not_change_them(
    golden: Path, golden_source: list[str], tmp_path: Path
) -> None:
    source = [*golden_source, "", "unbekannt"]
    decoder = Decoder(golden / "moses.ini", search=CUBE, threads=3)
    paths = (tmp_path / name for name in ("osg.gz", "osgx", "hg"))
    best = decoder.decode(source, graph=GraphRequest(*paths, False, tmp_path / "slf"))
    assert [b.text for b in best] == [b.text for b in decoder.decode(source)]
    for name, score in zip(("30", "31"), (0.0, best[31].score), strict=True):
        assert read_slf(tmp_path / "slf" / f"{name}.slf")[0] == pytest.approx(score, abs=1e-4)
    graphs = read_graphs(tmp_path / "osg.gz")
    assert graphs[30] == {}
    for steps, translation in zip(graphs, best, strict=True):
        ends = [float(step["score"]) for step in steps.values() if step["forward"] == "-1"]
        assert max(ends, default=0) == pytest.approx(translation.score, abs=6e-4)
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == 2 + 33 + 32


def test_a_word_that_is_none_in_a_format(golden_decoder: Decoder, tmp_path: Path) -> None:
    golden_decoder.search = NARROW
    source = ["unbekannt", "un !NULL bekannt"]
    graph = GraphRequest(slf=tmp_path / "slf")
    message = "input:2: sentence 1 has the word !NULL, which is no word in this format"
    with pytest.raises(InputError, match=message):
        golden_decoder.decode(source, graph=graph)
    assert [path.name for path in (tmp_path / "slf").iterdir()] == ["0.slf"]
    graph = GraphRequest(tmp_path / "osg", tmp_path / "osgx")
    golden_decoder.decode(source, graph=graph)
    assert '|!NULL"' in (tmp_path / "osgx").read_text()


@pytest.mark.usefixtures("in_golden")
def test_the_command_takes_moses_flags(tmp_path: Path) -> None:
    flags = ["-f", "moses.ini", "-i", "test5.fr", "-s", "20"]
    folder = tmp_path / "hg"
    run([*flags, "-osg", str(tmp_path / "osg"), "-output-search-graph-slf", str(tmp_path / "slf")])
    run([*flags, "-output-search-graph-hypergraph", "true", "txt", str(folder)])
    assert len(read_graphs(tmp_path / "osg")) == 5
    assert sorted(p.name for p in folder.iterdir()) == [*(f"{i}.txt" for i in range(5)), "weights"]
    with pytest.raises(InputError, match="true gz FOLDER"):
        run([*flags, "-output-search-graph-hypergraph", "true", "bz2", str(folder)])
    with pytest.raises(InputError, match="osg: not a folder"):
        run([*flags, "-output-search-graph-slf", str(tmp_path / "osg")])
