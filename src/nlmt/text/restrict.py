"""Text for language models: words outside a vocabulary become `<unk>`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Set

UNKNOWN = "<unk>"
SENTENCE_MARKS = ("<s>", "</s>")


def bitext_vocabulary(lines: Iterable[str], min_count: int = 1) -> frozenset[str]:
    """The words that stand at least `min_count` times in tokenised `lines`."""
    counts = Counter(word for line in lines for word in line.split(" ") if word)
    return frozenset(word for word, count in counts.items() if count >= min_count)


def restrict_vocabulary(lines: Iterable[str], vocabulary: Set[str]) -> Iterator[str]:
    """Replace words outside `vocabulary` by `<unk>`, as Baltescu and Blunsom (2015, section 4).

    The marks that language models reserve, `<s>` and `</s>`, are never words: they become
    `<unk>` as well. Each line stays a line.
    """
    allowed = vocabulary - set(SENTENCE_MARKS)
    for line in lines:
        yield " ".join(word if word in allowed else UNKNOWN for word in line.split())
