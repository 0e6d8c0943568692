"""The part of a paper in a configuration: its keys, and the beginning of its names."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from nlmt.settings import Distinct, Settings, setting


class PaperSettings(Settings):
    """Keys that every paper has."""

    pairs: Distinct[tuple[str, ...] | None] = setting(
        None,
        "Language pairs of its tables. Left out: all `pairs` of its task; if these are left out "
        "too, the paper's own pairs (docs/papers.md), as far as the corpus has them.",
    )
    task: str | None = setting(None, "The entry of `tasks` for its tables; left out: `task`.")
    test_sets: Distinct[tuple[str, ...] | None] = setting(
        None,
        "Sets on which its systems are tested, unless they name their own; left out: those of the "
        "top-level key `test_sets`.",
        min_length=1,
    )
    baseline: str | None = setting(
        None,
        "The system with which its systems are compared, unless they name one; left out: the "
        "baseline of `evaluation`.",
    )


@dataclass(frozen=True, kw_only=True)
class ConfiguredPaper:
    """A paper, as far as its configuration goes.

    Attributes:
        title: authors, year and title.
        settings: its keys below `papers`.
        pairs: language pairs of its tables where the configuration names none.
    """

    title: str
    settings: type[PaperSettings] = PaperSettings
    pairs: Sequence[str] = ()


def paper_of(name: str, papers: Iterable[str]) -> str | None:
    """The paper that a model or system belongs to, by its name: `luong2015_2layer`."""
    return next((key for key in papers if name.startswith(f"{key}_")), None)


def fitting(name: str, names: Iterable[str], papers: Collection[str]) -> tuple[str, ...]:
    """Names to suggest in place of an unknown one: those of no paper, or of its own."""
    own = (None, paper_of(name, papers))
    return tuple(one for one in names if paper_of(one, papers) in own)
