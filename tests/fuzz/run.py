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

from seeds import seeds

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
    """Run one target for a time; with 0 seconds only the inputs that there are."""
    corpus, found, given = (place / name for name in ("corpus", "findings", "seeds"))
    for folder in (corpus, found, given):
        folder.mkdir(parents=True, exist_ok=True)
    for old in found.iterdir():
        old.unlink()
    for number, content in enumerate(inputs):
        (given / str(number)).write_bytes(content)
    kept = HERE / "findings" / program.name
    command = [str(program), str(corpus), str(given), *([str(kept)] if kept.exists() else [])]
    command += [f"-seed={seed}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}"]
    command += [f"-max_len={LONGEST}", "-print_final_stats=1", f"-artifact_prefix={found}/"]
    command += [f"-max_total_time={seconds}"] if seconds else ["-runs=0"]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    counts = re.findall(r"^#(\d+).*?\bcov: (\d+)", result.stderr, flags=re.M)
    executions, edges = map(int, counts[-1]) if counts else (0, 0)
    stated = re.search(r"number_of_executed_units:\s*(\d+)", result.stderr)
    findings = sorted(found.iterdir())
    if result.returncode and not findings:
        raise RuntimeError(f"{program.name}:\n{result.stderr[-4000:]}")
    return Outcome(int(stated[1]) if stated else executions, edges, findings, result.stderr)


def main() -> int:
    """Fuzz all targets, or those that are named."""
    parser = argparse.ArgumentParser(description="Fuzz the compiled readers.")
    parser.add_argument("build", type=Path, help="folder with the compiled targets")
    parser.add_argument("--seconds", type=int, default=60, help="for each (60); 0: replay only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("targets", nargs="*", help="all, if none is named")
    given = parser.parse_intermixed_args()
    inputs = seeds()
    failed = 0
    print(f"{'target':16}{'executions':>12}{'edges':>8}{'findings':>10}", flush=True)
    for name in given.targets or inputs:
        place = given.build.resolve() / "work" / name
        outcome = fuzz(given.build / name, place, inputs[name], given.seconds, given.seed)
        found = len(outcome.findings)
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
