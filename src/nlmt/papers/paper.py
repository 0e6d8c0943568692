"""A paper's interface to the workflow: its settings, its tables and the files they need.

A paper is one module with a `Paper`, and one line in `PAPERS`; its language models and systems are
entries of `config/papers/<paper>.yaml`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from nlmt.paper_settings import ConfiguredPaper
from nlmt.registry import Registry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nlmt.experiment import Experiment

Draw: TypeAlias = "Callable[[pd.DataFrame, Figure], None]"
ONE_TRAINING: Mapping[str, str] = MappingProxyType({"": ""})  # the default of `Paper.trainings`


@dataclass(frozen=True)
class PairFiles:
    """The files and facts of a table, of one language pair.

    Attributes:
        files: paths by their role.
        facts: further facts of the configuration that the table shows, ready for JSON.
    """

    pair: str
    files: Mapping[str, Sequence[str]]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LearntText:
    """A text from which the models of a paper learn.

    Attributes:
        name: in the table of sizes of a pair's texts; `train` is the bitext.
        words: their number in the paper, by language pair; the first stands for pairs that the
            paper does not have. Empty: not known.
    """

    name: str = "texts/default"
    words: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table, or the points of a figure.

    Attributes:
        title: its content, and the table of the paper to which it belongs.
        needs: from an experiment, the settings of the paper and a pair: its files and facts, paths
            below the pair's folder.
        make: its rows, of `result_frame`, from the pairs' files.
        note: what a reader must know to compare it.
        draw: draws the rows on an empty figure; None for a table.
        pair: the language pair of published values whose cells name none, where it is not the
            paper's; `ALL_PAIRS`: they belong to no pair and are shown beside ours of each.
    """

    title: str
    needs: "Callable[[Experiment, Any, str], PairFiles]"
    make: Callable[[Sequence[PairFiles]], pd.DataFrame]
    note: str = ""
    draw: "Draw | None" = None
    pair: str = ""


@dataclass(frozen=True, kw_only=True)
class Paper(ConfiguredPaper):
    """One paper.

    Attributes:
        about: its subject and what is done differently here, in a few sentences.
        tables: tables and figures by name, which is also that of the file.
        pair: the language pair of published values whose cells and tables name none.
        trainings: where its models are trained in several ways, the paper's first: the ending of
            column headings by name of the way.
        figure: name of the figure that stands for the paper; empty: none.
        texts: the text from which models learn, by table; the name "" is for all other tables.
    """

    about: str
    tables: Mapping[str, Table]
    pair: str = ""
    trainings: Mapping[str, str] = field(default_factory=lambda: ONE_TRAINING)
    figure: str = ""
    texts: Mapping[str, LearntText] = field(default_factory=lambda: {"": LearntText()})

    @property
    def published_pairs(self) -> dict[str, str]:
        """The language pair of published values whose cells name none, by table."""
        return {name: table.pair or self.pair for name, table in self.tables.items()}

    def text_of(self, table: str) -> LearntText:
        """The text from which the models of a table learn."""
        return self.texts.get(table, self.texts[""])


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
