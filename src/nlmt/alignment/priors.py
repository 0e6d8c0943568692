"""Priors for eflomal: counts of links of a text that is already aligned.

eflomal adds them to the counts of the sentences to align.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.fields import is_whole_number, split_fields
from nlmt.io.files import read_parallel, write_lines


@dataclass(frozen=True)
class AlignedText:
    """Files of a bitext and of its links in both directions, as `align` writes them."""

    source: Path
    target: Path
    forward: Path
    reverse: Path


def write_priors(
    text: AlignedText, source_words: Mapping[str, int], target_words: Mapping[str, int], path: Path
) -> None:
    """Count the links of a text and write them in eflomal's format.

    There are counts of word pairs, of jumps from one link to the next, and of fertilities, in both
    directions. Only words that occur in the text to be aligned are counted.

    The words to be aligned have their ids from 0 on each side.

    Raises:
        InputError: files of different length, a malformed link, one outside its sentences.
    """
    words = (source_words, target_words)
    pairs: Counter[tuple[int, int]] = Counter()
    jumps: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    fertilities: tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]] = Counter(), Counter()
    rows = read_parallel(text.source, text.target, text.forward, text.reverse)
    for number, (source, target, *directions) in enumerate(rows, start=1):
        # Number 0 is eflomal's NULL; -1 an ignored word.
        ids = [
            [index.get(word, -2) + 1 for word in split_fields(line.lower())]
            for index, line in zip(words, (source, target), strict=True)
        ]
        for one, line in enumerate(directions):
            lengths = len(ids[0]), len(ids[1])
            links = _read_links(line, lengths, (text.forward, text.reverse)[one], number)
            if one == 0:
                pairs.update((ids[0][i], ids[1][j]) for i, j in links)
            # In the order of the side whose words have at most one link each.
            linked = [link[one] for link in sorted(links, key=lambda link: link[1 - one])]
            for before, position in pairwise([-1, *linked, lengths[one]]):
                jumps[one][position - before] += 1
            for position, fertility in Counter(linked).items():
                fertilities[one][ids[one][position], fertility] += 1
    write_lines(path, _format(len(source_words), len(target_words), pairs, jumps, fertilities))


def _read_links(
    line: str, lengths: tuple[int, int], path: Path, number: int
) -> list[tuple[int, int]]:
    links = []
    for link in split_fields(line):
        source, _, target = link.partition("-")
        inside = is_whole_number(source) and is_whole_number(target)
        if not inside or int(source) >= lengths[0] or int(target) >= lengths[1]:
            what = f"'{link}' is not a link between the words of this pair"
            hint = "links are source-target from 0: 0-0 1-2, without scores"
            raise InputError(what, path=path, line=number, hint=hint)
        links.append((int(source), int(target)))
    return links


def _format(
    sources: int,
    targets: int,
    pairs: Counter[tuple[int, int]],
    jumps: tuple[Counter[int], Counter[int]],
    fertilities: tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]],
) -> Iterator[str]:
    lexical, ahead, back = (
        sorted((*key, count) for key, count in table.items() if min(key[:known]) > 0)
        for table, known in ((pairs, 2), (fertilities[0], 1), (fertilities[1], 1))
    )
    parts: list[Sequence[tuple[int, ...]]]
    parts = [lexical, *(sorted(counts.items()) for counts in jumps), ahead, back]
    yield " ".join(map(str, (sources + 1, targets + 1, *map(len, parts))))
    for part in parts:
        for row in part:
            yield " ".join(map(str, row))
