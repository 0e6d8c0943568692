"""Steps of text preparation on the help corpus once, 4 and 16 times: speed and peak memory.

Each repetition has noise: one word in ten is that of another line, so that sentences differ and
the vocabulary stays. Each step runs in a process of its own on one core, so that its peak memory is
its own.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.frames import Row
from benchmarks.tables import memory_mb
from nlmt.io.files import read_lines, write_lines
from nlmt.neural import encode_texts
from nlmt.neural.text.encoded import count_texts
from nlmt.text import Sample, Tokenisation, gather_text, prepare_bitext, tokenise_lines

RAW = Path("results/help/fr-en/raw")
LANGUAGES = ("fr", "en")
TIMES = (1, 4, 16)
NOISE = 0.1  # share of the words


def run() -> list[Row]:
    """Sentences a CPU second and peak memory of each step."""
    raw = [RAW / f"train.{language}.gz" for language in LANGUAGES]
    if not all(path.exists() for path in raw):
        return [{"step": "text", "figure": "not run", "note": f"needs {raw[0]}"}]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        for times in TIMES:
            folder = Path(name) / str(times)
            for number, path in enumerate(raw):
                write_lines(folder / f"raw{number}.gz", repeated(path, times))
            for step in STEPS:
                if step != "tokenise by sacremoses" or times == 1:
                    rows.append(_step(step, folder, times))
    return rows


def repeated(path: Path, times: int) -> Iterator[str]:
    """A text repeated `times` times, from the second time on with noise."""
    draw = random.Random(1)  # noqa: S311
    lines = list(read_lines(path))
    yield from lines
    for _ in range(times - 1):
        for line in lines:
            words = line.split(" ")
            for place in range(len(words)):
                if draw.random() < NOISE:
                    words[place] = draw.choice(draw.choice(lines).split(" "))
            yield " ".join(words)


def _step(step: str, folder: Path, times: int) -> Row:
    command = [sys.executable, "-m", "benchmarks.text", step, str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    sentences, seconds, peak = json.loads(done.stdout)
    return {
        "step": f"{step}, {times}x",
        "figure": round(sentences / seconds),
        "unit": "sentences a CPU s",
        "note": f"{sentences:,} sentences; peak memory {peak} MB",
    }


def _tokenise(folder: Path, tokeniser: str = "fast") -> None:
    lines = read_lines(folder / "raw1.gz")
    for _ in tokenise_lines(lines, LANGUAGES[1], tokenisation=Tokenisation(tokeniser)):
        pass


def _prepare(folder: Path) -> None:
    raw, text = ([folder / f"{name}{side}.gz" for side in (0, 1)] for name in ("raw", "text"))
    prepare_bitext(raw[0], raw[1], ("fr", "en"), (text[0], text[1]), max_length=80)


def _restrict(folder: Path) -> None:
    text = folder / "text1.gz"
    gather_text([text], folder / "restricted.gz", words_of=text, min_count=2)


def _sample(folder: Path) -> None:
    text = folder / "text1.gz"
    some = Sample(share=0.5)
    gather_text([text], folder / "sample.gz", words_of=text, sample=some)


# In this order: the later ones read what `prepare` writes.
STEPS: dict[str, Callable[[Path], object]] = {
    "tokenise": _tokenise,
    "tokenise by sacremoses": lambda folder: _tokenise(folder, "sacremoses"),
    "prepare pairs (tokenise both sides, clean, count)": _prepare,
    "restrict to a vocabulary": _restrict,
    "sample half, and restrict": _sample,
    "count words": lambda folder: count_texts([folder / "text1.gz"]),
    "encode": lambda folder: encode_texts([folder / "text1.gz"], [folder / "text1.ids"]),
}


def _child(step: str, folder: Path) -> None:
    text = folder / ("raw1.gz" if "tokenise" in step else "text1.gz")
    before = time.process_time()
    STEPS[step](folder)
    seconds = time.process_time() - before
    sentences = sum(1 for _ in read_lines(text))
    print(json.dumps([sentences, seconds, round(memory_mb("VmHWM"))]))


if __name__ == "__main__":
    _child(sys.argv[1], Path(sys.argv[2]))
