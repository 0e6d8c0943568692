"""Fuzz the compiled readers; print executions, edges and findings of each (`make fuzz`).

A target starts from the inputs of `seeds.py` and the findings of former runs, in
`findings/<target>`, and goes on from what it found last time, in the build folder.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.seeds import seeds
from tests.long_runs import Record, add_option, cpu_seconds

HERE = Path(__file__).parent
SECONDS = 10  # that one input may take
MEGABYTES = 1024  # of the process: corpus, sanitizers, memory freed lately; of an input: limits.cpp
LONGEST = 1 << 17  # bytes of an input


@dataclass(frozen=True)
class Outcome:
    """What one target did.

    Attributes:
        executions: inputs run.
        edges: of the control flow, covered by all inputs.
        findings: inputs that crashed, hung or leaked.
        output: of libFuzzer.
    """

    executions: int
    edges: int
    findings: list[Path]
    output: str


def fuzz(program: Path, place: Path, inputs: list[bytes], seconds: int, seed: int) -> Outcome:
    """Run one target for a time of the processor; with 0 seconds only the inputs that there are."""
    corpus, found, given = (place / name for name in ("corpus", "findings", "seeds"))
    for folder in (corpus, found, given):
        folder.mkdir(parents=True, exist_ok=True)
    for old in found.iterdir():
        old.unlink()
    for number, content in enumerate(inputs):
        (given / str(number)).write_bytes(content)
    kept = HERE / "findings" / program.name
    command = [str(program), str(corpus), str(given), *([str(kept)] if kept.exists() else [])]
    command += [f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", f"-max_len={LONGEST}"]
    command += ["-print_final_stats=1", f"-artifact_prefix={found}/"]
    executions, left, end = 0, seconds, cpu_seconds() + seconds
    while True:  # libFuzzer's limit is of time by the clock, which includes that of other programs
        length = f"-max_total_time={left}" if left else "-runs=0"
        run = subprocess.run(
            [*command, length, f"-seed={seed}"], capture_output=True, text=True, errors="replace"
        )
        counts = re.findall(r"^#(\d+).*?\bcov: (\d+)", run.stderr, flags=re.M)
        last, edges = map(int, counts[-1]) if counts else (0, 0)
        stated = re.search(r"number_of_executed_units:\s*(\d+)", run.stderr)
        executions += int(stated[1]) if stated else last
        findings = sorted(found.iterdir())
        if run.returncode and not findings:
            raise RuntimeError(f"{program.name}:\n{run.stderr[-4000:]}")
        left = round(end - cpu_seconds())
        if findings or left < 2:
            return Outcome(executions, edges, findings, run.stderr)
        seed += 1


def main() -> int:
    """Fuzz all targets, or those that are named."""
    parser = argparse.ArgumentParser(description="Fuzz the compiled readers.")
    parser.add_argument("build", type=Path, help="folder with the compiled targets")
    parser.add_argument(
        "--seconds", type=int, default=60, help="of the processor, for each (60); 0: replay only"
    )
    parser.add_argument("--seed", type=int, default=1)
    add_option(parser)
    parser.add_argument("targets", nargs="*", help="all, if none is named")
    given = parser.parse_intermixed_args()
    inputs = seeds()
    failed = 0
    record = Record(given.record, "readers in C++, libFuzzer")
    print(f"{'target':16}{'executions':>12}{'edges':>8}{'findings':>10}", flush=True)
    for name in given.targets or inputs:
        place = given.build.resolve() / "work" / name
        outcome = fuzz(given.build / name, place, inputs[name], given.seconds, given.seed)
        found = len(outcome.findings)
        record.add(name, outcome.executions, "inputs", found)
        print(f"{name:16}{outcome.executions:12,}{outcome.edges:8,}{found:10}", flush=True)
        if found:
            failed += 1
            report = re.search(
                r"(ERROR: .*|.*runtime error: .*|.*terminate called.*\n.*)", outcome.output
            )
            print(f"    {report[0] if report else ''}", *outcome.findings, sep="\n    ", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
