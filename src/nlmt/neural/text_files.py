"""Texts of one language as files: sentences, or encoded ones; and the words that they share."""

from collections.abc import Sequence
from pathlib import Path

from nlmt.errors import InputError
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
        if not self.encoded:
            words, _ = count_texts(self.paths, min_count)
            return Vocabulary.from_counts(words)
        (first, text), *others = self.encoded.items()
        for path, other in others:
            if other.vocabulary != text.vocabulary:
                what = f"encoded with other words than {first}"
                raise InputError(what, path=path, mend="encode all texts in one call")
        if text.min_count not in (0, min_count):
            what = f"min_count: {min_count}, but the text was encoded with {text.min_count}"
            raise InputError(what, path=first, mend=f"min_count: {text.min_count}")
        return text.vocabulary

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
        if encoded.vocabulary != vocabulary:
            what = "encoded with other words than the model's"
            mend = "nlmt lm encode --vocabulary MODEL/vocabulary.txt (or source-vocabulary.txt)"
            raise InputError(what, path=path, mend=mend)
        check_length(encoded.corpus, path, at_least)
        return encoded.corpus
