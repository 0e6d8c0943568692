"""Processor time before the work begins: planning all jobs, and imports of each job's script.

The imports of a script run in a fresh interpreter, whose modules are compiled. Snakemake's own
preamble, which loads parts of Snakemake in each job, is not among them.
"""

import ast
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.children import children_seconds
from benchmarks.frames import Row

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "workflow/scripts"
REPEATED = 3  # starts of an interpreter; the fastest counts
HEAVIEST = 3  # packages that are named
_IMPORTED = re.compile(r"import time: +(\d+) \| +\d+ \| +(\w+)")  # microseconds, package


def run() -> Iterator[Row]:
    """Yield CPU seconds of `snakemake -n all` and of the imports of each script, slowest first."""
    yield _planning()
    yield {"step": "python -c pass", "figure": _fastest("pass"), "unit": "CPU s"}
    rows = [_imports(path) for path in sorted(SCRIPTS.glob("*.py"))]
    yield from sorted(rows, key=lambda row: -float(str(row["figure"])))


def _planning() -> Row:
    """CPU seconds of a dry run of the default configuration where nothing has been made."""
    snakemake = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    snakemake += ["--workflow-profile", str(ROOT / "profiles/default"), "--cores", "2"]
    with tempfile.TemporaryDirectory() as folder:
        seconds, output = _seconds([*snakemake, "--dry-run", "all"], folder)
    jobs = total_jobs(output)
    row: Row = {"step": "snakemake -n all", "setting": f"{jobs:,} jobs"}
    return row | {"figure": round(seconds, 1), "unit": "CPU s"}


def _imports(path: Path) -> Row:
    """CPU seconds of a script's imports, and the packages that took most of the time."""
    code = import_statements(path.read_text(encoding="utf-8"))
    timed = [sys.executable, "-X", "importtime", "-c", code]
    times = subprocess.run(timed, capture_output=True, text=True, check=True).stderr
    row: Row = {"step": path.stem, "setting": "imports", "figure": _fastest(code), "unit": "CPU s"}
    return row | {"note": heaviest(times)}


def _fastest(code: str) -> float:
    command = [sys.executable, "-c", code]
    subprocess.run(command, check=True)  # compiles the modules
    return round(min(_seconds(command, ".")[0] for _ in range(REPEATED)), 2)


def _seconds(command: list[str], folder: str) -> tuple[float, str]:
    """CPU seconds of a command, and its output."""
    before = children_seconds()
    output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    return children_seconds() - before, output


def total_jobs(dry_run: str) -> int:
    """The number of jobs in Snakemake's table of them."""
    (total,) = set(re.findall(r"^total +(\d+)", dry_run, re.MULTILINE))
    return int(total)


def import_statements(script: str) -> str:
    """The imports at the top of a script."""
    tree = ast.parse(script)
    return "\n".join(
        ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)
    )


def heaviest(times: str) -> str:
    """The packages that take longest to load, by what `-X importtime` prints, with milliseconds."""
    packages: Counter[str] = Counter()
    for microseconds, package in _IMPORTED.findall(times):
        packages[package] += int(microseconds)
    named = packages.most_common(HEAVIEST)
    return ", ".join(f"{name} {microseconds / 1000:.0f} ms" for name, microseconds in named)
