"""One part of a bitext, from raw lines to tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.parallel import read_parallel
from nlmt.text.tokenise import PIPE, tokenise_lines


@dataclass(frozen=True)
class PreparedBitext:
    """Tokenised lines of both sides, and the counts of the run report."""

    source: list[str]
    target: list[str]
    counts: dict[str, int]


def prepare_bitext(
    source: Path | str,
    target: Path | str,
    languages: tuple[str, str],
    *,
    max_length: int | None,
    threads: int = 1,
) -> PreparedBitext:
    """Normalise, tokenise and lower-case both sides.

    Args:
        source: raw text, a sentence a line.
        target: its translation, line by line.
        languages: codes of source and target.
        max_length: for training text: pairs with a side of no token or of more than this many
            are dropped and counted. None, for dev and test: every line is kept, and one without
            a token is an error.
        threads: processes; the result does not depend on their number.

    Raises:
        InputError: unknown language, not UTF-8, sides of different length, no text, or a line of
            dev or test without a token.
    """
    pairs = list(read_parallel(source, target))
    sides = [
        tokenise_lines([pair[side] for pair in pairs], languages[side], threads) for side in (0, 1)
    ]
    lengths = [[len(line.split()) for line in side] for side in sides]
    counts = {"read": len(pairs), "empty": 0, "too_long": 0}
    kept: list[int] = []
    for index, pair_lengths in enumerate(zip(*lengths, strict=True)):
        if min(pair_lengths) == 0:
            if max_length is None:
                raise InputError(
                    "a line without a word",
                    path=(source, target)[pair_lengths.index(0)],
                    line=index + 1,
                    hint="remove the line from both sides",
                )
            counts["empty"] += 1
        elif max_length is not None and max(pair_lengths) > max_length:
            counts["too_long"] += 1
        else:
            kept.append(index)
    if not kept:
        raise InputError("no sentence is left", path=source, hint="see the lengths of its lines")
    kept_sides = [[side[index] for index in kept] for side in sides]
    for name, side, side_lengths in zip(("source", "target"), kept_sides, lengths, strict=True):
        counts[f"{name}_tokens"] = sum(side_lengths[index] for index in kept)
        counts[f"{name}_words"] = len({word for line in side for word in line.split()})
        counts[f"{name}_escaped_pipes"] = _count_pipes(side)
    counts["kept"] = len(kept)
    return PreparedBitext(kept_sides[0], kept_sides[1], counts)


def _count_pipes(lines: Sequence[str]) -> int:
    return sum(line.split().count(PIPE) for line in lines if PIPE in line)
