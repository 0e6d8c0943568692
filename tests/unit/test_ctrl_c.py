"""Ctrl-C ends compiled work on its way; times are those of the processor, not of a busy machine."""

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lattices import random_lattice

from nlmt.cli import main
from nlmt.decoder.binary_tables import binarise_tables, check_binary_table
from nlmt.evaluation import _statistics
from nlmt.io import _lattice
from nlmt.io.files import copy_file, read_lines, write_lines
from nlmt.io.lattice_file import write_lattices
from nlmt.phrases._phrases import EncodedBitext, Lexicon
from nlmt.text import train_pieces
from nlmt.vocabulary import SPECIAL

GOLDEN = Path(__file__).parents[1] / "golden"
SOON = 0.02  # seconds until Ctrl-C; each work takes many times as long


def time_with_programs() -> float:
    """Time of the processor, with that of the programs that this process has started."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.process_time() + ended.ru_utime + ended.ru_stime
    for children in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread, or a program, that has just ended
            for child in children.read_text().split():
                seconds += time.clock_gettime(~int(child) << 3 | 2)
    return seconds


@contextmanager
def interrupted_after(
    seconds: float, clock: Callable[[], float] = time.process_time
) -> Iterator[list[float]]:
    """Ctrl-C after some time of the processor; yields a list for the time when it came."""
    ended = threading.Event()
    began = clock()
    came: list[float] = []

    def watch() -> None:
        while not ended.wait(0.001):
            if clock() - began > seconds:
                came.append(clock())
                os.kill(os.getpid(), signal.SIGINT)
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield came
    finally:
        ended.set()
        thread.join()


def ends_on_its_way(work: Callable[[], object]) -> bool:
    """Whether Ctrl-C saves more than half of the work."""
    began = time.process_time()
    work()
    whole = time.process_time() - began
    began = time.process_time()
    with pytest.raises(KeyboardInterrupt), interrupted_after(SOON):
        work()
    return whole > 4 * SOON and time.process_time() - began < whole / 2


@pytest.mark.parametrize("threads", [1, 2])
def test_counting_for_evaluation(threads: int) -> None:
    rows, length = 4_000, 25
    rng = np.random.default_rng(1)
    sides = []
    for _ in range(2):
        sides.append(rng.integers(50, size=rows * length, dtype=np.int32))
        sides.append(np.arange(0, rows * length + 1, length, dtype=np.int64))
    own, reference = sides[:2], sides[2:]
    texts = _statistics.EncodedTexts(*own, np.arange(rows, dtype=np.int32), *reference, 1)
    assert ends_on_its_way(lambda: _statistics.ter(texts, threads))


def test_the_lexicon(tmp_path: Path) -> None:
    bitext = EncodedBitext(str(tmp_path), 1 << 28)
    words = [f"w{word}" for word in np.random.default_rng(1).permutation(20_000)]
    links = " ".join(f"{place}-{place}" for place in range(20))
    for start in range(0, 20_000, 20):
        line = " ".join(words[start : start + 20])
        for _ in range(80):
            bitext.add(line, line, links)
    bitext.finish()
    assert ends_on_its_way(lambda: Lexicon(bitext, 1 << 26))


def test_the_paths_of_a_lattice() -> None:
    some = random_lattice(5, nodes=400, arcs=6000)
    graph = some.nodes, some.from_node, some.to_node, some.scores()
    words = some.phrase, some.word_offsets, some.word_ids
    assert ends_on_its_way(lambda: _lattice.best_paths(*graph, 500_000, False, *words))


def test_copying_a_file(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(400 << 20)
    assert ends_on_its_way(lambda: copy_file(tmp_path / "large", tmp_path / "copy"))


def write_inputs(folder: Path, part: int) -> None:
    """Write inputs on which each command works for some tenths of a second, over `part`."""
    words = [f"w{number}" for number in range(300_000 // part)]
    rng = np.random.default_rng(1)
    rows = rng.zipf(1.3, (30_000 // part, 20)) % 2_000
    few = 6_000 // part
    texts = {"text.en": rows, "text.fr": rows, "one": rows[:few], "other": rows[few : 2 * few]}
    texts |= {"short.fr": rows[: few // 20], "short.en": rows[: few // 20]}
    for name, some in texts.items():
        write_lines(folder / name, (" ".join(f"w{word}" for word in row) for row in some.tolist()))
    write_lines(folder / "links", [" ".join(f"{w}-{w}" for w in range(20))] * len(rows))
    scores = {"table": "1 1 1 1 ||| 0-0 ||| 1 1 1", "order": ".2 .2 .6 .2 .2 .6"}
    for name, of_each in scores.items():
        write_lines(folder / name, (f"{word} ||| {word} ||| {of_each}" for word in words))
    many = (f"v{number}" for number in range(700_000 // part))
    ngrams = [f"-1\t{word}\t0" for word in (*SPECIAL, "w1", *many)], ["-1\t<s> w1"]
    counts = (f"ngram {order}={len(some)}" for order, some in enumerate(ngrams, start=1))
    parts = ("\\1-grams:", *ngrams[0], "", "\\2-grams:", *ngrams[1], "", "\\end\\")
    write_lines(folder / "lm.arpa", ("\\data\\", *counts, "", *parts))
    write_lines(folder / "source", [*read_lines(GOLDEN / "test.fr")] * (20 // part))
    for name, copies in (("reference", 20), ("references", 100)):
        write_lines(folder / name, [*read_lines(GOLDEN / "test.en")] * (copies // part))
    nbest = [row.partition(" ") for row in read_lines(GOLDEN / "output/cube5000.nbest.gz")]
    for name, copies in (("nbest", 20), ("long", 100)):
        numbered = (
            (int(row[0]) + 30 * copy, row[2]) for copy in range(copies // part) for row in nbest
        )
        write_lines(folder / name, (f"{number} {rest}" for number, rest in numbered))
    write_lines(folder / "model.yaml", ["{dim: 32, epochs: 30, output: full}"])
    write_lines(folder / "ngram.yaml", ["{kind: ngram, order: 5}"])
    lattice = random_lattice(1, nodes=60, arcs=400)
    write_lattices(folder / "lattices", (replace(lattice, sentence=i) for i in range(400 // part)))
    write_lines(folder / "four", ["a b c d"] * (400 // part))
    values, points = rows[:few, :6], rng.integers(20, size=(few, 9))
    for name, labels, table in (
        ("FEATURES", "6 LM0_0 LM0_1 LM0_2 LM0_3 LM0_4 LM0_5", values),
        ("SCORES", "9 BLEU", points),
    ):
        lines = []
        for number in range(few // 100):  # lists of 100
            lines.append(f"{name}_TXT_BEGIN_0 {number} 100 {labels}")
            lines += [" ".join(map(str, row)) for row in table[100 * number :][:100].tolist()]
            lines.append(f"{name}_TXT_END_0")
        write_lines(folder / name.lower(), lines)
    write_lines(folder / "init.opt", ["1 " * 6])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs of all commands; in `few`, a twentieth of them."""
    folder = tmp_path_factory.mktemp("ctrl-c")
    write_inputs(folder, 1)
    write_inputs(folder / "few", 20)
    return folder


