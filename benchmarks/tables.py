"""Tables at scale: loading text and binary tables, building both, extraction under a limit.

`python -m benchmarks tables` makes tables of 10 million lines, which takes some minutes before
anything is measured. Each step runs in a process of its own, so that its peak memory is its own.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.phrases import ALIGNED, SOURCE, TARGET
from nlmt.decoder import Decoder, binarise_tables
from nlmt.io.files import atomic_text
from nlmt.phrases import TablePaths, build_tables

LINES = 10_000_000
LOADING_SECONDS = 10  # the aim for 10 million lines
SMALL_MEMORY = 200 << 20
# Of a filtered table of a large corpus: a few hundred translations a source phrase.
MEAN_TRANSLATIONS = 100
WORDS = 60_000
POOL = 200_000


_INI = """[feature]
UnknownWordPenalty
WordPenalty
PhraseDictionaryMemory name=TM0 num-features=4 path={phrases}
LexicalReordering name=LR0 num-features=6 type=wbe-msd-bidirectional-fe-allff path={reordering}
Distortion
[weight]
WordPenalty0= -1
TM0= 0.2 0.2 0.2 0.2
LR0= 0.3 0.3 0.3 0.3 0.3 0.3
Distortion0= 0.3
"""


def run() -> list[dict[str, object]]:
    """Seconds and peak memory of each step."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_synthetic_tables(folder / "phrases.gz", folder / "reordering.gz", LINES)
        text, binary = folder / "text.ini", folder / "binary.ini"
        for ini, names in ((text, ("phrases.gz", "reordering.gz")), (binary, ("tables.bin",) * 2)):
            paths = [folder / name for name in names]
            ini.write_text(_INI.format(phrases=paths[0], reordering=paths[1]))
        rows = _step("load text tables", "load", text, aim=LOADING_SECONDS)
        rows += _step("make a binary table in 200 MiB", "binarise", folder)
        rows += _step("open the binary table", "load", binary)
        missing = [str(path) for path in (SOURCE, TARGET, ALIGNED) if not path.exists()]
        if missing:
            rows.append({"step": "extraction", "figure": f"not run: needs {missing[0]}"})
            return rows
        for megabytes in (4096, 50):
            rows += _step(f"extraction in {megabytes} MiB", f"extract {megabytes}", folder)
    return rows


def _step(step: str, name: str, path: Path, aim: int | None = None) -> list[dict[str, object]]:
    """Run one step in a new process."""
    command = [sys.executable, "-m", "benchmarks.tables", *name.split(), str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    wall, cpu, peak = json.loads(done.stdout)
    row: dict[str, object] = {"step": step, "figure": round(wall, 3), "unit": "s wall"}
    if aim is not None:
        row |= {"reference_tool": "the aim", "reference_figure": aim}
    note = f"{len(os.sched_getaffinity(0))} threads, {cpu:.1f} CPU s"
    memory: dict[str, object] = {"step": f"{step}: peak memory", "figure": peak, "unit": "MB"}
    return [row | {"note": note}, memory]


def _child(name: str, *arguments: str) -> None:
    threads = len(os.sched_getaffinity(0))
    path = Path(arguments[-1])
    start, before = time.perf_counter(), time.process_time()
    match name:
        case "load":
            Decoder(path, threads=threads)
        case "binarise":
            tables = path / "phrases.gz", path / "reordering.gz", path / "tables.bin"
            binarise_tables(*tables, memory=SMALL_MEMORY, threads=threads)
        case "extract":
            outputs = TablePaths(*(path / name for name in ("p.gz", "r.gz", "f2e", "e2f")))
            memory = int(arguments[0]) << 20
            build_tables(SOURCE, TARGET, ALIGNED, outputs, threads=threads, memory=memory)
        case _:
            raise ValueError(name)
    wall, cpu = time.perf_counter() - start, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps([wall, cpu, peak]))


