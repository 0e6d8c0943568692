"""Damaged files on their way from training to tuning, in bounded memory and time.

    python tests/unit/pipeline_fuzz.py --seconds 600 --seed 7

A case is a small model of `decoder_fuzz.py` and all that the commands make from it; one file is
damaged before one of the commands reads it. Each command ends well or in one line, in at most
10 s of the processor and, beyond what a command without damage takes, in 256 MB and a hundred times
the size of its files.
"""

import argparse
import io
import os
import random
import resource
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path

from nlmt.cli import main as nlmt

sys.path[:0] = [str(Path(__file__).with_name("decoder")), str(Path(__file__).parents[2])]

from decoder_fuzz import DAMAGES, make_case  # noqa: E402
from test_decoder_binary_tables import with_right_checksums  # noqa: E402

from tests.long_runs import Record, add_option, cpu_seconds  # noqa: E402

SECONDS = 10  # of the processor, of one case
ROOM = 256 << 20  # bytes
TIMES = 100  # the size of all files
INI, NEURAL_INI = "binary.ini", "neural.ini"
NETWORK = "order: 3\ndim: 4\nepochs: 1\nmin_count: 1\noutput: class-factored\n"
PARTS = ("config.json", "model.safetensors", "vocabulary.txt", "classes.tsv")
# Each command and the files that it is the first to read.
STEPS = (
    (
        "binarise --phrase-table table --reordering-table order --out tables.bin --threads 1",
        ("table", "order"),
    ),
    (
        "decode -f moses.ini -i input -threads 1 -xml-input inclusive",
        ("moses.ini", "input", "lm"),
    ),
    (
        f"decode -f {INI} -i input -threads 1 -n-best-list list 20 distinct"
        " -print-alignment-info-in-n-best -output-lattice lattices",
        ("tables.bin",),
    ),
    ("classes brown --text text --classes 3 --out classes", ("text",)),
    (
        "lm train --config network.yaml --train text --dev text --classes classes --out network"
        " --threads 1",
        ("network.yaml", "classes"),
    ),
    (
        f"decode -f {NEURAL_INI} -i input -threads 1",
        (*(f"network/{name}" for name in PARTS),),
    ),
    ("tuples --source source --target text --alignment links --out tuples", ("source", "links")),
    ("lm train --config ngram.yaml --train tuples --dev tuples --out tm", ("tuples",)),
    (
        "rescore --nbest list --model lm --label LM0 --out list1 --weights moses.ini"
        " --one-best best",
        ("list",),
    ),
    (
        "rescore --nbest list --model network --label NLM0 --tuple-model tm/model.binary"
        " --label TUPLES --source input --out list2.gz",
        ("tm/model.binary",),
    ),
    (
        "rescore --lattice lattices --model lm --model-weight 0.1 --out lattices2 --nbest 5 list3",
        ("lattices",),
    ),
    (
        "tune --nbest list2.gz --reference references --out weights.json --restarts 1 --threads 1",
        ("list2.gz", "references"),
    ),
    (
        "tune --lattice lattices2 --reference references --out weights2.json --method lattice-mert"
        " --restarts 1 --threads 1",
        ("lattices2",),
    ),
)
READ_BY = {name: step for step, (_, names) in enumerate(STEPS) for name in names}


def prepare(seed: int, number: int, folder: Path) -> str:
    """Write the undamaged files of a case; the name of the file that is to be damaged."""
    while (
        (case := make_case(seed, number)).damaged
        or not case.files["input"].strip()
        or not case.files["order"]  # a table without entries cannot be binarised
    ):
        number += 1_000_003
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    ini = case.files["moses.ini"].replace(b"path=table", b"path=tables.bin")
    (folder / INI).write_bytes(ini.replace(b"path=order", b"path=tables.bin"))
    lines = case.files["input"].count(b"\n")
    (folder / "references").write_bytes(b"the dog sleeps .\n" * lines)
    neural = b"\n[feature]\nNeuralLM name=NLM0 path=network\n[weight]\nNLM0= 0.2\n"
    (folder / NEURAL_INI).write_bytes(case.files["moses.ini"] + neural)
    (folder / "network.yaml").write_text(NETWORK)
    (folder / "ngram.yaml").write_text("kind: ngram\norder: 3\n")
    for name, line in (
        ("text", "the black dog sleeps .\nsummer .\n"),
        ("source", "le chien noir dort .\nété .\n"),
        ("links", "0-0 1-2 2-1 3-3 4-4\n0-0 1-1\n"),
    ):
        (folder / name).write_text(line * 4)
    return random.Random(number).choice(list(READ_BY))  # noqa: S311


