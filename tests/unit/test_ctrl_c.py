"""Ctrl-C ends each command, and compiled work, on its way."""

import json
import os
import resource
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from golden_pair import golden_pair
from interruptions import check_command, interrupted_after, time_with_programs
from job_records import job_record
from lattices import random_lattice

from nlmt.cli import main
from nlmt.cli.papers import PUBLISHED
from nlmt.cli.parser import all_parsers, commands_below
from nlmt.decoder.binary_tables import binarise_tables, check_binary_table
from nlmt.evaluation import _statistics
from nlmt.io import _lattice
from nlmt.io.files import copy_file, read_lines, write_lines
from nlmt.io.json_files import write_json
from nlmt.io.lattice_file import write_lattices
from nlmt.phrases._phrases import EncodedBitext, Lexicon
from nlmt.provenance import Store
from nlmt.runlog import INTERRUPTED
from nlmt.text import train_pieces
from nlmt.vocabulary import SPECIAL

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden"
SOON = 0.02  # seconds until Ctrl-C; each work takes many times as long


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
    write_lines(folder / "classes", (f"{word}\t{len(word)}" for word in words))
    write_records(folder, part)
    write_systems(folder)


def write_records(folder: Path, part: int) -> None:
    """Write results with records of jobs, and two runs that differ in nothing but times."""
    for name, seconds in (("one-run", 1), ("other-run", 2)):
        rows = (f"{row}\t{seconds}" for row in range(300_000 // part))
        write_lines(folder / name / "table.tsv", ("row\tseconds", *rows))
    (folder / "made").mkdir()
    (folder / "made/noise").write_bytes(np.random.default_rng(1).bytes((30 << 20) // part))
    with (folder / "zeros").open("wb") as file:
        file.truncate((200 << 20) // part)
    jobs = folder / "results/provenance/jobs/make"
    jobs.mkdir(parents=True)
    for number in range(3_000 // part):  # each after that a hundred before
        job = job_record(inputs={str(number - 100): ""}, outputs={str(number): ""})
        (jobs / f"{number}.json").write_text(json.dumps(asdict(job)))
    with chdir(folder):
        made = {path: Store().made(path, "make/files").sha256 for path in ("made/noise", "zeros")}
        Store().write_job("make/files", job_record(outputs=made, versions={"nlmt": "1"}))


def write_systems(folder: Path) -> None:
    """Write a pair with the golden model, a large system of it, and published results."""
    pair = golden_pair(folder)
    plain = pair.systems["plain"][1]
    large = replace(plain, phrase_table="table", reordering_table="order")
    systems = replace(pair, systems={**pair.systems, "large": {1: large}})
    write_json(folder / "systems.json", systems.content())
    published = Path("schwenk2010/small/fr-en")
    shutil.copytree(ROOT / PUBLISHED / published, folder / "published" / published)


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
    "classes brown-tree --text text.en --classes 50 --out out",
    "classes convert classes --out out",
    "classes exchange --text text.en --classes 50 --out out",
    "classes frequency --text text.en --classes 50 --out out",
    "classes speed-regularised --text text.en --classes 50 --out out",
    "classes square-root --text text.en --classes 50 --out out",
    "crate made --out out --licence none",
    "decode -f {golden}/moses.ini -i source -threads 1",
    "diff one-run other-run",
    "evaluate --hypotheses one --reference other --threads 1",
    "export . exported{new} --system large",
    "lattice best lattices --nbest 50",
    "lattice convert lattices out",
    "lattice info lattices",
    "lattice prune lattices out --density 3",
    "lm encode text.en --out ids",
    "lm info lm.arpa",
    "lm perplexity lm.arpa reference",
    "lm score lm.arpa reference",
    "lm train --config model.yaml --train reference --dev source --out lm --overwrite --threads 1",
    "mert --features features --scores scores --init init.opt --restarts 500",
    "nbest best long --weights {golden}/moses.ini",
    "nbest convert nbest out",
    "nbest info long",
    "nbest mbr nbest out",
    "nbest merge nbest nbest --weights {golden}/moses.ini --out out",
    "nbest oracle long out --reference references",
    "nbest sort long out --weights {golden}/moses.ini",
    "nbest totals long out --weights {golden}/moses.ini",
    "papers compare published published",
    "provenance zeros --verify",
    "rescore --lattice lattices --model lm.arpa --model-weight .1 --out out",
    "rescore --nbest nbest --model lm.arpa --label LM9 --out out",
    "resources demo",
    "text detokenise --language en text.en",
    "text recase recaser references",
    "text tokenise --language en text.en",
    "timeline results",
    "translate . source --system plain",
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


# Names of outputs that must not be there.
NEW = count()
# Commands that are not here, and why.
ELSEWHERE = {
    "completion": "has no input",
    "config check": "reads a few short files",
    "config generate": "has no input",
    "doctor": "only waits: test_waiting_for_a_server",
    "papers publish": "tests/unit/papers/test_papers_publish.py",
    "weights": "reads a moses.ini and a short file",
}


@pytest.mark.parametrize("command", [*COMMANDS, *STARTING])
def test_commands(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a third of its work Ctrl-C ends a command before the next third is done."""
    clock = time_with_programs if command in STARTING else time.process_time

    def run() -> int:
        return main(command.format(golden=GOLDEN, new=next(NEW)).split())

    monkeypatch.chdir(folder / "few")
    assert run() == 0  # imports, too
    monkeypatch.chdir(folder)
    check_command(run, clock)


def every_command() -> Iterator[str]:
    """The commands of `nlmt`, each with its subcommand, or the option that chooses its parser."""
    for name, parsers in all_parsers():
        for option, parser in parsers.items():
            for more in commands_below(parser) or [option]:
                yield f"{name} {more}".strip()


def test_each_command_is_tried_or_short() -> None:
    every = list(every_command())
    tried = {
        max((name for name in every if f"{line} ".startswith(f"{name} ")), key=len)
        for line in [*COMMANDS, *STARTING]
    }
    assert sorted(every) == sorted([*tried, *ELSEWHERE])


def test_waiting_for_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """`doctor` asks a server that never answers, for which it would wait half a minute."""
    monkeypatch.setenv("no_proxy", "*")
    connections = []

    def interrupt() -> None:
        with suppress(OSError):  # the end of the test
            connections.append(server.accept())
            os.kill(os.getpid(), signal.SIGINT)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=interrupt)
        thread.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        try:
            given = f"download={{debian: {{mirrors: ['{address}']}}}}"
            assert main(["doctor", "--config", given]) == INTERRUPTED
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
    for connection, _ in connections:
        connection.close()


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
