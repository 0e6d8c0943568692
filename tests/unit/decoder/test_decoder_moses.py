"""A Moses binary as the decoder. The binary is a fake: a script that answers with `nlmt decode`."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nlmt.decoder import (
    Decoder,
    DecoderSettings,
    GraphRequest,
    LatticeRequest,
    NbestRequest,
    SearchOptions,
    binarise_tables,
    open_engine,
    translation_settings,
)
from nlmt.decoder.moses import MosesDecoder, find_moses, moses_version
from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.io.lattice_file import LatticeFile

GOLDEN = Path(__file__).parents[2] / "golden"
LINES = list(read_lines(GOLDEN / "test.fr"))[:12]
SEARCH = SearchOptions(cube_pruning=True, stack=50, pop_limit=50, distortion_limit=6)
VERSION = "Moses code version (git tag or commit hash):"
DECODE = f'exec {sys.executable} -m nlmt.cli decode "$@"'
Fake = Callable[[str], Path]

pytestmark = pytest.mark.usefixtures("in_golden")


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    """Makes an executable that tells a version and otherwise does what `script` says."""

    def make(script: str) -> Path:
        binary = tmp_path / "bin/moses"
        binary.parent.mkdir(exist_ok=True)
        told = f"printf '\\n{VERSION}\\n  RELEASE-9\\nLibraries used:\\n\\t Boost\\n'"
        answer = f'if [ "$1" = --version ]; then {told}; exit 0; fi'
        binary.write_text(f"#!/bin/sh\n{answer}\n{script}\n")
        binary.chmod(0o755)
        return binary

    return make


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the translations of `LINES` and their n-best list."""
    folder = tmp_path_factory.mktemp("answers")
    decoder = Decoder(GOLDEN / "moses.ini", search=SEARCH)
    best = decoder.translate(LINES, nbest=NbestRequest(folder / "list", 5))
    write_lines(folder / "best", [line.text for line in best])
    return folder


def left_over(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.startswith(".")]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_answers_are_those_of_the_embedded_decoder(fake: Fake, tmp_path: Path, suffix: str) -> None:
    remains = tmp_path / f".moses.nbest{suffix}.0123abcd.work"  # of a run that was killed
    remains.mkdir()
    (remains / "output").write_text("x\n" * 99)
    engines = {
        "nlmt": Decoder("moses.ini", search=SEARCH),
        "moses": MosesDecoder("moses.ini", fake(DECODE), search=SEARCH, threads=2),
    }
    weights = {"LM0": [1 / 3], "WordPenalty0": [-0.7]}
    for name, engine in engines.items():
        engine.set_weights(weights)
        nbest = NbestRequest(
            tmp_path / f"{name}.nbest{suffix}", 20, distinct=True, segmentation=True, alignment=True
        )
        graph = GraphRequest(extended=tmp_path / f"{name}.graph{suffix}")
        best = list(engine.translate(LINES, nbest=nbest, graph=graph, first=5))
        (tmp_path / name).write_text("".join(f"{line.text}\n" for line in best))
    for kind in ("", f".nbest{suffix}", f".graph{suffix}"):
        assert (tmp_path / f"moses{kind}").read_bytes() == (tmp_path / f"nlmt{kind}").read_bytes()
    first, *_ = read_lines(tmp_path / f"moses.nbest{suffix}")
    assert first.startswith("5 ||| ")
    assert engines["moses"].weights() == engines["nlmt"].weights()
    assert left_over(tmp_path) == []


def test_lattices_are_made_from_the_search_graph(fake: Fake, tmp_path: Path) -> None:
    request = LatticeRequest(tmp_path / "lattices", density=20)
    engine = MosesDecoder("moses.ini", fake(DECODE), search=SEARCH)
    best = list(engine.translate(LINES, lattices=request, first=2))
    lattices = LatticeFile(request.path)
    assert [lattice.sentence for lattice in lattices] == list(range(2, 2 + len(best)))
    assert [lattice.text(lattice.best_path()) for lattice in lattices] == [b.text for b in best]
    graph = GraphRequest(extended=tmp_path / "graph")
    with pytest.raises(InputError, match="search graphs or lattices"):
        list(engine.translate(LINES, lattices=request, graph=graph))
    assert left_over(tmp_path) == []


def test_values_of_lattices_are_in_the_order_of_the_features(fake: Fake, tmp_path: Path) -> None:
    """mert-moses.pl writes the weights in another order than that of the features."""
    head, mark, weights = Path("moses.ini").read_text().partition("[weight]\n")
    ini = tmp_path / "moses.ini"
    ini.write_text(head + mark + "\n".join(reversed(weights.splitlines())))
    for name, path in (("golden", "moses.ini"), ("tuned", ini)):
        engine = MosesDecoder(path, fake(DECODE), search=SEARCH)
        list(engine.translate(LINES, lattices=LatticeRequest(tmp_path / name)))
    assert (tmp_path / "tuned").read_bytes() == (tmp_path / "golden").read_bytes()


