"""What the workflow asks of a paper: its settings, and its tables with what each is made from.

A paper is one module with an object that answers `Paper`, and one line in `PAPERS`; its language
models and systems are entries of `config/papers/<paper>.yaml`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from nlmt.registry import Registry
from nlmt.settings import Settings, setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nlmt.experiment.experiment import Experiment


ONE_TRAINING: Mapping[str, str] = MappingProxyType({"": ""})  # as `Paper.trainings` has it


class PaperSettings(Settings):
    """Keys that every paper has."""

    pairs: tuple[str, ...] | None = setting(
        None,
        "Language pairs of its tables; left out: all `pairs` of its task, and where these are left "
        "out, too, its own (docs/papers.md), as far as the corpus has them.",
    )
    task: str | None = setting(
        None, "The entry of `tasks` that its tables are made from; left out: `task`."
    )
    test_sets: tuple[str, ...] | None = setting(
        None,
        "Sets that those of its systems are tested on that name none; left out: those of the key "
        "`test_sets`.",
        min_length=1,
    )
    baseline: str | None = setting(
        None,
        "The system that those of its systems are compared with that name none; left out: that of "
        "`evaluation`.",
    )


@dataclass(frozen=True)
class PairFiles:
    """What a table is made from, of one language pair.

    Attributes:
        pair: for example fr-en.
        files: paths by what they are.
        facts: whatever else of the configuration the table shows, ready for JSON.
    """

    pair: str
    files: Mapping[str, Sequence[str]]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table, or the points of a figure.

    Attributes:
        title: what it shows, and which table of the paper it is.
        needs: of an experiment, the settings of the paper and a pair: what it is made from, paths
            below the pair's folder.
        make: its rows, from the pairs' files.
        columns: column of the frame to its heading.
        note: what a reader has to know to compare it.
        draw: draws the rows on an empty figure; None for a table.
    """

    title: str
    needs: "Callable[[Experiment, Any, str], PairFiles]"
    make: Callable[[Sequence[PairFiles]], pd.DataFrame]
    columns: Mapping[str, str]
    note: str = ""
    draw: "Callable[[pd.DataFrame, Figure], None] | None" = None


class Paper(Protocol):
    """One paper.

    Attributes:
        title: authors and year.
        about: what it is about and what is done otherwise here, in a few sentences.
        settings: its keys below `papers`.
        tables: name of each table or figure, which is that of its file, to how it is made.
        pairs: language pairs of its tables where the configuration names none.
        trainings: where its models are trained in several ways, the paper's first: the name of each
            way to what the headings of its columns end with.
    """

    title: str
    about: str
    settings: type[PaperSettings]
    tables: Mapping[str, Table]
    pairs: Sequence[str]
    trainings: Mapping[str, str]


PAPERS: Registry[Paper] = Registry(
    "paper",
    {
        "baltescu2015": "nlmt.papers.baltescu2015:PAPER",
        "auli2013": "nlmt.papers.auli2013:PAPER",
        "luong2015": "nlmt.papers.luong2015:PAPER",
        "schwenk2010": "nlmt.papers.schwenk2010:PAPER",
        "combined": "nlmt.papers.combined:PAPER",  # a model of each, of no paper of its own
    },
)


def paper_of(name: str) -> str | None:
    """The paper that a language model or system belongs to, by its name: `luong2015_2layer`."""
    return next((key for key in PAPERS.names() if name.startswith(f"{key}_")), None)
