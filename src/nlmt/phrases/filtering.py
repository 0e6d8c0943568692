"""The part of a table that given texts can use."""

from collections.abc import Iterable, Set
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import atomic_path, open_binary, read_lines
from nlmt.phrases._phrases import LONGEST_PHRASE

SEPARATOR = b" ||| "


def source_phrases(texts: Iterable[Path], max_length: int = LONGEST_PHRASE) -> frozenset[bytes]:
    """Every sequence of up to `max_length` words in `texts`, words joined by one space."""
    phrases = set()
    for path in texts:
        for line in read_lines(path):
            words = line.encode().split()
            for begin in range(len(words)):
                for end in range(begin + 1, min(begin + max_length, len(words)) + 1):
                    phrases.add(b" ".join(words[begin:end]))
    return frozenset(phrases)
