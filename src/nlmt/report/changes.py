"""The sentences that changed most between two systems, and their file."""

import difflib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.evaluation import BLEU, CHRF
from nlmt.io.files import write_text
from nlmt.io.json_files import read_json

COUNT = 50  # of sentences that improved, and of those that worsened, at most


@dataclass(frozen=True)
class Change:
    """A sentence, numbered from 0, that two systems translate differently; scores are chrF."""

    number: int
    source: str
    references: tuple[str, ...]
    baseline: str
    system: str
    baseline_score: float
    system_score: float

    @property
    def gain(self) -> float:
        """The system's score minus the baseline's."""
        return self.system_score - self.baseline_score


@dataclass(frozen=True)
class Changes:
    """The differences between the translations of a baseline and a system, and BLEU of both."""

    names: tuple[str, str]
    sentences: int
    different: int
    scores: tuple[float, float]
    better: list[Change]
    worse: list[Change]

    def largest(self, count: int) -> list[Change]:
        """The sentences that changed most, in either direction, the largest change first."""
        return sorted([*self.better, *self.worse], key=lambda change: -abs(change.gain))[:count]


def compare_sentences(
    names: tuple[str, str],
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    baseline: Sequence[str],
    system: Sequence[str],
) -> Changes:
    """Compare the translations of a baseline and a system sentence by sentence.

    Sentences are ordered by chrF, which unlike BLEU discriminates between single sentences. Those
    that improved and those that worsened are at most `COUNT` each, the largest change first.

    Raises:
        InputError: numbers of lines differ.
    """
    if len(source) != len(system):
        raise InputError(f"{len(source)} lines of source, but {len(system)} translations")
    both = baseline, system
    scores = [CHRF.score(CHRF.statistics(lines, references)) for lines in both]
    gains = scores[1] - scores[0]
    order = np.argsort(-gains, kind="stable")

    def change(i: int) -> Change:
        translations = tuple(lines[i] for lines in references)
        texts = source[i], translations, baseline[i], system[i]
        return Change(i, *texts, float(scores[0][i]), float(scores[1][i]))

    before, after = (BLEU.corpus_score(lines, references).value for lines in both)
    return Changes(
        names,
        len(system),
        sum(one != other for one, other in zip(*both, strict=True)),
        (before, after),
        better=[change(int(i)) for i in order[:COUNT] if gains[i] > 0],
        worse=[change(int(i)) for i in order[::-1][:COUNT] if gains[i] < 0],
    )


def matched_words(references: Sequence[str], text: str) -> list[tuple[bool, str]]:
    """Runs of a translation's words, and whether the nearest reference has them, in its order."""
    words = text.split()
    matches = [
        difflib.SequenceMatcher(None, reference.split(), words, autojunk=False)
        for reference in references
    ]
    nearest = max(matches, key=lambda one: sum(block.size for block in one.get_matching_blocks()))
    return [
        (tag == "equal", " ".join(words[begin:end]))
        for tag, _, _, begin, end in nearest.get_opcodes()
        if end > begin
    ]


def write_changes(path: Path | str, changes: Changes) -> None:
    """Write a file for `read_changes`."""
    write_text(path, json.dumps(asdict(changes), ensure_ascii=False, indent=1) + "\n")


def read_changes(path: Path | str) -> Changes:
    """Read a file of `write_changes`."""
    content = read_json(path)
    try:
        lists = {
            name: [
                Change(**{**change, "references": tuple(change["references"])})
                for change in content[name]
            ]
            for name in ("better", "worse")
        }
        pairs = {name: (content[name][0], content[name][1]) for name in ("names", "scores")}
        return Changes(**{**content, **lists, **pairs})
    except (TypeError, IndexError) as error:
        raise InputError("no changes of sentences", path=path, hint="make it again") from error
