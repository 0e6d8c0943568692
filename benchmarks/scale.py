"""The workflow on a synthetic bitext of four sizes: time, memory and disk of each step.

    python -m benchmarks.scale PAIRS FOLDER    # the frame, in hours where PAIRS is three million

runs 1/64, 1/16, 1/4 and all of PAIRS pairs, each in a folder of its own below FOLDER. The bitext
has the properties on which the steps depend: Zipf's law, sentences of different lengths, words that
depend on the one before, ambiguous words, words with two translations or none, local changes of
order, and noise.
"""

import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from benchmarks.frames import Row, keep, origin, show
from nlmt.io.files import atomic_text, write_text
from nlmt.provenance import Store

ROOT = Path(__file__).parents[1]
FRAME = Path("docs/results/scale.tsv")
PARTS = (64, 16, 4, 1)
VOCABULARY = 2_000_000
# p(rank) ~ 1 / rank for the frequent words and 1 / rank^2 for the others, of which a text has about
# as many as the root of its length: Ferrer i Cancho and Solé (2001) find 1.01 and 1.92 in English.
# The law of `benchmarks.classes` is 1 / rank alone: its vocabulary is given, here it grows with the
# text, as models and tables do.
FREQUENT = 8_000
MEAN_WORDS, MOST_WORDS = 20, 60
BLOCK = 20_000  # sentences made at a time
HELD_OUT = 300
PAIR = "results/synthetic/fr-en"
TARGETS = (
    f"{PAIR}/eval/baseline.json",
    f"{PAIR}/eval/nlm.json",
    f"{PAIR}/lm/kn5/perplexity.json",
    f"{PAIR}/lm/nce/run1/perplexity.json",
)
# One epoch, as full scale has it; of frequency bins, as the time of Brown's clusters is measured by
# `benchmarks.classes`. As many iterations of tuning at each size, or nearly so.
SETTINGS = {
    "language_models": {"nce": {"epochs": 1, "dropout": 0, "classes": "frequency"}},
    "runs": 1,
    "tuning": {"max_iterations": 3},
}
NOISE = 0.05  # share of the words that have nothing to do with the other side
AMBIGUOUS = 0.2
DEPENDENT = 0.5  # share of the words that follow from the one before
SYLLABLES = [a + b for a in "bcdfghjklmnpqrstvwxz" for b in "aeiou"]


@dataclass(frozen=True)
class Cost:
    """Total time and output of one rule's jobs, and the largest peak memory of a job."""

    cpu_seconds: float
    memory_mb: int
    written_mb: float


def run() -> Iterator[Row]:
    """Yield the costs of each rule on 30,000 pairs and their parts."""
    with tempfile.TemporaryDirectory() as name:
        yield from rows(30_000, Path(name))


def rows(pairs: int, folder: Path) -> Iterator[Row]:
    """Yield CPU seconds, memory and disk of each rule, size by size."""
    for part in PARTS:
        size = pairs // part
        prepare(size, folder / str(part))
        subprocess.run(command("--quiet", "all"), cwd=folder / str(part), check=True)
        for rule, cost in costs(folder / str(part)).items():
            row: Row = {"step": rule, "setting": f"{size:,} pairs"}
            yield row | {"figure": round(cost.cpu_seconds, 2), "unit": "CPU s"}
            yield row | {"figure": cost.memory_mb, "unit": "MB"}
            yield row | {"figure": round(cost.written_mb, 2), "unit": "MB written"}


def write_bitext(source: Path, target: Path, pairs: int, seed: int) -> None:
    """Write both sides of a bitext, in pieces."""
    random = np.random.Generator(np.random.PCG64(seed))
    with atomic_text(source) as sources, atomic_text(target) as targets:
        for of_source, of_target in _blocks(random, pairs):
            sources.writelines(_lines(*of_source, _names("s")))
            targets.writelines(_lines(*of_target, _names("t")))


@cache
def _names(ending: str) -> list[str]:
    """A word for each rank: short ones for the frequent, without a word of the other language."""
    names = []
    for rank in range(VOCABULARY):
        name, rest = "", rank + 1
        while rest:
            rest, digit = divmod(rest - 1, len(SYLLABLES))
            name += SYLLABLES[digit]
        names.append(name + ending)
    return names


def _zipfian(random: np.random.Generator, n: int) -> NDArray[np.int64]:
    """Ranks (n,) of words, the most frequent one 0, by inversion of the distribution function."""
    return np.searchsorted(_distribution(), random.random(n))


