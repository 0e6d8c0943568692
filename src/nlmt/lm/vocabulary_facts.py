"""Facts on a language model's vocabulary: perplexities compare only where it is the same.

A model with fewer words has fewer events to distinguish, so that the perplexities of two models are
comparable only if their vocabularies (and the texts) are equal. The facts are stored beside a
perplexity, so that a table can say where that does not hold.
"""

import hashlib
from dataclasses import asdict, dataclass
from typing import Protocol, runtime_checkable

from nlmt.lm.protocol import LanguageModel
from nlmt.vocabulary import SPECIAL, Vocabulary


@runtime_checkable
class ClosedModel(Protocol):
    """A model of a fixed set of words."""

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The words; None if the model's files do not list them."""
        ...


@dataclass(frozen=True)
class VocabularyFacts:
    """Size and fingerprint of a set of words.

    Attributes:
        words: number of words without `<unk>`, `<s>` and `</s>`; None: unknown, or any word has a
            probability of its own, as in models of sub-words.
        hash: the first 16 hexadecimal digits of the SHA-256 of the sorted words; None as above.
    """

    words: int | None
    hash: str | None

    def to_dict(self) -> dict[str, int | str | None]:
        """Both under their names, ready for JSON."""
        return asdict(self)


def vocabulary_facts(model: LanguageModel) -> VocabularyFacts:
    """The facts of a model's vocabulary."""
    vocabulary = model.vocabulary if isinstance(model, ClosedModel) else None
    if vocabulary is None:
        return VocabularyFacts(None, None)
    words = sorted(set(vocabulary.words).difference(SPECIAL))
    # Words of other tools' models may be bytes that are not UTF-8.
    text = "\n".join(words).encode(errors="surrogateescape")
    return VocabularyFacts(len(words), hashlib.sha256(text).hexdigest()[:16])