COMMANDS = [
    "binarise --phrase-table table --reordering-table order --out out --threads 1",
    "classes brown --text text.en --classes 50 --out out",
    "classes exchange --text text.en --classes 50 --out out",
    "classes speed-regularised --text text.en --classes 50 --out out",
    "decode -f {golden}/moses.ini -i source -threads 1",
    "evaluate --hypotheses one --reference other --threads 1",
    "lattice best lattices --nbest 50",
    "lattice convert lattices out",
    "lattice info lattices",
    "lattice prune lattices out --density 3",
    "lm encode text.en --out ids",
    "lm perplexity lm.arpa reference",
    "lm score lm.arpa reference",
    "lm train --config model.yaml --train reference --dev source --out lm --overwrite --threads 1",
    "mert --features features --scores scores --init init.opt --restarts 500",
    "nbest best long --weights {golden}/moses.ini",
    "nbest info long",
    "nbest mbr nbest out",
    "nbest merge nbest nbest --weights {golden}/moses.ini --out out",
    "nbest oracle long out --reference references",
    "nbest sort long out --weights {golden}/moses.ini",
    "nbest totals long out --weights {golden}/moses.ini",
    "rescore --lattice lattices --model lm.arpa --model-weight .1 --out out",
    "rescore --nbest nbest --model lm.arpa --label LM9 --out out",
    "text detokenise --language en text.en",
    "text tokenise --language en text.en",
    "tune --decode {golden}/moses.ini --source source --reference reference --folder tuned"
    " --overwrite --size 20 --iterations 1 --threads 1",
    "tune --lattice lattices --reference four --out out --threads 1",
    "tune --nbest nbest --reference reference --weights {golden}/moses.ini --out out",
    "tuples --source text.fr --target text.en --alignment links --out out",
]
# These start programs: eflomal, lmplz.
STARTING = [
    "align --source short.fr --target short.en --out out",
    "lm train --config ngram.yaml --train text.en --dev one --out ngram --overwrite --threads 1",
]