def test_facts_name_the_binary_its_version_and_flags(fake: Fake) -> None:
    facts = MosesDecoder("moses.ini", fake(DECODE), search=SEARCH).facts
    assert facts["engine"] == "moses"
    assert facts["version"] == "RELEASE-9"
    assert facts["path"].endswith("bin/moses")
    assert facts["flags"][:4] == ["-search-algorithm", "1", "-stack", "50"]


def test_flags_are_passed_one_by_one_and_weights_as_written(fake: Fake, tmp_path: Path) -> None:
    binary = fake(f'for flag; do echo "$flag"; done > {tmp_path}/flags; cat "$4"')
    engine = MosesDecoder("moses.ini", binary, search=SEARCH, threads=3)
    engine.set_weights({"LM0": [0.1]})
    text = ["a; rm -rf $HOME `id`", "b"]
    assert [best.text for best in engine.translate(text, first=7)] == text
    flags = (tmp_path / "flags").read_text().splitlines()
    assert flags[:2] == ["-config", "moses.ini"]
    assert flags[flags.index("-threads") + 1] == "3"
    assert "-start-translation-id" not in flags  # Moses prints nothing then
    weights = flags[flags.index("-weight-overwrite") + 1]
    assert "LM0= 0.1 " in f"{weights} "
    assert "UnknownWordPenalty0= 1 " in f"{weights} "


def test_moses_has_no_context_of_recombination(fake: Fake, tmp_path: Path) -> None:
    search, ini = replace(SEARCH, recombination_context=9), tmp_path / "its.ini"
    ini.write_text(f"[recombination-context]\n9\n{Path('moses.ini').read_text()}")
    for path, place in (("moses.ini", r"moses\.ini"), (ini, r"its\.ini:1")):
        message = rf"{place}: \[recombination-context\]: Moses has no such section"
        with pytest.raises(InputError, match=message):
            MosesDecoder(path, fake(DECODE), search=search)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "echo loading; echo 'Exception: cannot open lm' >&2; echo at line 3 >&2; exit 1",
            r"moses failed \(status 1\): Exception: cannot open lm / at line 3",
        ),
        ("kill -9 $$", r"moses failed \(killed, possibly for lack of memory\)"),
        ("kill -ABRT $$", r"moses failed \(signal 6\)"),
        ("exit 0", "0 translations of 12 sentences"),
        ("head -c 400 /dev/urandom", "translations of 12 sentences|not UTF-8"),
        ("seq 11", "11 translations of 12 sentences"),
    ],
)
def test_failure_is_one_message_and_nothing_is_written(
    fake: Fake, tmp_path: Path, script: str, message: str
) -> None:
    engine = MosesDecoder("moses.ini", fake(script), search=SEARCH)
    nbest = NbestRequest(tmp_path / "list.gz", 5)
    with pytest.raises(InputError, match=message):
        list(engine.translate(LINES, nbest=nbest, source="test.fr"))
    assert not nbest.path.exists()
    assert left_over(tmp_path) == []


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("head -n 20", "no translation of sentence"),
        ("head -c -3", "not complete"),
        ("head -c -30", "not complete"),
        ("sed s/^3/77/", "sentence 77, which the text does not have|out of order|order"),
        ("sed s/LM0=/LM0=x/", "LM0"),
        ("grep -v .", "no translation of sentence 0"),
    ],
)
def test_broken_list_is_noticed(
    fake: Fake, answers: Path, tmp_path: Path, command: str, message: str
) -> None:
    find = 'while [ "$1" != -n-best-list ]; do shift; done'
    script = f'cat {answers}/best; {find}; {command} {answers}/list > "$2"; exit 0'
    engine = MosesDecoder("moses.ini", fake(script), search=SEARCH)
    nbest = NbestRequest(tmp_path / "list", 5)
    with pytest.raises(InputError, match=message):
        list(engine.translate(LINES, nbest=nbest))
    assert not nbest.path.exists()
    assert left_over(tmp_path) == []


