"""The translations of a test set by a system and by those that it is compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nlmt.errors import InputError
from nlmt.text import read_words

Lines = Sequence[str]


@dataclass(frozen=True)
class EvaluationSet:
    """The translations of a test set by all runs of a system.

    Attributes:
        name: of the set.
        hypotheses: of each run, one line per sentence, tokenised.
        references: one or more sets of lines, tokenised.
        others: translations of each run of systems to compare with, by name.
        raw_references: one or more references as running text; if given, detokenised text is
            scored, too.
        language: of the translations; needed for detokenising them.
        sources: running text that was translated, for `SegmentMetric`.
        texts: translations as running text, like `hypotheses`, for `SegmentMetric`.
        other_texts: the same, like `others`.
    """

    name: str
    hypotheses: Sequence[Lines]
    references: Sequence[Lines]
    others: Mapping[str, Sequence[Lines]] = field(default_factory=dict)
    raw_references: Sequence[Lines] = ()
    language: str = ""
    sources: Lines = ()
    texts: Sequence[Lines] = ()
    other_texts: Mapping[str, Sequence[Lines]] = field(default_factory=dict)


def read_evaluation_set(
    name: str,
    hypotheses: Sequence[Path | str],
    references: Sequence[Path | str],
    *,
    others: Mapping[str, Sequence[Path | str]] | None = None,
    raw_references: Sequence[Path | str] = (),
    language: str = "",
    source: Path | str | None = None,
    texts: Sequence[Path | str] = (),
    other_texts: Mapping[str, Sequence[Path | str]] | None = None,
    pieces: bool = False,
) -> EvaluationSet:
    """Read the files of a test set.

    Args:
        name: of the set.
        hypotheses: translations, one file per run.
        references: one file for each reference.
        others: translations, one file per run, of systems to compare with, by name.
        raw_references: references as running text, one file for each.
        language: of the translations; needed with `raw_references`.
        source: running text that was translated, if segment metrics are asked for.
        texts: translations as running text, one file per run.
        other_texts: the same of systems to compare with.
        pieces: whether translations and references are in pieces, which are made words.

    Raises:
        InputError: no such file, or its number of lines is not the first reference's; names it.
    """

    def read(paths: Sequence[Path | str], pieces: bool = False) -> list[Lines]:
        texts: list[Lines] = []
        for path in paths:
            lines = read_words(path, pieces=pieces)
            if len(lines) != len(first):
                raise InputError(
                    f"{len(lines)} lines, but {references[0]} has {len(first)}",
                    path=path,
                    hint="line i of each must belong to the same sentence",
                )
            texts.append(lines)
        return texts

    if not references:
        raise InputError(f"no references of the test set {name}")
    first = read_words(references[0], pieces=pieces)
    if not first:
        raise InputError("no sentences to evaluate: the text is empty", path=references[0])
    return EvaluationSet(
        name,
        read(hypotheses, pieces),
        [first, *read(references[1:], pieces)],
        {other: read(paths, pieces) for other, paths in (others or {}).items()},
        read(raw_references),
        language,
        [] if source is None else read([source])[0],
        read(texts),
        {other: read(paths) for other, paths in (other_texts or {}).items()},
    )
