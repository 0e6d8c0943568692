"""The sentences that changed most between two systems, on one page."""

import difflib
import importlib.resources
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
import numpy as np

from nlmt.errors import InputError
from nlmt.evaluation import BLEU, CHRF
from nlmt.io.files import write_text


@dataclass(frozen=True)
class Change:
    """A sentence that two systems translate differently; scores are chrF, 0 to 100.

    Attributes:
        number: of the sentence, from 0.
        source: the input.
        references: one or more.
        baseline: its translation by the baseline.
        system: its translation by the system.
        baseline_score: of the sentence alone.
        system_score: of the sentence alone.
    """

    number: int
    source: str
    references: tuple[str, ...]
    baseline: str
    system: str
    baseline_score: float
    system_score: float

    @property
    def gain(self) -> float:
        """How much better the system is than the baseline."""
        return self.system_score - self.baseline_score


def largest_changes(
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    baseline: Sequence[str],
    system: Sequence[str],
    *,
    count: int = 50,
) -> tuple[list[Change], list[Change]]:
    """The sentences that got better most, and those that got worse most, the largest change first.

    Sentences are ordered by chrF, which unlike BLEU discriminates between single sentences.

    Args:
        source: the input, a line a sentence.
        references: one or more sets of lines.
        baseline: translations.
        system: translations.
        count: of each of the two lists, at most.

    Raises:
        InputError: numbers of lines differ.
    """
    if len(source) != len(system):
        raise InputError(f"{len(source)} lines of source, but {len(system)} translations")
    scores = [CHRF.score(CHRF.statistics(lines, references)) for lines in (baseline, system)]
    gains = scores[1] - scores[0]
    order = np.argsort(-gains, kind="stable")

    def change(i: int) -> Change:
        translations = tuple(lines[i] for lines in references)
        texts = source[i], translations, baseline[i], system[i]
        return Change(i, *texts, float(scores[0][i]), float(scores[1][i]))

    better = [change(int(i)) for i in order[:count] if gains[i] > 0]
    worse = [change(int(i)) for i in order[::-1][:count] if gains[i] < 0]
    return better, worse


def word_changes(before: str, after: str) -> list[tuple[str, str]]:
    """Runs of words of `after` with how they came about: `equal` or `new`."""
    old, new = before.split(), after.split()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        ("equal" if tag == "equal" else "new", " ".join(new[begin:end]))
        for tag, _, _, begin, end in matcher.get_opcodes()
        if end > begin
    ]


def write_side_by_side(
    path: Path,
    names: tuple[str, str],
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    baseline: Sequence[str],
    system: Sequence[str],
    *,
    count: int = 50,
) -> None:
    """Write the page; the same input gives the same bytes.

    Args:
        path: the page.
        names: of the baseline and of the system.
        source: as for `largest_changes`, and so are the others.
        references: one or more sets of lines.
        baseline: translations.
        system: translations.
        count: sentences that got better, and as many that got worse, at most.
    """
    better, worse = largest_changes(source, references, baseline, system, count=count)
    pairs = list(zip(baseline, system, strict=True))
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(
        importlib.resources.files("nlmt.report")
        .joinpath("side_by_side.html.jinja")
        .read_text("utf-8")
    )
    html = template.render(
        names=names,
        sections={"Better": better, "Worse": worse},
        sentences=len(pairs),
        different=sum(before != after for before, after in pairs),
        scores=[BLEU.corpus_score(lines, references).value for lines in (baseline, system)],
        word_changes=word_changes,
    )
    write_text(path, html)