def damage(path: Path, rng: random.Random) -> None:
    content = path.read_bytes()
    for _ in range(rng.choice([1, 1, 2, 5])):
        content = rng.choice(DAMAGES)(content, rng)
    if path.name == "tables.bin" and len(content) >= 1 << 13:
        with_right = bytearray(content)
        try:
            content = with_right_checksums(with_right)
        except Exception:
            content = bytes(with_right)
    path.write_bytes(content)


def run_case(seed: int, number: int, folder: Path) -> str:
    """How the case ended: the command that refused it, or `all`; raises if that was not clean."""
    os.chdir(folder)
    damaged, rng = prepare(seed, number, folder), random.Random(f"{seed} {number}")  # noqa: S311
    for step, (command, _) in enumerate(STEPS):
        if READ_BY[damaged] == step and (folder / damaged).exists():
            damage(folder / damaged, rng)
            bound_resources(folder)
        messages = io.StringIO()
        sys.stderr = messages
        with redirect_stdout(io.StringIO()):
            status = nlmt(command.split())
        said = messages.getvalue()
        if READ_BY[damaged] <= step:
            assert status in (0, 1), said
            assert "Traceback" not in said, said
            assert "out of memory" not in said, said
        else:
            assert status == 0, f"nothing is wrong: {said}"
        if status:
            assert said.strip().splitlines()[-1].startswith("nlmt "), said
            return command.split()[0]
    return "all"


def bound_resources(folder: Path) -> None:
    size = sum(path.stat().st_size for path in folder.iterdir())
    status = Path("/proc/self/status").read_text()
    used = int(status.partition("VmData:")[2].split()[0]) << 10
    limit = used + ROOM + TIMES * size
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    spent = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(spent.ru_utime + spent.ru_stime) + 1 + SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))


def run_cases(seed: int, first: int, seconds: float, most: int) -> tuple[Counter[str], list[str]]:
    """Run cases, each in a process of its own: how they ended, and what was wrong."""
    ends: Counter[str] = Counter()
    findings = []
    end = cpu_seconds() + seconds
    for number in range(first, first + most):
        if cpu_seconds() > end:
            break
        folder = Path(tempfile.mkdtemp(prefix="nlmt-fuzz-"))
        child = os.fork()
        if child == 0:
            try:
                (folder / "end").write_text(run_case(seed, number, folder))
            except BaseException as error:
                (folder / "end").write_text(f"{type(error).__name__}: {error}")
                os._exit(1)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        how = (folder / "end").read_text() if (folder / "end").exists() else ""
        if status:
            findings.append(f"--seed {seed} --first {number}: status {status} {how[-600:]}")
        else:
            ends[how] += 1
        shutil.rmtree(folder, ignore_errors=True)
    return ends, findings


def main() -> int:
    """Run cases until the time is over; the number of findings."""
    parser = argparse.ArgumentParser(description="Run commands on damaged files.")
    parser.add_argument("--seconds", type=float, default=60, help="of the processor (60)")
    parser.add_argument("--seed", type=int, default=1, help="what the cases are made from (1)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (0)")
    parser.add_argument("--cases", type=int, default=10**9, help="how many at most")
    add_option(parser)
    given = parser.parse_args()
    record = Record(given.record, "commands on damaged files")
    ends, findings = run_cases(given.seed, given.first, given.seconds, given.cases)
    record.add("from training to tuning", ends.total() + len(findings), "cases", len(findings))
    print(f"{ends.total()} cases: " + ", ".join(f"{n} {end}" for end, n in ends.most_common()))
    print(*findings, sep="\n")
    return len(findings)


if __name__ == "__main__":
    sys.exit(min(main(), 100))
