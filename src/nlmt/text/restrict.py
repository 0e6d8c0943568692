"""Restriction of text to a vocabulary: other words become `<unk>`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Set

from nlmt.vocabulary import BEGIN, END, UNKNOWN


def frequent_words(
    lines: Iterable[str], min_count: int = 1, most_frequent: int | None = None
) -> frozenset[str]:
    """The words that occur at least `min_count` times in tokenised `lines`.

    With `most_frequent`, at most so many, the most frequent ones; ties are broken by code-point
    order.
    """
    counts = Counter(word for line in lines for word in line.split(" ") if word)
    kept = [word for word, count in counts.items() if count >= min_count]
    if most_frequent is not None:
        kept = sorted(kept, key=lambda word: (-counts[word], word))[:most_frequent]
    return frozenset(kept)


def restrict_vocabulary(lines: Iterable[str], vocabulary: Set[str]) -> Iterator[str]:
    """Replace words outside `vocabulary` by `<unk>`, as in Baltescu and Blunsom (2015, section 3).

    The marks that language models reserve, `<s>` and `</s>`, are not words, so they become `<unk>`
    as well. Each line stays a line.
    """
    allowed = vocabulary - {BEGIN, END}
    for line in lines:
        yield " ".join(word if word in allowed else UNKNOWN for word in line.split(" ") if word)
