"""Samples of a text's sentences: seeded, and nested, so that a smaller one is part of a larger."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlmt.errors import InputError


@dataclass(frozen=True)
class Sample:
    """How much of a text is sampled; None everywhere: all of it.

    Attributes:
        share: of the sentences, above 0 and up to 1.
        sentences: number of sentences.
        tokens: number of tokens; the sentence that reaches it is the last one.
    """

    share: float | None = None
    sentences: int | None = None
    tokens: int | None = None


def sample_lines(lines: Sequence[str], sample: Sample, *, seed: int) -> list[str]:
    """The sampled lines, in the order of the text.

    Sentences are drawn without replacement in one random order that depends on the seed and on the
    number of lines; a sample is a beginning of that order.

    Raises:
        InputError: more sentences or tokens are asked for than the text has.
    """
    if sample == Sample():
        return list(lines)
    order = np.random.default_rng(seed).permutation(len(lines))
    if sample.share is not None:
        count = max(1, round(sample.share * len(lines)))
    elif sample.sentences is not None:
        count = sample.sentences
        if count > len(lines):
            raise InputError(f"a sample of {count} sentences of a text of {len(lines)}")
    else:
        assert sample.tokens is not None
        totals = np.cumsum([len(lines[place].split()) for place in order])
        if not len(totals) or totals[-1] < sample.tokens:
            have = int(totals[-1]) if len(totals) else 0
            raise InputError(f"a sample of {sample.tokens} tokens of a text of {have}")
        count = int(np.searchsorted(totals, sample.tokens)) + 1
    return [lines[place] for place in sorted(order[:count])]