@pytest.mark.parametrize("command", [*COMMANDS, *STARTING])
def test_commands(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a third of its work Ctrl-C ends a command before the next third is done."""
    clock = time_with_programs if command in STARTING else time.process_time
    arguments = command.format(golden=GOLDEN).split()
    monkeypatch.chdir(folder / "few")
    assert main(arguments) == 0  # imports, too
    monkeypatch.chdir(folder)
    began = clock()
    assert main(arguments) == 0
    whole = clock() - began
    for _ in range(5):
        began = clock()
        with interrupted_after(whole / 3, clock) as came:
            status = main(arguments)
        ended = clock()
        if came and came[0] - began < whole / 2:  # not late, as it may be beside other work
            assert status == 130
            assert ended - came[0] < whole / 3
            return
    pytest.fail("Ctrl-C always came too late")


def test_checking_a_binary_table(folder: Path) -> None:
    """So fast that some interruptions come too late."""
    path = folder / "checked"
    binarise_tables(folder / "table", folder / "order", path, threads=1)
    used = []
    for _ in range(5):
        began = time.process_time()
        check_binary_table(str(path))
        used.append(time.process_time() - began)
    for _ in range(100):
        began = time.process_time()
        try:
            with interrupted_after(min(used) / 4):
                check_binary_table(str(path))
        except KeyboardInterrupt:
            if time.process_time() - began < min(used) * 3 / 4:
                return
    pytest.fail("it was never interrupted on its way")


def test_training_of_pieces(tmp_path: Path) -> None:
    """A program of its own works for half a minute, or until Ctrl-C."""
    pytest.importorskip("sentencepiece")
    letters = np.random.default_rng(1).integers(ord("a"), ord("q"), (6_000, 15, 5), np.uint8)
    write_lines(
        tmp_path / "text", (" ".join(bytes(word).decode() for word in row) for row in letters)
    )
    ended = threading.Event()

    def interrupt() -> None:
        while not ended.wait(0.05):
            children = Path("/proc/self/task", str(os.getpid()), "children").read_text().split()
            if any(time.clock_gettime(~int(child) << 3 | 2) > 1 for child in children):
                os.kill(os.getpid(), signal.SIGINT)
                return

    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            train_pieces(tmp_path / "text", tmp_path / "model", size=4000)
    finally:
        ended.set()
        thread.join()
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began < 10
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
