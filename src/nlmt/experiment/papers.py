"""The workflow's interface to a paper: its settings, its tables and the files they need.

A paper is one module with an object that implements `Paper`, and one line in `PAPERS`; its language
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


ONE_TRAINING: Mapping[str, str] = MappingProxyType({"": ""})  # a value of `Paper.trainings`


class PaperSettings(Settings):
    """Keys that every paper has."""

    pairs: tuple[str, ...] | None = setting(
        None,
        "Language pairs of its tables; left out: all `pairs` of its task or, where these are left "
        "out, too, its own (docs/papers.md) that the corpus has.",
    )
    task: str | None = setting(None, "The entry of `tasks` for its tables; left out: `task`.")
    test_sets: tuple[str, ...] | None = setting(
        None,
        "Sets on which its systems are tested, unless they name their own; left out: those of the "
        "key `test_sets`.",
        min_length=1,
    )
    baseline: str | None = setting(
        None,
        "The system with which its systems are compared, unless they name one; left out: that of "
        "`evaluation`.",
    )


@dataclass(frozen=True)
class PairFiles:
    """The files and facts of a table, of one language pair.

    Attributes:
        pair: for example fr-en.
        files: paths by their role.
        facts: further facts of the configuration that the table shows, ready for JSON.
    """

    pair: str
    files: Mapping[str, Sequence[str]]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table, or the points of a figure.

    Attributes:
        title: its content, and the table of the paper to which it belongs.
        needs: from an experiment, the settings of the paper and a pair: its files and facts, paths
            below the pair's folder.
        make: its rows, from the pairs' files.
        columns: heading of each column of the frame.
        note: what a reader must know to compare it.
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
        about: its subject and what is done differently here, in a few sentences.
        settings: its keys below `papers`.
        tables: tables and figures by name, which is also that of the file.
        pairs: language pairs of its tables where the configuration names none.
        trainings: where its models are trained in several ways, the paper's first: the ending of
            column headings by name of the way.
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
        "combined": "nlmt.papers.combined:PAPER",  # a model of each paper; not itself a paper
    },
)


def paper_of(name: str) -> str | None:
    """The paper that a language model or system belongs to, by its name: `luong2015_2layer`."""
    return next((key for key in PAPERS.names() if name.startswith(f"{key}_")), None)
