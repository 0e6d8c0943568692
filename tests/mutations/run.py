"""Mutations of the code that results rest on, by cosmic-ray: how many make a test fail?

A sample of places is mutated one by one in a copy of the checkout. Each mutated line meets the unit
tests that reach it, the quickest first.

    .venv/bin/python -m tests.mutations.run build/mutations --mutations 300 --seed 1

The copy, and which test reaches which line, are kept in the folder: remove it after a change.
"""

import argparse
import difflib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import coverage
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.long_runs import Record, add_option

ROOT = Path(__file__).parents[2]
LIBRARY = "src/nlmt"
# Each with its folder of unit tests, which meet what is run when a module is imported.
MUTATED = {
    "io/*.py": "io",
    "corpora/network/*.py": "corpora",
    "provenance/*.py": "provenance",
    "workflow/job.py": "workflow",
    "neural/tensors.py": "neural",
    "neural/train/checkpoints.py": "neural",
    "tuning/loop_state.py": "tuning",
}
GOAL = 0.95
SEEN, MISSED, WITHOUT_EFFECT = "seen", "not seen", "without effect"
# Tests of one mutation, alone on the machine; one that makes them take far longer counts as seen.
TESTS_S = 60
TIMEOUT_S = 3 * TESTS_S
MEMORY = 8 << 30
COVERAGE = """\
[run]
source = {source}
data_file = {folder}/reached
context = ${{NLMT_TEST-}}
parallel = true
patch = subprocess
"""


class Mutation(NamedTuple):
    """A place in a module and what is done to it."""

    module: Path  # within LIBRARY
    line: int
    operator: str
    occurrence: int

    def code(self, source: str) -> str:
        """Return the module's code after the mutation."""
        mutated = mutate_code(source, get_operator(self.operator)(), self.occurrence)
        assert mutated is not None
        return mutated

    def change(self, library: Path) -> tuple[str, str, str, str]:
        """Return the module, the line before the mutation, and what it turns into what."""
        source = (library / self.module).read_text(encoding="utf-8")
        lines = [*difflib.ndiff(source.splitlines(), self.code(source).splitlines())]
        first = next(number for number, line in enumerate(lines) if not line.startswith(" "))
        old, new = (
            " ".join(line[2:].strip() for line in lines if line.startswith(sign)) for sign in "-+"
        )
        return str(self.module), lines[first - 1].strip() if first else "", old, new


def main() -> int:
    """Print the mutations that no test saw, and how many were seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mutations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    add_option(parser)
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    original = folder / "original"
    tests = Tests(folder, original)
    free: SimpleQueue[Path] = SimpleQueue()
    workers = os.cpu_count() or 1
    for number in range(workers):
        copy = folder / str(number)
        shutil.rmtree(copy, ignore_errors=True)
        free.put(shutil.copytree(original, copy))
    places = _places(original / LIBRARY)
    chance = random.Random(arguments.seed)  # noqa: S311
    sample = chance.sample(places, min(arguments.mutations, len(places)))
    without_effect = _without_effect()
    found: dict[str, Counter[str]] = defaultdict(Counter)
    with ThreadPoolExecutor(workers) as pool:
        outcomes = pool.map(lambda one: _try(one, tests.of(one), free), sample)
        for number, (mutation, outcome) in enumerate(zip(sample, outcomes, strict=True), start=1):
            if outcome == MISSED:
                change = mutation.change(original / LIBRARY)
                if change in without_effect:
                    outcome = WITHOUT_EFFECT
                else:
                    module, _, old, new = change
                    text = f"{number}: {module}:{mutation.line}\n    - {old}\n    + {new}"
                    print(text, flush=True)
            found[_package(mutation.module)][outcome] += 1
    for package, counts in sorted(found.items()):
        print(f"{package}: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    counts = sum(found.values(), Counter())
    tried = counts[SEEN] + counts[MISSED]
    Record(arguments.record, "mutations of code that results rest on").add(
        "all", tried, "places", counts[MISSED]
    )
    share = counts[SEEN] / tried
    print(f"{share:.1%} of {tried} seen, goal {GOAL:.0%}; ", end="")
    print(f"{counts[WITHOUT_EFFECT]} without effect; {len(places)} places")
    return share < GOAL


def _without_effect() -> set[tuple[str, ...]]:
    """Read the changes that no test can see, or need see."""
    table = Path(__file__).with_name("without_effect.tsv").read_text(encoding="utf-8")
    return {tuple(line.split("\t")[:4]) for line in table.splitlines()[1:]}


def _copy(place: Path) -> None:
    """Copy what git would, with the compiled modules beside the library's."""
    shutil.rmtree(place, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    for name in os.fsdecode(names).split("\0")[:-1]:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / name, follow_symlinks=False)
    modules = Path(sysconfig.get_path("platlib"), "nlmt")
    shutil.copytree(modules, place / LIBRARY, dirs_exist_ok=True)
    shutil.copy(ROOT / "tools/start_with_path.py", place / "src/sitecustomize.py")


