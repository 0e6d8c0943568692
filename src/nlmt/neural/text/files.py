"""Texts as files: sentences, or encoded ones; the words that they share; their source sides."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io.affiliation import Positions, read_affiliation
from nlmt.io.files import read_lines
from nlmt.lm.kinds import SourceFiles
from nlmt.neural.text.encoded import count_texts, is_encoded, open_encoded, read_blocks
from nlmt.neural.text.numbered import END_ID, NumberedText, Source, smallest
from nlmt.vocabulary import SPECIAL, Vocabulary

NO_SOURCE = "the model is not conditioned on the source"


class TextFiles:
    """Some texts, of which the encoded ones are mapped into memory.

    Attributes:
        paths: of all of them.
        encoded: the encoded ones by path.
    """

    def __init__(self, paths: Sequence[Path | str]) -> None:
        self.paths = tuple(paths)
        self.encoded = {path: open_encoded(path) for path in paths if is_encoded(path)}

    def vocabulary(self, min_count: int, most: int | None) -> Vocabulary:
        """The words of the encoded texts, or else those that occur so often in all texts together.

        Only the `most` frequent of the latter; encoded texts may not have more.

        Raises:
            InputError: texts that were encoded with different words, or with another `min_count`.
        """
        common = self.common_vocabulary()
        if common is None:
            words, _ = count_texts(self.paths, min_count)
            vocabulary = Vocabulary.from_counts(words)
            end = None if most is None else len(SPECIAL) + most
            return Vocabulary(vocabulary.words[:end])
        first, text = next(iter(self.encoded.items()))
        if most is not None and len(common) > len(SPECIAL) + most:
            what = f"max_words: {most}, but the text was encoded with {len(common) - len(SPECIAL)}"
            raise InputError(what, path=first, hint="give the text as sentences")
        if text.min_count not in (0, min_count):
            what = f"min_count: {min_count}, but the text was encoded with {text.min_count}"
            raise InputError(what, path=first, hint=f"min_count: {text.min_count}")
        return common

    def common_vocabulary(self) -> Vocabulary | None:
        """The words of the encoded texts; None where there are none.

        Raises:
            InputError: texts that were encoded with different words.
        """
        if not self.encoded:
            return None
        (first, text), *others = self.encoded.items()
        for path, other in others:
            if other.vocabulary != text.vocabulary:
                what = f"encoded with other words than {first}"
                raise InputError(what, path=path, hint="encode all texts in one call")
        return text.vocabulary

    def count_words(self) -> Counter[str]:
        """Count each word; for encoded texts, falling numbers in the order of their words.

        Raises:
            InputError: no word; only some texts are encoded, or with different words.
        """
        given = self.common_vocabulary()
        if given is None:
            counts, _ = count_texts(self.paths)
            if not counts:
                hint = "give a longer text, one sentence a line"
                raise InputError("no sentence with words", path=self.paths[0], hint=hint)
            return counts
        others = [path for path in self.paths if path not in self.encoded]
        if others:
            what = "not encoded, as other texts are, whose words a short-list would be left with"
            raise InputError(what, path=others[0], hint="encode all texts in one call")
        return Counter({word: len(given) - i for i, word in enumerate(given.words)})

    def require_all_words(self) -> None:
        """Refuse texts that were encoded without their rare words.

        Raises:
            InputError: a text was.
        """
        for path, encoded in self.encoded.items():
            if encoded.text.target_counts(encoded.vocabulary)[encoded.vocabulary.unknown]:
                what = "encoded without its rare words, which the back-off model of a short-list"
                hint = "encode with --min-count 1, or give --backoff"
                raise InputError(f"{what} needs", path=path, hint=hint)

    def lines(self) -> Iterator[str]:
        """The sentences of all texts, one after the other, encoded ones as words."""
        for path in self.paths:
            encoded = self.encoded.get(path)
            if encoded is None:
                yield from read_lines(path)
                continue
            words = encoded.vocabulary.words
            for piece in encoded.text.pieces():
                spelt = [words[i] for i in piece.stream.tolist()]
                for begin, end in pairwise(piece.begins.tolist()):
                    yield " ".join(spelt[begin : end - 1])

    def read(self, vocabulary: Vocabulary, *, at_least: int) -> list[NumberedText]:
        """The texts as numbers, each of `at_least` sentences with words.

        Raises:
            InputError: a shorter text, one that is unreadable or was encoded with other words.
        """
        return [self._read(path, vocabulary, at_least) for path in self.paths]

    def _read(self, path: Path | str, vocabulary: Vocabulary, at_least: int) -> NumberedText:
        encoded = self.encoded.get(path)
        if encoded is None:
            return read_text(path, vocabulary, at_least=at_least)
        # A back-off model may have further words after those of the text.
        if vocabulary.words[: len(encoded.vocabulary)] != encoded.vocabulary.words:
            what = "encoded with other words than the model's"
            hint = "nlmt lm encode --vocabulary MODEL/vocabulary.txt (or source-vocabulary.txt)"
            raise InputError(what, path=path, hint=hint)
        _check_length(encoded.text, path, at_least)
        return encoded.text


def read_text(path: Path | str, vocabulary: Vocabulary, *, at_least: int) -> NumberedText:
    """Read a text of one sentence a line into memory.

    Raises:
        InputError: fewer than `at_least` sentences with words, or an unreadable file.
    """
    blocks = [smallest(block, len(vocabulary)) for block in read_blocks(path, vocabulary)]
    stream = np.concatenate([*blocks, smallest(np.zeros(0, np.int32), len(vocabulary))])
    begins = np.concatenate([[0], np.flatnonzero(stream == END_ID) + 1])
    text = NumberedText(stream, begins)
    _check_length(text, path, at_least)
    return text


def _check_length(text: NumberedText, path: Path | str, at_least: int) -> None:
    """Refuse a text of fewer than `at_least` sentences with words."""
    filled = text.filled(at_least)
    if filled < at_least:
        what = f"{filled} sentences with words, at least {at_least} are needed"
        raise InputError(what, path=path, hint="give a longer text, one sentence a line")


def with_source(
    target: NumberedText, files: SourceFiles, vocabulary: Vocabulary, linked: int = 0
) -> NumberedText:
    """A text with its source side, encoded with the source's own `vocabulary`.

    `linked` is the number of linked words whose positions are kept; 0 for the affiliated one.

    Raises:
        InputError: another number of lines than the text has; a bad link, with its line.
    """
    return with_sources([target], TextFiles([files.text]), [files], vocabulary, linked)[0]


def with_sources(
    targets: Sequence[NumberedText],
    texts: TextFiles,
    files: Sequence[SourceFiles],
    vocabulary: Vocabulary,
    linked: int,
) -> list[NumberedText]:
    """Several texts with their source sides; `texts` are the opened source texts.

    With an encoded source, the positions that words belong to are mapped into memory, too.

    Raises:
        InputError: as `with_source`.
    """
    result = []
    sources = texts.read(vocabulary, at_least=1)
    for target, source, one in zip(targets, sources, files, strict=True):
        if source.sentences != target.sentences:
            what = f"{source.sentences} lines, but the target text has {target.sentences}"
            raise InputError(what, path=one.text, hint="give texts that are line for line")
        mapped = one.text in texts.encoded
        position: Positions = np.zeros(target.events, dtype=np.uint16)
        if one.alignment is not None:
            begins = source.begins, target.begins
            position = read_affiliation(one.alignment, *begins, linked=linked, mapped=mapped)
        result.append(replace(target, source=Source(source, position)))
    return result
