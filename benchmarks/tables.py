"""Phrase and reordering tables, of the help corpus and of 10 million lines: size, memory, time.

The large tables are made first, which takes some minutes. Each step runs in a process of its own,
so that its memory is its own.
"""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from benchmarks.frames import Row
from benchmarks.phrases import ALIGNED, PAIR, SOURCE, TARGET
from nlmt.decoder import Decoder, binarise_tables
from nlmt.io.files import atomic_text
from nlmt.phrases import TablePaths, build_tables

LINES = 10_000_000
HELP = PAIR / "tm/phrase-table.gz", PAIR / "tm/reordering-table.wbe-msd-bidirectional-fe.gz"
MEGABYTES = 500  # of memory in which binary tables are made
# Of a filtered table of a large corpus: a few hundred translations a source phrase.
MEAN_TRANSLATIONS = 100
WORDS = 60_000
POOL = 200_000
_GZIP = 31  # zlib's number of the format, with the largest window

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


def run() -> Iterator[Row]:
    """Yield sizes, seconds and memory of both tables, and of their extraction within a limit."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if all(path.exists() for path in HELP):
            yield from measure("help", *HELP, folder)
        else:
            yield {"step": "tables of the help corpus", "figure": f"not run: needs {HELP[0]}"}
        synthetic = folder / "phrases.gz", folder / "reordering.gz"
        write_synthetic_tables(*synthetic, LINES)
        yield from measure("synthetic", *synthetic, folder)
        missing = [str(path) for path in (SOURCE, TARGET, ALIGNED) if not path.exists()]
        if missing:
            yield {"step": "extraction", "figure": f"not run: needs {missing[0]}"}
            return
        for megabytes in (4096, 50):
            wall, cpu, peak, _ = _step("extract", str(megabytes), name)
            row: Row = {"step": f"extraction in {megabytes} MiB", "setting": "help"}
            note = f"{_rounded(cpu)} CPU s"
            yield row | {"figure": _rounded(wall), "unit": "s wall", "note": note}
            yield row | {"figure": _rounded(peak), "unit": "MB at most"}


def measure(setting: str, phrases: Path, reordering: Path, folder: Path) -> Iterator[Row]:
    """Yield the rows of a phrase table and its reordering table."""
    lines = size = 0
    for path in (phrases, reordering):
        with gzip.open(path) as table:
            for line in table:
                size += len(line)
                lines += path == phrases
    texts = str(phrases), str(reordering)
    for path in (phrases, reordering):
        forget(path)
    from_disk, cached = (_step("read", *texts) for _ in range(2))
    unpacked = _step("decompress", *texts)
    packed = sum(path.stat().st_size for path in (phrases, reordering))
    binary = folder / "tables.bin"
    made = _step("binarise", *texts, str(binary))
    inis: list[Path] = []
    for names in ((phrases, reordering), (binary, binary)):
        inis.append(folder / f"{len(inis)}.ini")
        inis[-1].write_text(_INI.format(phrases=names[0].resolve(), reordering=names[1].resolve()))
    loaded, opened = (_step("load", str(ini)) for ini in inis)
    figures = [
        ("lines", "", lines),
        ("both text tables, gzip", "bytes a line", packed / lines),
        ("both text tables, not compressed", "bytes a line", size / lines),
        ("in memory, loaded from text", "bytes a line", loaded[3] * 1e6 / lines),
        ("binary table", "bytes a line", binary.stat().st_size / lines),
        ("loading both text tables", "CPU s", loaded[1]),
        ("loading both text tables", "s wall", loaded[0]),
        ("reading their bytes, from the disk", "s wall", from_disk[0]),
        ("reading their bytes, cached", "s wall", cached[0]),
        ("decompressing their bytes", "CPU s", unpacked[1]),
        ("reading from the disk", "% of the wall time of loading", 100 * from_disk[0] / loaded[0]),
        ("decompressing", "% of the CPU time of loading", 100 * unpacked[1] / loaded[1]),
        (f"`nlmt binarise --memory {MEGABYTES}M`", "CPU s", made[1]),
        (f"`nlmt binarise --memory {MEGABYTES}M`", "MB at most", made[2]),
        ("opening the binary table", "s wall", opened[0]),
    ]
    note = f"{len(os.sched_getaffinity(0))} threads"
    for step, unit, figure in figures:
        row: Row = {"step": step, "setting": setting, "figure": _rounded(figure)}
        yield row | {"unit": unit, "note": note}


def _rounded(figure: float) -> float:
    """A figure with three digits that count, counts as they are."""
    return figure if isinstance(figure, int) else float(f"{figure:.3g}")


def _step(*arguments: str) -> list[float]:
    """Wall and CPU seconds, MB at most and MB kept at the end, of one step in a new process."""
    command = [sys.executable, "-m", "benchmarks.tables", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: list[float] = json.loads(done.stdout)
    return found


def _child(name: str, *arguments: str) -> None:
    threads = len(os.sched_getaffinity(0))
    path = Path(arguments[-1])
    memory = memory_mb("VmRSS")
    start, before = time.perf_counter(), time.process_time()
    match name:
        case "read" | "decompress":
            for table in arguments:
                inflate = zlib.decompressobj(wbits=_GZIP)
                read(Path(table), len if name == "read" else inflate.decompress)
            kept: object = None
        case "load":
            kept = Decoder(path, threads=threads)
        case "binarise":
            paths = map(Path, arguments)
            kept = binarise_tables(*paths, memory=MEGABYTES << 20, threads=threads)
        case "extract":
            outputs = TablePaths(*(path / name for name in ("p.gz", "r.gz", "f2e", "e2f")))
            limit = int(arguments[0]) << 20
            kept = build_tables(SOURCE, TARGET, ALIGNED, outputs, threads=threads, memory=limit)
        case _:
            raise ValueError(name)
    wall, cpu = time.perf_counter() - start, time.process_time() - before
    print(json.dumps([wall, cpu, memory_mb("VmHWM"), memory_mb("VmRSS") - memory]))
    del kept


def forget(path: Path) -> None:
    """Let the system drop what it has cached of a file, so that it is read from the disk again."""
    with path.open("rb") as file:
        os.fsync(file.fileno())  # what is not yet written stays
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read(path: Path, take: Callable[[bytes], object]) -> None:
    """Read a file in blocks, and give each to `take`."""
    with path.open("rb", buffering=0) as file:
        while block := file.read(1 << 16):
            take(block)


def memory_mb(kind: str) -> float:
    """MB of memory that this process holds (VmRSS), or held at most (VmHWM).

    The peak of `getrusage` may be that of the parent.
    """
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith(kind))
    return int(line.split()[1]) * 1024 / 1e6


def write_synthetic_tables(phrase_table: Path, reordering_table: Path, lines: int) -> None:
    """Phrase and reordering table with words, lengths and digits like real ones.

    Words are drawn with Zipf's frequencies, phrases have one to five words, the sources are
    sorted, and no source phrase has a translation twice.
    """
    rng = random.Random(1)  # noqa: S311
    words = _words(rng)
    cumulative = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
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


if __name__ == "__main__":
    _child(*sys.argv[1:])