class Tests:
    """The unit tests that reach each line, from one run of all of them in `original`."""

    def __init__(self, folder: Path, original: Path):
        times = folder / "times.tsv"
        if not times.exists():
            _copy(original)
            _measure(folder, original)
            (folder / "times.part").rename(times)
        self._library = original / LIBRARY
        self._seconds: dict[str, float] = {}
        failed = set()
        for line in times.read_text(encoding="utf-8").splitlines():
            name, outcome, seconds = line.split("\t")
            if str(folder) in name:  # another copy has it by another name
                continue
            self._seconds[name] = float(seconds)
            if outcome == "failed":
                failed.add(name)
        for name in sorted(failed):
            print(f"fails without a mutation, and is left out: {name}")
            del self._seconds[name]
        self._reached = coverage.CoverageData(str(folder / "reached"))
        self._reached.read()

    def of(self, mutation: Mutation) -> list[str]:
        """Return the names of tests, quickest first, those of TESTS_S seconds in all."""
        contexts = self._reached.contexts_by_lineno(str(self._library / mutation.module))
        # A statement of several lines counts at its first.
        line = max((line for line in contexts if line <= mutation.line), default=0)
        names = {name for name in contexts.get(line, ()) if name in self._seconds}
        if not names:
            own = f"tests/unit/{MUTATED[_package(mutation.module)]}/"
            names = {name for name in self._seconds if name.startswith(own)}
        chosen, total = [], 0.0
        for name in sorted(names, key=lambda name: (self._seconds[name], name)):
            total += self._seconds[name]
            if total > TESTS_S and chosen:
                break
            chosen.append(name)
        return chosen


def _measure(folder: Path, original: Path) -> None:
    """Run all unit tests, with their times in times.part."""
    settings = folder / "coverage.ini"
    text = COVERAGE.format(source=original / LIBRARY, folder=folder)
    settings.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest"]
    plugin = ["-p", "tests_of_lines", "--numprocesses", "logical", "tests/unit"]
    times = {"NLMT_TIMES": str(folder / "times.part")}
    subprocess.run([*command, *plugin], cwd=original, env=_environment(original) | times)
    combine = [sys.executable, "-m", "coverage", "combine", "--quiet", f"--rcfile={settings}"]
    subprocess.run(combine, cwd=original, check=True)


def _places(library: Path) -> list[Mutation]:
    """Return one mutation for each place that has some, by chance."""
    chance = random.Random(0)  # noqa: S311
    operators = [(name, get_operator(name)) for name in operator_names()]
    chosen = []
    for pattern in MUTATED:
        for path in sorted(library.glob(pattern)):
            source = path.read_text(encoding="utf-8")
            tree, lines = get_ast(source), source.splitlines()
            module = path.relative_to(library)
            at: dict[tuple[object, object], list[Mutation]] = defaultdict(list)
            for name, operator in operators:
                # `|` stands in annotations.
                if operator.arguments() or "BitOr" in name:
                    continue
                positions = (
                    position
                    for node in ast_nodes(tree)
                    for position in operator().mutation_positions(node)
                )
                for occurrence, (start, end) in enumerate(positions):
                    # cosmic-ray fails at `except queue.Empty`.
                    if not ("Exception" in name and "." in lines[start[0] - 1][start[1] : end[1]]):
                        at[start, end].append(Mutation(module, start[0], name, occurrence))
            chosen += [chance.choice(at[place]) for place in sorted(at)]
    return chosen


def _package(module: Path) -> str:
    return next(pattern for pattern in MUTATED if module.match(pattern))


def _try(mutation: Mutation, tests: list[str], free: "SimpleQueue[Path]") -> str:
    """Return whether a test fails after the mutation: SEEN or MISSED."""
    copy = free.get()
    path = copy / LIBRARY / mutation.module
    original = path.read_text(encoding="utf-8")
    try:
        path.write_text(mutation.code(original), encoding="utf-8")
        names = copy / "tests.txt"
        names.write_text("\n".join(tests), encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", f"@{names}"],
            cwd=copy,
            env=_environment(copy),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        try:
            return SEEN if process.wait(TIMEOUT_S) else MISSED
        except subprocess.TimeoutExpired:
            return SEEN
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    finally:
        path.write_text(original, encoding="utf-8")
        free.put(copy)


def _environment(copy: Path) -> dict[str, str]:
    """Return what makes Python import the copy and compile nothing to files."""
    path = f"{copy}/src:{ROOT}/tests/mutations"
    return os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


if __name__ == "__main__":
    sys.exit(main())
