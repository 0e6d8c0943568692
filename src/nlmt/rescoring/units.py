"""Units of a language model: words, or the bilingual tuples of docs/tuples.md."""

from pathlib import Path

from nlmt.errors import InputError
from nlmt.lm.protocol import LanguageModel
from nlmt.lm.vocabulary_facts import ClosedModel
from nlmt.vocabulary import SPECIAL

_SEPARATOR = "="  # between the two sides of a tuple; within words it is %3D


def check_units(model: LanguageModel, path: Path | str, *, tuples: bool) -> None:
    """Refuse a model of words where one of tuples is needed, and the reverse.

    Either would score the other's texts as unknown words. A model whose vocabulary is open or not
    listed in its files is accepted.

    Raises:
        InputError: most of the model's words are of the other kind.
    """
    vocabulary = model.vocabulary if isinstance(model, ClosedModel) else None
    if vocabulary is None:
        return
    words = [word for word in vocabulary.words if word not in SPECIAL]
    of_tuples = sum(word.count(_SEPARATOR) == 1 for word in words)
    if not words or (2 * of_tuples > len(words)) == tuples:
        return
    example = next(word for word in words if (word.count(_SEPARATOR) == 1) != tuples)
    if tuples:
        what, hint = "a model of words, not of tuples", "give it as --model"
    else:
        what, hint = "a model of tuples, not of words", "give it as --tuple-model"
    raise InputError(f"{what}: it has the word {example!r}", path=path, hint=hint)
