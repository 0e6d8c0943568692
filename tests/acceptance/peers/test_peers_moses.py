"""Moses (MOSES=program) and `nlmt decode` on the same models and sentences."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from held import Case, held
from samples import seeded

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.decoder.moses import MosesDecoder, find_moses, moses_version
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.lattice_moses import read_search_graphs
from nlmt.io.moses_ini import read_ini
from nlmt.io.nbest import iter_nbest
from nlmt.io.weights import read_weights
from tests.unit.decoder.decoder_worlds import (
    BIGRAMS,
    SOURCE,
    UNKNOWN,
    ngram_model,
    random_world,
    write_world,
)
from tests.workflow.conftest import PAIR, change, make_project, run_snakemake

GOLDEN = Path(__file__).parents[2] / "golden"
INI = (GOLDEN / "moses.ini").read_text()
NBEST = 20
RUN = "decode/baseline/run1"
TOLERANCE = 2e-3  # of scores that are printed with six digits


@pytest.fixture(autouse=True)
def in_golden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths of the golden moses.ini count from its folder."""
    monkeypatch.chdir(GOLDEN)


@cache
def moses() -> Path:
    if "MOSES" not in os.environ:
        pytest.skip("MOSES= names no program")
    return find_moses(os.environ["MOSES"])


def version() -> str:
    return f"Moses {moses_version(moses())}"


Best = list[tuple[str, float]]


