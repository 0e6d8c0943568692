"""The default system on one pair, five times in one folder: nothing drifts.

Results stay the same bytes; memory, file handles, temporary files and the number of files do not
grow. The table of the rounds is printed (pytest -rP).
"""

import csv
import hashlib
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from nlmt.decoder import Decoder, NbestRequest
from nlmt.io.files import read_lines
from nlmt.io.weights import read_weights
from tests.workflow.conftest import ROOT, artefacts

ROUNDS = 5
PAIR = "results/help/fr-en"
# Between two runs of one job, peak memory differs by what threads happen to hold, and by when
# Snakemake looks.
MORE, MORE_MB = 1.15, 30
STARTED_MB = 20  # more than a Python process holds before it imports anything


@dataclass(frozen=True)
class Round:
    """What one run of the workflow took and left."""

    seconds: float
    hashes: dict[str, str]
    snakemake_mb: float  # the most that Snakemake itself held
    handles: int  # the most that Snakemake held open
    jobs_mb: dict[str, float]  # by rule, the most that a job held
    results: int  # files
    state: int  # files of Snakemake, without its logs
    temporary: list[Path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to run in, with a folder for temporary files of its own."""
    folder = tmp_path_factory.mktemp("soak")
    (folder / "tmp").mkdir()
    return folder


@pytest.fixture(scope="module")
def rounds(folder: Path) -> list[Round]:
    """The workflow five times, each time all of it but the downloads."""
    return [run(folder, number) for number in range(ROUNDS)]


def run(folder: Path, number: int) -> Round:
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--cores", "2", "--workflow-profile", str(ROOT / "profiles/default"), "demo"]
    command += ["--forcerun", "extract_bitext"] if number else []
    begin, memory, handles = time.monotonic(), 0, 0
    with (folder / "snakemake.out").open("w") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=out,
            stderr=out,
            env=os.environ | {"TMPDIR": str(folder / "tmp")},
        )
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            with suppress(psutil.Error):
                memory = max(memory, watched.memory_info().rss)
                handles = max(handles, watched.num_fds())
            time.sleep(0.2)
    assert process.returncode == 0, (folder / "snakemake.out").read_text()[-5000:]
    state = [path for path in files(folder / ".snakemake") if "log" not in path.parts]
    return Round(
        seconds=time.monotonic() - begin,
        hashes={
            name: hashlib.sha256(content).hexdigest()
            for name, content in artefacts(folder, PAIR).items()
        },
        snakemake_mb=memory / 1e6,
        handles=handles,
        jobs_mb=peaks(folder / "results/benchmarks"),
        results=len(list(files(folder / "results"))),
        state=len(state),
        temporary=list((folder / "tmp").iterdir()),
    )


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def peaks(benchmarks: Path) -> dict[str, float]:
    """By rule, the largest memory of its jobs, of which Snakemake could measure it."""
    found: dict[str, float] = defaultdict(float)
    for path in files(benchmarks):
        with path.open() as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                if row["max_rss"] not in ("-", "NA"):
                    rule = path.relative_to(benchmarks).parts[0]
                    found[rule] = max(found[rule], float(row["max_rss"]))
    return found


def test_results_stay_the_same(rounds: list[Round]) -> None:
    for number, found in enumerate(rounds, start=1):
        print(
            f"round {number}: {found.seconds:.0f} s, {len(found.hashes)} artefacts, Snakemake "
            f"{found.snakemake_mb:.0f} MB and {found.handles} handles, largest job "
            f"{max(found.jobs_mb.values()):.0f} MB, {found.results} files of results, "
            f"{found.state} of Snakemake, {len(found.temporary)} temporary"
        )
    assert len(rounds[0].hashes) > 50
    assert all(found.hashes == rounds[0].hashes for found in rounds)


def test_no_files_accumulate(rounds: list[Round]) -> None:
    assert [found.temporary for found in rounds] == [[]] * ROUNDS
    assert {found.results for found in rounds} == {rounds[0].results}
    assert {found.state for found in rounds} == {rounds[0].state}


def test_snakemake_does_not_grow(rounds: list[Round]) -> None:
    # The first run downloads as well.
    first, last = rounds[1], rounds[-1]
    assert last.snakemake_mb < MORE * first.snakemake_mb
    assert last.handles <= first.handles + 5


def test_jobs_do_not_grow(rounds: list[Round]) -> None:
    # Of a job of less than a second Snakemake may see the start of the interpreter alone, so the
    # larger of two rounds counts, and jobs that it saw no more of in either are left out.
    seen = [
        {rule: memory for rule, memory in one.jobs_mb.items() if memory > STARTED_MB}
        for one in rounds[:2]
    ]
    first = {rule: max(one.get(rule, 0) for one in seen) for rule in seen[0] | seen[1]}
    assert {"align_words", "decode", "train_neural_lm", "tune_weights"} <= first.keys()
    grown = {
        rule: (first[rule], memory)
        for rule, memory in rounds[-1].jobs_mb.items()
        if rule in first and memory > MORE * first[rule] + MORE_MB
    }
    assert grown == {}


def test_one_decoder_does_not_grow(
    folder: Path, rounds: list[Round], monkeypatch, tmp_path
) -> None:
    """The test text five times over, by one process, with n-best lists and a neural model."""
    monkeypatch.chdir(folder)
    decoder = Decoder(Path(PAIR) / "tm/nlm_decoder/run1/moses.ini", threads=2)
    decoder.set_weights(read_weights(Path(PAIR) / "tune/nlm_decoder/run1/weights.json"))
    lines = list(read_lines(Path(PAIR) / "text/test.fr.gz"))
    process, memory, handles, outputs = psutil.Process(), [], [], set()
    for number in range(ROUNDS):
        nbest = NbestRequest(tmp_path / f"{number}.gz", 100, distinct=True)
        text = "\n".join(best.text for best in decoder.translate(lines, nbest=nbest))
        lists = (tmp_path / f"{number}.gz").read_bytes()
        outputs.add(hashlib.sha256(text.encode() + lists).hexdigest())
        memory.append(process.memory_info().rss / 1e6)
        handles.append(process.num_fds())
    print("MB after each round:", *[f"{megabytes:.0f}" for megabytes in memory])
    assert len(outputs) == 1
    assert memory[-1] < 1.03 * memory[1]
    assert len(set(handles)) == 1