@cache
def _distribution() -> NDArray[np.float64]:
    ranks = np.arange(1, VOCABULARY + 1)
    weights = np.minimum(1, FREQUENT / ranks) / ranks
    shares: NDArray[np.float64] = np.cumsum(weights) / weights.sum()
    return shares


def _blocks(
    random: np.random.Generator, pairs: int
) -> Iterator[tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]]:
    """Both sides of some pairs: ranks of all words, and where the words of each sentence end."""
    for first in range(0, pairs, BLOCK):
        sentences = min(BLOCK, pairs - first)
        lengths = random.gamma(3, MEAN_WORDS / 3, sentences).astype(np.int64)
        lengths = np.clip(lengths, 1, MOST_WORDS)
        of = np.repeat(np.arange(sentences), lengths)
        ranks = _zipfian(random, len(of))
        # Except the most frequent ones, whose order would be lost.
        dependent = np.flatnonzero((random.random(len(of)) < DEPENDENT) & (ranks >= 100))
        moved = ranks[dependent] // 10 * 10 + ranks[dependent - 1] % 10
        ranks[dependent] = np.minimum(moved, VOCABULARY - 1)
        yield (ranks, np.cumsum(lengths)), _translated(random, ranks, of, sentences)


def _translated(
    random: np.random.Generator,
    ranks: NDArray[np.int64],
    of: NDArray[np.int64],
    sentences: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    other = random.random(len(ranks)) < AMBIGUOUS
    words = np.where(other, np.minimum(ranks ^ 1, VOCABULARY - 1), ranks)
    noise = random.random(len(ranks)) < NOISE
    words = np.where(noise, _zipfian(random, len(ranks)), words)
    place = np.arange(len(ranks)) + random.uniform(0, 1.5, len(ranks))
    # Every twelfth rank has two words as its translation, the rank two further none; a sentence
    # keeps its first word.
    double = ranks % 12 == 5
    kept = ranks % 12 != 7
    kept[np.flatnonzero(np.diff(of, prepend=-1))] = True
    words = np.concatenate([words[kept], ranks[double] % 50])
    place = np.concatenate([place[kept], place[double] + 0.1])
    of = np.concatenate([of[kept], of[double]])
    order = np.lexsort((place, of))
    return words[order], np.cumsum(np.bincount(of, minlength=sentences))


def _lines(
    ranks: NDArray[np.int64], ends: NDArray[np.int64], names: Sequence[str]
) -> Iterator[str]:
    words = [names[rank] for rank in ranks.tolist()]
    for first, end in pairwise([0, *ends.tolist()]):
        yield " ".join(words[first:end]) + "\n"


def prepare(pairs: int, folder: Path) -> None:
    """Write a bitext of `pairs` pairs into a folder, and the configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, dict[str, str]] = {}
    for seed, (split, size) in enumerate(
        [("train", pairs), ("dev", HELD_OUT), ("test", HELD_OUT)], start=1
    ):
        files[split] = {language: f"corpus/{split}.{language}" for language in ("fr", "en")}
        source, target = (folder / name for name in files[split].values())
        write_bitext(source, target, size, seed)
    corpus = {
        "kind": "file",
        "description": "synthetic",
        "licence": "none needed",
        "languages": {"fr": "French", "en": "English"},
        "files": files,
    }
    overlay = {
        "task": "synthetic",
        "corpus": "synthetic",
        "pairs": ["fr-en"],
        "corpora": {"synthetic": corpus},
        **SETTINGS,
    }
    write_text(folder / "synthetic.yaml", yaml.safe_dump(overlay))


def command(*options: str) -> list[str]:
    """The command that runs the workflow in a prepared folder."""
    snakemake = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    snakemake += ["--workflow-profile", str(ROOT / "profiles/default"), "--cores", "all"]
    return [*snakemake, *options, "--configfile", "synthetic.yaml", "--", *TARGETS]


def costs(folder: Path) -> dict[str, Cost]:
    """Costs by rule, in the order in which the rules ran."""
    with chdir(folder):
        records = sorted(Store().jobs().values(), key=lambda record: record.started)
        seconds: dict[str, float] = defaultdict(float)
        memory: dict[str, int] = defaultdict(int)
        written: dict[str, float] = defaultdict(float)
        for record in records:
            seconds[record.rule] += record.cpu_seconds
            memory[record.rule] = max(memory[record.rule], record.memory_mb)
            written[record.rule] += sum(Path(path).stat().st_size for path in record.outputs) / 1e6
    return {rule: Cost(seconds[rule], memory[rule], written[rule]) for rule in seconds}


if __name__ == "__main__":
    for row in keep(rows(int(sys.argv[1]), Path(sys.argv[2])), FRAME, origin()):
        show(row)