def decode(program: list[str | Path], folder: Path, *flags: str | Path) -> Best:
    """The best translations with their scores; fails as the program does."""
    listed = folder / "list"
    listed.unlink(missing_ok=True)
    text: list[str | Path] = [] if "-i" in flags else ["-i", "test5.fr"]
    command = [*program, *text, "-n-best-list", listed, str(NBEST), "distinct", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [str(done.returncode)]
        raise InputError(lines[-1])
    return best_of(listed)


def best_of(listed: Path) -> Best:
    """The first translation of each sentence of a list."""
    best: dict[int, tuple[str, float]] = {}
    for block in iter_nbest(listed):
        for number, total in enumerate(block.totals):
            best.setdefault(int(block.sentence[number]), (block.text(number), float(total)))
    return [best[sentence] for sentence in sorted(best)]


def same(theirs: Best, ours: Best) -> bool:
    """Whether the best translations and scores are the same, or ours are better."""
    return len(theirs) == len(ours) and all(
        (a[0] == b[0] and abs(a[1] - b[1]) <= TOLERANCE) or b[1] > a[1] + TOLERANCE
        for a, b in zip(theirs, ours, strict=True)
    )


def hold_ini(
    case: Case,
    name: str,
    text: str,
    folder: Path,
    *flags: str | Path,
    same: Callable[[Best, Best], bool] = same,
) -> None:
    ini = folder / "moses.ini"
    ini.write_bytes(text.encode())
    nlmt = [sys.executable, "-m", "nlmt.cli", "decode"]
    case.hold(
        name,
        lambda: decode([moses(), "-f", ini], folder, *flags),
        lambda: decode([*nlmt, "-f", ini], folder, *flags),
        same,
    )


def replaced(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


def without(ini: str, *parts: str) -> str:
    for part in parts:
        ini = ini.replace(part, "")
    return ini


def added(text: str) -> Callable[[str], str]:
    return lambda ini: f"{ini}\n{text}\n"


LM = "KENLM name=LM0 factor=0 path=model/lm.arpa.gz order=3"
GENERAL = "filterable=true verbosity=2 tuneable=true"
OLD = """\
[input-factors]
0
[mapping]
0 T 0
[ttable-file]
0 0 0 4 model/phrase-table.gz
[lmodel-file]
8 0 3 model/lm.arpa.gz
[distortion-file]
0-0 wbe-msd-bidirectional-fe-allff 6 model/reordering-table.wbe-msd-bidirectional-fe.gz
[ttable-limit]
20
[weight-d]
0.3
0.3
0.3
0.3
0.3
0.3
0.3
[weight-l]
0.5
[weight-t]
0.2
0.2
0.2
0.2
[weight-w]
-1
[distortion-limit]
6
"""
SHAPES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "CRLF": replaced("\n", "\r\n"),
    "comments": lambda ini: ini.replace("6\n", "6 # words\n").replace("0.5\n", "0.5# all\n"),
    "a comment in a feature": replaced("order=3", "order=3 # all"),
    "blanks before lines": lambda ini: ini.replace("\n", "\n  ").replace("[weight]", " \t[weight]"),
    "text after a heading": replaced("[weight]", "[weight] of all"),
    "tabs": lambda ini: ini.replace(" name=", "\tname=").replace("= ", "=\t"),
    "no blank after =": replaced("LM0= 0.5", "LM0=0.5"),
    "a blank before =": replaced("LM0= 0.5", "LM0 = 0.5"),
    "weights first": lambda ini: f"{ini[ini.index('[weight]'):]}\n{ini[:ini.index('[weight]')]}",
    "sections twice": added("[distortion-limit]\n6\n[weight]\n[feature]"),
    "another value": added("[distortion-limit]\n2"),
    "features after their weights": lambda ini: f"{without(ini, LM)}[feature]\n{LM}\n",
    "no weights of LM0": replaced("LM0= 0.5\n", ""),
    "no weights of WordPenalty": replaced("WordPenalty0= -1\n", ""),
    "no weights of the table": replaced("TranslationModel0= 0.2 0.2 0.2 0.2\n", ""),
    "too few weights": replaced("0.2 0.2 0.2 0.2", "0.2 0.2 0.2"),
    "weights of no feature": replaced("LM0= 0.5", "LM0= 0.5\nLM7= 1"),
    "weights twice": replaced("LM0= 0.5", "LM0= 0.5\nLM0= 0.2"),
    "weights with exponents": replaced("LM0= 0.5", "LM0= 5e-1"),
    "a name that ends in .gz is found without": replaced("phrase-table.gz", "phrase-table"),
    "no mapping": replaced("[mapping]\n0 T 0", ""),
    "a mapping by name": replaced("0 T 0", "0 TranslationModel0"),
    "a short mapping": replaced("0 T 0", "T 0"),
    "an unknown section": added("[distorsion-limit]\n6"),
    "an unknown section without values": added("[distorsion-limit]"),
    "an unknown feature": replaced("PhrasePenalty\n", "PhrasePenalty\nPhraseBonus\n"),
    "an unknown setting": replaced("order=3", "order=3 ordre=3"),
    "a setting twice": replaced("order=3", "order=3 order=3"),
    "a wrong number of scores": replaced("num-features=4", "num-features=3"),
    "settings of all features": replaced("order=3", f"order=3 {GENERAL}"),
    "tuneable-components": replaced("num-features=4", "num-features=4 tuneable-components=1,0,1,1"),
    "tuneable=false": replaced("order=3", "order=3 tuneable=false"),
    "lazyken": replaced("order=3", "order=3 lazyken=0"),
    "another order": replaced("order=3", "order=2"),
    "no order": replaced(" order=3", ""),
    "no factors": lambda ini: without(ini, "input-factor=0 output-factor=0", "factor=0"),
    "no distortion limit": replaced("[distortion-limit]\n6", ""),
    "no limit of distortion": replaced("[distortion-limit]\n6", "[distortion-limit]\n-1"),
    "monotone": replaced("[distortion-limit]\n6", "[distortion-limit]\n0"),
    "table-limit": replaced("num-features=4", "num-features=4 table-limit=2"),
    "no table limit": replaced("num-features=4", "num-features=4 table-limit=0"),
    "cube pruning": added("[search-algorithm]\n1\n[cube-pruning-pop-limit]\n2000\n[stack]\n2000"),
    "stack": added("[stack]\n500"),
    "no limit of the stack": replaced("]\n6", "]\n1\n[stack]\n0\n[beam-threshold]\n0"),
    "beam-threshold": added("[beam-threshold]\n0.001"),
    "max-trans-opt-per-coverage": added("[max-trans-opt-per-coverage]\n5"),
    "max-phrase-length": added("[max-phrase-length]\n20"),
    "drop-unknown": added("[drop-unknown]\ntrue"),
    "drop-unknown without a value": added("[drop-unknown]"),
    "monotone-at-punctuation": added("[monotone-at-punctuation]\n1"),
    "monotone-at-punctuation without a value": added("[monotone-at-punctuation]"),
    "sections of the server": added("[server-port]\n8080\n[session-timeout]\n1h\n[threads]\n1"),
    "sections that are off": added("[stack-diversity]\n0\n[mark-unknown]\nfalse\n[print-id]\n0"),
    "verbose": added("[verbose]\n0"),
    "a label that is no class's": lambda ini: ini.replace("LM0", "ngrams"),
    "features without names": lambda ini: ini.replace("name=LM0 ", "").replace("LM0=", "KENLM0="),
    "another kind of table": replaced("PhraseDictionaryMemory", "PhraseDictionaryCompact"),
    "SRILM": replaced("KENLM", "SRILM"),
    "generation": added("[generation-file]\n0 1 2 model/phrase-table.gz"),
    "the form of before 2013": lambda _: OLD,
    "the old form without limits": lambda _: OLD.replace("[ttable-limit]\n20\n", ""),
    "both forms": lambda ini: ini + OLD,
    "old sections behind features": added("[weight-d]\n0.3"),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_moses_ini(shape: str, tmp_path: Path) -> None:
    with held(version(), "moses.ini: translations and scores") as case:
        hold_ini(case, shape, SHAPES[shape](INI), tmp_path)


FLAGS = {
    "cube pruning": "-search-algorithm 1 -cube-pruning-pop-limit 2000 -s 2000",
    "monotone": "-dl 0",
    "stack": "-s 1000",
    "beam": "-b 0.01",
    "drop unknown words": "-du",
    "weights": "-weight-overwrite LM0=|1|WordPenalty0=|-0.5",
    "segmentation": "-include-segmentation-in-n-best -print-alignment-info-in-n-best",
    "MBR": "-mbr",
    "start": "-start-translation-id 0",
    "two threads": "-threads 2",
}


@pytest.mark.parametrize("name", FLAGS)
def test_flags(name: str, tmp_path: Path) -> None:
    flags = [flag.replace("|", " ") for flag in FLAGS[name].split()]
    with held(version(), "flags: translations and scores") as case:
        hold_ini(case, name, INI, tmp_path, *flags)


def test_search_graphs_are_read(tmp_path: Path) -> None:
    """The best path of Moses' search graph has the score of its best translation."""
    graph = tmp_path / "graph"
    best = decode([moses(), "-f", "moses.ini"], tmp_path, "-osgx", graph)
    with held(version(), "search graphs: best paths") as case:
        weights = read_ini("moses.ini").weights
        for theirs, lattice in zip(best, read_search_graphs(graph, weights), strict=True):
            path = lattice.best_path()
            ours = (lattice.text(path), path.score)
            case.hold(theirs[0], lambda a=theirs: [a], lambda b=ours: [b], same)


@pytest.mark.parametrize("first", [0, 7])
def test_the_engine_copies_what_moses_wrote(first: int, tmp_path: Path) -> None:
    """Lists of the engine `moses` are those that Moses writes when asked for them by hand."""
    engine = MosesDecoder("moses.ini", moses(), search=SearchOptions(distortion_limit=6))
    request = NbestRequest(tmp_path / "ours", NBEST, distinct=True)
    lines = list(read_lines("test5.fr"))
    found = [best.text for best in engine.translate(lines, nbest=request, first=first)]
    expected = [text for text, _ in decode([moses(), "-f", "moses.ini"], tmp_path, "-dl", "6")]
    listed = [line.split(" ", 1) for line in read_lines(tmp_path / "list")]
    numbered = [f"{int(number) + first} {rest}" for number, rest in listed]
    with held(version(), "decoder.engine: moses, translations and lists") as case:
        case.compare("translations", expected, found)
        case.compare("list", numbered, list(read_lines(tmp_path / "ours")))


def test_the_engine_takes_what_moses_takes(tmp_path: Path) -> None:
    """Empty lines, markup and odd characters: as many translations as lines, complete lists."""
    lines = ["", "le chien", " ", "&lt; < > [ ]", "le\tchien", "x" * 5000, "a <b> c", ""]
    engine = MosesDecoder("moses.ini", moses(), search=SearchOptions(distortion_limit=6))
    embedded = Decoder("moses.ini", search=SearchOptions(distortion_limit=6))
    found = []
    for one, name in ((engine, "theirs"), (embedded, "ours")):
        request = NbestRequest(tmp_path / name, 1)
        texts = [best.text for best in one.translate(lines, nbest=request)]
        found.append((texts, list(read_lines(tmp_path / name))))
    with held(version(), "decoder.engine: moses, odd lines") as case:
        case.compare(lines, found[0][0], found[1][0])


def test_the_whole_workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny workflow decodes, in shards, and tunes with Moses; we translate no worse."""
    folder = tmp_path / "project"
    folder.mkdir()
    make_project(folder)
    settings = {"pop_limit": 100, "stack": 100, "shards": 2, "engine": "moses"}
    change(
        folder, decoder={**settings, "path": str(moses())}, systems={"nlm_decoder": None}, runs=1
    )
    done = run_snakemake(folder, "reports")
    assert done.returncode == 0, done.stderr
    monkeypatch.chdir(folder)
    pair = Path(PAIR)
    lines = list(read_lines(pair / "text/test.fr.gz"))
    weights = read_weights(pair / "tune/baseline/run1/weights.json")
    search = SearchOptions(cube_pruning=True, pop_limit=1000, stack=1000, distortion_limit=6)
    embedded = Decoder(pair / "tm/baseline/moses.ini", search=search)
    embedded.set_weights(weights)
    list(embedded.translate(lines, nbest=NbestRequest(tmp_path / "list", 1)))
    theirs, ours = (best_of(path) for path in (pair / RUN / "test.nbest.gz", tmp_path / "list"))
    with held(version(), "the whole workflow: scores of translations") as case:
        for number, (a, b) in enumerate(zip(theirs, ours, strict=True)):
            case.hold(number, lambda a=a: [a], lambda b=b: [b], same)


WORLDS = 40
# Moses takes forward scores from columns of the backward ones (docs/decoder.md).
DIFFERS = re.compile("bidirectional.*collapseff")


def for_moses(line: str) -> str:
    """A feature with all that Moses asks for: factors, and the whole names of phrase tables."""
    kind = line.split(" ")[0]
    if kind == "PhraseDictionaryMemory":
        whole = re.sub("path=[^ ]*", lambda path: f"{path[0]}.gz", line)
        return f"{whole} input-factor=0 output-factor=0"
    if kind == "LexicalReordering":  # one of sources alone has no factors of the target
        target = "" if re.search("type=[^ ]*-f(-| )", f"{line} ") else " output-factor=0"
        return f"{line} input-factor=0{target}"
    return f"{line} factor=0" if kind == "KENLM" else line


@pytest.mark.parametrize("number", range(WORLDS))
def test_random_models(number: int, tmp_path: Path) -> None:
    """Tables with any scores and kinds of reordering; a search that loses nothing."""
    draw = seeded("world", number)
    (tmp_path / "bigrams.arpa").write_text(BIGRAMS)
    lms = [ngram_model(path) for path in (tmp_path / "bigrams.arpa", GOLDEN / "model/lm.arpa.gz")]
    world = random_world(draw, lms, table_limit=draw.random() < 0.5)
    while any(DIFFERS.search(table.kind) for table in world.reorderings):
        world = random_world(draw, lms)
    for table in world.tables:  # Moses scores no </s> behind a phrase without words
        for source, target in [pair for pair in table.pairs if not pair[1]]:
            table.pairs[source, ("for",)] = table.pairs.pop((source, target))
    lines = write_world(world, tmp_path, draw).read_text().splitlines()
    lines = [for_moses(line) for line in lines]
    paths = [f"{table} T {table}" for table in range(len(world.tables))]
    text = "\n".join(["[input-factors]", "0", "[mapping]", *paths, *lines, ""])
    (tmp_path / "text").write_text(
        "".join(
            f"{' '.join(draw.choices([*SOURCE, *SOURCE, *UNKNOWN], k=draw.randint(1, 5)))}\n"
            for _ in range(5)
        )
    )
    flags = ["-i", tmp_path / "text", "-s", "2000", "-b", "0", "-dl", str(draw.randint(-1, 4))]
    with held(version(), "random models: scores of best translations") as case:
        hold_ini(case, f"{number}", text, tmp_path, *flags, same=equal)


def equal(theirs: Best, ours: Best) -> bool:
    """Whether the best scores are the same; several translations may have them."""
    return len(theirs) == len(ours) and all(
        abs(a[1] - b[1]) <= TOLERANCE for a, b in zip(theirs, ours, strict=True)
    )
