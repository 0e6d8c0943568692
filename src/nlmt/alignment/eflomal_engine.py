"""Reproducible word alignment with eflomal (Ostling and Tiedemann 2016).

eflomal samples alignments from a Bayesian HMM with fertility and takes its seed from the system.
Two measures make a run reproducible: a small library loaded into it answers its request for random
bytes (see cpp/alignment/eflomal_seed.cpp), and its samplers run sequentially, as they draw their
seeds from a common one in the order of their start. The two directions are independent and run in
parallel.
"""

import logging
import math
import os
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from nlmt.alignment import _alignment
from nlmt.alignment.priors import AlignedText, write_priors
from nlmt.errors import SPACE_HINT, InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import read_lines, read_parallel, scratch_folder, write_lines
from nlmt.processes import failure
from nlmt.steps import counted, step

HMM_WITH_FERTILITY = 3
SAMPLERS = 3
NULL_PRIOR = 0.2
# Sentences of this many words or more exceed eflomal's buffers and stay unaligned.
LENGTH_LIMIT = 1024


def align(
    source: Path,
    target: Path,
    forward: Path,
    reverse: Path,
    *,
    like: AlignedText | None = None,
    seed: int,
    threads: int = 2,
) -> None:
    """Align the words of each sentence pair in both directions.

    Words are compared in lower case. In `forward` each target word has at most one link, in
    `reverse` each source word. The bytes depend on texts and seed, not on `threads`.

    Args:
        source: tokenised text, one sentence per line, words separated by spaces.
        target: its translation, line for line.
        forward: receives the links `source-target` of each pair, `0-0 1-2`.
        reverse: receives those of the other direction, also source first.
        like: a larger text that is already aligned; its links are counted as priors, so that a few
            sentences are aligned about as well as within that text.
        seed: not negative.
        threads: at most two are used, one per direction.

    Raises:
        InputError: texts of different length, or empty; links of `like` that do not fit; eflomal
            failed, or its disk was full.
    """
    with scratch_folder(forward) as folder:
        sides = {folder / "source": _Encoder(), folder / "target": _Encoder()}
        _encode(read_parallel(source, target), sides)
        encoded_source, encoded_target = sides.values()
        pairs = encoded_source.lines
        if not pairs:
            raise InputError("no sentence pair to align", path=source)
        too_long = sorted({*encoded_source.too_long, *encoded_target.too_long})
        if too_long:
            logging.warning(
                "%s:%d: no links for %s of %s pairs, from this one on: eflomal takes sentences of "
                "up to %s words",
                *(source, too_long[0], f"{len(too_long):,}", f"{pairs:,}", f"{LENGTH_LIMIT - 1:,}"),
            )
        if like is not None:
            write_priors(like, encoded_source.words, encoded_target.words, folder / "priors")
        _run(folder, pairs, seed, threads)
        links = {folder / "forward": forward, folder / "reverse": reverse}
        for written, output in links.items():
            _check(written, pairs, output)
        for written, output in links.items():
            write_lines(output, read_lines(written))


class _Encoder:
    """Encodes one side of the bitext as word numbers, in eflomal's text format."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.lines = 0
        self.too_long: list[int] = []  # numbers of lines, from 1

    def first_line(self) -> str:
        """The numbers of lines and of words so far, in as many characters whatever they are."""
        return f"{self.lines:<20} {len(self.words):<20}"

    def encode(self, line: str) -> str:
        """The next line in that format."""
        words = split_fields(line.lower())
        ids = [str(self.words.setdefault(word, len(self.words))) for word in words]
        self.lines += 1
        if len(ids) < LENGTH_LIMIT:
            return " ".join([str(len(ids)), *ids])
        self.too_long.append(self.lines)
        return "0"


def _encode(pairs: Iterable[tuple[str, ...]], sides: Mapping[Path, _Encoder]) -> None:
    """Write the sides of sentence pairs to files in eflomal's format.

    The numbers in the first line of a file are known at the end, and are written over those of the
    beginning.
    """
    with ExitStack() as stack:
        texts = [stack.enter_context(path.open("w", encoding="ascii")) for path in sides]
        for text, encoder in zip(texts, sides.values(), strict=True):
            text.write(f"{encoder.first_line()}\n")
        for pair in counted(pairs, "read", unit="pairs"):
            for text, encoder, line in zip(texts, sides.values(), pair, strict=True):
                text.write(f"{encoder.encode(line)}\n")
        for text, encoder in zip(texts, sides.values(), strict=True):
            text.seek(0)
            text.write(encoder.first_line())


def find_eflomal() -> Path:
    """The path of the installed package's program.

    Raises:
        InputError: it is not installed.
    """
    spec = find_spec("eflomal")
    if spec is None or spec.origin is None:
        hint = "pip install eflomal, which needs a C compiler"
        raise InputError("word alignment needs eflomal, which is not installed", hint=hint)
    return Path(spec.origin).with_name("bin") / "eflomal"


def _run(folder: Path, pairs: int, seed: int, threads: int) -> None:
    # The number of iterations that suffices according to eflomal's authors: fewer on more text.
    fertility = max(2, round(5000 / math.sqrt(pairs)))
    hmm = max(1, fertility // 4)
    command = [
        *(str(find_eflomal()), "-q"),
        *("-m", str(HMM_WITH_FERTILITY), "-n", str(SAMPLERS), "-N", str(NULL_PRIOR)),
        *("-1", str(max(2, hmm)), "-2", str(hmm), "-3", str(fertility)),
        *("-s", str(folder / "source"), "-t", str(folder / "target")),
        *("-f", str(folder / "forward"), "-r", str(folder / "reverse")),
    ]
    if (folder / "priors").exists():
        command += ["-p", str(folder / "priors")]
    environment = {
        **os.environ,
        "LD_PRELOAD": str(Path(_alignment.__file__).with_name("_eflomal_seed.so")),
        "NLMT_ALIGNMENT_SEED": str(seed),
        "OMP_NUM_THREADS": f"{min(threads, 2)},1",  # directions, samplers
        "OMP_DYNAMIC": "false",
    }
    with step(f"align {pairs:,} sentence pairs"):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise failure("eflomal", done.returncode, done.stderr.strip().splitlines())


def _check(written: Path, pairs: int, output: Path) -> None:
    """Raise if links are missing for some pairs, as eflomal does not notice a full disk."""
    lines = 0
    if written.exists():
        with written.open("rb") as stream:
            lines = sum(line.endswith(b"\n") for line in stream)
    if lines != pairs:
        what = f"eflomal wrote the links of only {lines:,} of {pairs:,} pairs: is the disk full?"
        raise InputError(what, path=output, hint=SPACE_HINT)