def write_synthetic_tables(
    phrase_table: Path, reordering_table: Path, lines: int, *, seed: int = 1
) -> None:
    """Phrase and reordering table with words, lengths and digits like real ones.

    Words are drawn with Zipf's frequencies, phrases have one to five words, the sources are
    sorted, and no source phrase has a translation twice.
    """
    rng = random.Random(seed)  # noqa: S311
    words = _words(rng)
    cumulative = list(_cumulative(1 / rank for rank in range(1, WORDS + 1)))
    lengths = rng.choices((1, 2, 3, 4, 5), (4, 5, 5, 4, 3), k=POOL)
    targets = [
        (" ".join(rng.choices(words, cum_weights=cumulative, k=length)), length)
        for length in lengths
    ]
    targets = list(dict.fromkeys(targets))
    values = [_Values.draw(rng) for _ in range(POOL)]
    sources = {
        " ".join(rng.choices(words, cum_weights=cumulative, k=rng.randint(1, 5)))
        for _ in range(lines // MEAN_TRANSLATIONS * 2)
    }
    rest = lines
    with ExitStack() as stack:
        table = stack.enter_context(atomic_text(phrase_table))
        reordering = stack.enter_context(atomic_text(reordering_table))
        for number, source in enumerate(sorted(sources, key=lambda text: f"{text} |||".encode())):
            left = len(sources) - number
            share = rest / left
            count = min(rest, int(rng.uniform(0.5 * share, 1.5 * share)) + 1) if left > 1 else rest
            links = min(source.count(" ") + 1, 5)
            start, source_count = rng.randrange(len(targets)), count + rng.randint(0, count)
            for step in range(count):
                target, length = targets[(start + step) % len(targets)]
                key = f"{source} ||| {target} ||| "
                alignment = " ".join(f"{i}-{i}" for i in range(min(length, links)))
                value = values[(start * 7 + step) % POOL]
                table.write(f"{key}{value.phrase_line(source_count, alignment)} ||| |||\n")
                reordering.write(f"{key}{value.reordering}\n")
            rest -= count


def _words(rng: random.Random) -> list[str]:
    letters = "etaoinshrdlucmfwypvbgkéèàç"
    words: dict[str, None] = {}
    while len(words) < WORDS:
        # Frequent words are short.
        length = min(2 + len(words) // 200, 4) + int(rng.expovariate(0.25))
        words["".join(rng.choices(letters, range(len(letters), 0, -1), k=length))] = None
    return list(words)


@dataclass(frozen=True)
class _Values:
    """Scores, alignment and counts of a line; most pairs were seen once."""

    count: int
    target_count: int
    lexical: tuple[str, str]
    reordering: str

    @classmethod
    def draw(cls, rng: random.Random) -> "_Values":
        count = int(rng.paretovariate(1.2))
        target_count = count + int(rng.paretovariate(0.5)) % 5000
        lexical = [f"{10 ** -rng.expovariate(0.5):.6g}" for _ in range(2)]
        orientations = []
        for _ in range(2):
            counts = Counter(rng.choices(range(3), (6, 1, 3), k=min(count, 20)))
            total = sum(counts.values()) + 1.5
            orientations += [f"{(counts[i] + 0.5) / total:.6g}" for i in range(3)]
        return cls(count, target_count, (lexical[0], lexical[1]), " ".join(orientations))

    def phrase_line(self, source_count: int, alignment: str) -> str:
        source_count = max(source_count, self.count)
        return (
            f"{self.count / self.target_count:.6g} {self.lexical[0]}"
            f" {self.count / source_count:.6g} {self.lexical[1]} ||| {alignment} |||"
            f" {self.target_count} {source_count} {self.count}"
        )


def _cumulative(values: Iterator[float]) -> Iterator[float]:
    total = 0.0
    for value in values:
        total += value
        yield total


if __name__ == "__main__":
    _child(*sys.argv[1:])