def test_interruption_ends_the_binary_and_its_children(fake: Fake, tmp_path: Path) -> None:
    binary = fake(f"sleep 100 & echo $! $$ > {tmp_path}/pids; wait")
    code = (
        "from nlmt.decoder.moses import *\n"
        f"engine = MosesDecoder('moses.ini', Path('{binary}'), search=SearchOptions())\n"
        f"list(engine.translate(['a'], nbest=NbestRequest(Path('{tmp_path}/list'), 5)))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    pids: list[str] = []
    deadline = time.monotonic() + 300
    while not pids and time.monotonic() < deadline:
        time.sleep(0.02)
        if (tmp_path / "pids").exists():
            pids = (tmp_path / "pids").read_text().split()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    assert len(pids) == 2
    while any(_alive(int(pid)) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)  # a kill takes its time on a busy machine
    assert not any(_alive(int(pid)) for pid in pids)
    assert left_over(tmp_path) == []


def _alive(pid: int) -> bool:
    """Whether a process runs still; one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_what_moses_has_not_is_refused(fake: Fake, tmp_path: Path) -> None:
    engine = MosesDecoder("moses.ini", fake(DECODE), search=SEARCH)
    for graph, message in [
        (GraphRequest(slf=tmp_path), "only search graphs"),
        (GraphRequest(plain=tmp_path / "a", extended=tmp_path / "b"), "one search graph at a time"),
    ]:
        with pytest.raises(InputError, match=message):
            list(engine.translate(["a"], graph=graph))
    with pytest.raises(InputError, match="weights for XX0, but no such feature"):
        engine.set_weights({"XX0": [1.0]})
    text = (GOLDEN / "moses.ini").read_text()
    ini = tmp_path / "neural.ini"
    ini.write_text(text.replace("[feature]\n", "[feature]\nNeuralLM name=NLM0 path=lm/nce\n"))
    with pytest.raises(InputError, match=r"neural\.ini:\d+: NLM0: Moses has no NeuralLM"):
        MosesDecoder(ini, fake(DECODE), search=SEARCH)
    table = tmp_path / "tables.bin"
    binarise_tables(Path("model/phrase-table.gz"), None, table)
    ini.write_text(text.replace("model/phrase-table.gz", str(table)))
    with pytest.raises(InputError, match="TranslationModel0: Moses does not read nlmt's binary"):
        MosesDecoder(ini, fake(DECODE), search=SEARCH)


def test_binary_is_found_and_checked(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = fake("exit 1")
    assert find_moses(str(binary)) == binary
    monkeypatch.setenv("PATH", str(binary.parent), prepend=os.pathsep)
    assert find_moses(None) == binary
    assert moses_version(binary) == "RELEASE-9"
    settings = DecoderSettings(engine="moses", pop_limit=9, stack=8)
    found = translation_settings(settings)
    limits = {"pop_limit": 9, "stack": 8}
    assert found == {"engine": "moses", **limits, "path": str(binary), "version": "RELEASE-9"}
    moses = open_engine("moses.ini", found)
    assert isinstance(moses, MosesDecoder)
    found = translation_settings(DecoderSettings(pop_limit=9, stack=8))
    assert found == {"engine": "nlmt", **limits}
    embedded = open_engine("moses.ini", found)
    assert isinstance(embedded, Decoder)
    # The distortion limit is that of the moses.ini.
    assert embedded.search == SearchOptions(True, stack=8, pop_limit=9, distortion_limit=6)
    assert moses.facts["flags"] == embedded.facts["flags"] == embedded.search.flags()
    with pytest.raises(InputError, match="tables: moses cannot read binary tables"):
        translation_settings(DecoderSettings(engine="moses", tables="binary"))


@pytest.mark.parametrize(
    ("content", "mode", "message"),
    [
        (None, 0, r"no such file \(decoder\.path"),
        ("", 0o644, "not executable"),
        ("#!/bin/sh\nhead -c 500 /dev/urandom\n", 0o755, "not Moses"),
        ("#!/bin/sh\nexit 3\n", 0o755, "not Moses"),
        ("#!/no/such/shell\n", 0o755, "cannot be run"),
        ("#!/bin/sh\nexec sleep 100\n", 0o755, "no answer to --version within"),
    ],
)
def test_what_is_no_moses_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, mode: int, message: str
) -> None:
    monkeypatch.setattr("nlmt.decoder.moses._CHECK_SECONDS", 0.5)
    binary = tmp_path / "moses"
    if content is not None:
        binary.write_text(content)
        binary.chmod(mode)
    with pytest.raises(InputError, match=message):
        moses_version(find_moses(str(binary)))


def test_no_moses_in_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"no moses in PATH \(decoder\.path names"):
        find_moses(None)


def test_old_release_without_version_is_taken(tmp_path: Path) -> None:
    binary = tmp_path / "moses"
    credit = "Moses - A beam search decoder for phrase-based statistical machine translation models"
    binary.write_text(f"#!/bin/sh\necho '{credit}' >&2; echo 'Usage:' >&2; exit 1\n")
    binary.chmod(0o755)
    assert moses_version(binary) == "before --version"
