"""Texts of one language as files: sentences, or encoded ones; and the words that they share."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.neural.data import Corpus
from nlmt.neural.encoded import is_encoded, open_encoded
from nlmt.neural.reading import check_length, count_texts, read_corpus
from nlmt.vocabulary import Vocabulary


class TextFiles:
    """Some texts, of which the encoded ones are mapped into memory.

    Attributes:
        paths: of all of them.
        encoded: the encoded ones by path.
    """

    def __init__(self, paths: Sequence[Path | str]) -> None:
        self.paths = tuple(paths)
        self.encoded = {path: open_encoded(path) for path in paths if is_encoded(path)}

    def vocabulary(self, min_count: int) -> Vocabulary:
        """The words of the encoded texts, or else those that occur so often in all texts together.

        Raises:
            InputError: texts that were encoded with different words, or with another `min_count`.
        """
        common = self.common_vocabulary()
        if common is None:
            words, _ = count_texts(self.paths, min_count)
            return Vocabulary.from_counts(words)
        first, text = next(iter(self.encoded.items()))
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

    def lines(self) -> Iterator[str]:
        """The sentences of all texts, one after the other; those of encoded ones spelt again."""
        for path in self.paths:
            encoded = self.encoded.get(path)
            if encoded is None:
                yield from read_lines(path)
                continue
            words = encoded.vocabulary.words
            for piece in encoded.corpus.pieces():
                spelt = [words[i] for i in piece.stream.tolist()]
                for begin, end in pairwise(piece.begins.tolist()):
                    yield " ".join(spelt[begin : end - 1])

    def corpora(self, vocabulary: Vocabulary, *, at_least: int) -> list[Corpus]:
        """The texts as numbers, each of `at_least` sentences with words.

        Raises:
            InputError: a shorter text, one that is unreadable or was encoded with other words.
        """
        return [self._corpus(path, vocabulary, at_least) for path in self.paths]

    def _corpus(self, path: Path | str, vocabulary: Vocabulary, at_least: int) -> Corpus:
        encoded = self.encoded.get(path)
        if encoded is None:
            return read_corpus(path, vocabulary, at_least=at_least)
        # The words of a back-off model may go on behind those of the text.
        if vocabulary.words[: len(encoded.vocabulary)] != encoded.vocabulary.words:
            what = "encoded with other words than the model's"
            hint = "nlmt lm encode --vocabulary MODEL/vocabulary.txt (or source-vocabulary.txt)"
            raise InputError(what, path=path, hint=hint)
        check_length(encoded.corpus, path, at_least)
        return encoded.corpus
