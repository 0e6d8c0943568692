"""Words in pieces by a unigram model of sentencepiece (Kudo 2018), and pieces as words again.

A piece that begins a word begins with `MARK`, so pieces become words without the model.
"""

import math
import sys
from collections.abc import Collection
from itertools import islice
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import atomic_path, read_lines
from nlmt.processes import ToolError, run_program
from nlmt.text.segmenters import import_optional

MARK = "\u2581"
SENTENCEPIECE = "sentencepiece"  # the name under `text.segmenter`
SENTENCES = 1_000_000  # that a model learns from; memory grows with their number
_INSTALL = "make pretrained, or: pip install nlmt[sentencepiece]"


def train_pieces(text: Path | str, model: Path | str, *, size: int) -> None:
    """Write a model of the pieces of a tokenised text; equal texts make equal models.

    Args:
        text: tokens; of more than `SENTENCES` lines, every second, third ... one is used.
        model: path of the model.
        size: largest number of pieces; a small text has fewer.

    Raises:
        InputError: sentencepiece is not installed, or finds no pieces in the text.
    """
    import_optional("sentencepiece", "the segmenter sentencepiece", _INSTALL)
    step = math.ceil(sum(1 for _ in read_lines(text)) / SENTENCES)
    lines = islice(map(_plain, read_lines(text)), 0, None, max(1, step))
    try:
        with atomic_path(model) as path:
            # In a process of its own, as sentencepiece cannot be stopped.
            trainer = [sys.executable, "-m", "nlmt.text.piece_trainer"]
            run_program([*trainer, path, str(size)], lines=lines)
    except ToolError as error:
        raise InputError(f"sentencepiece: {error}", path=text) from error


class Pieces:
    """Divides the words of a line into pieces."""

    def __init__(self, model: Path | str) -> None:
        """Read a model.

        Raises:
            InputError: sentencepiece is not installed, or the file is missing or damaged.
        """
        library = import_optional("sentencepiece", "the segmenter sentencepiece", _INSTALL)
        try:
            content = Path(model).read_bytes()
            self._model = library.SentencePieceProcessor(model_proto=content)
        except (OSError, RuntimeError) as error:
            raise InputError("no model of sentencepiece", path=model) from error

    def __call__(self, line: str) -> str:
        """The pieces of a line of tokens, with single spaces between them."""
        return " ".join(self._model.encode(_plain(line), out_type=str))


def join_pieces(line: str) -> str:
    """The words of a line of pieces."""
    return line.replace(" ", "").replace(MARK, " ").strip()


def words_with(line: str, pieces: Collection[str]) -> tuple[str, ...]:
    """The words of a line of pieces that have one of some pieces."""
    words: list[list[str]] = []
    for piece in line.split():
        if piece.startswith(MARK) or not words:
            words.append([])
        words[-1].append(piece)
    return tuple(join_pieces(" ".join(word)) for word in words if not {*pieces}.isdisjoint(word))


def read_words(path: Path | str, *, pieces: bool) -> list[str]:
    """The lines of a text of the workflow, as words where the text is in pieces."""
    return [join_pieces(line) if pieces else line for line in read_lines(path)]


def _plain(line: str) -> str:
    """A line whose words have no `MARK` of their own."""
    return line.replace(MARK, "_")
