"""A paper's interface to the workflow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nlmt.experiment.papers import ONE_TRAINING, PaperSettings, Table


@dataclass(frozen=True)
class PaperModule:
    """The content of a paper's module; see `nlmt.experiment.papers.Paper`.

    Attributes:
        title: authors, year and title.
        about: its subject and what is done differently here, in a few sentences.
        tables: tables and figures by name, which is also that of the file.
        pairs: language pairs of its tables where the configuration names none.
        settings: its keys below `papers`.
        trainings: where its models are trained in several ways, the paper's first: the ending of
            column headings by name of the way.
    """

    title: str
    about: str
    tables: Mapping[str, Table]
    pairs: Sequence[str]
    settings: type[PaperSettings] = PaperSettings
    trainings: Mapping[str, str] = field(default_factory=lambda: ONE_TRAINING)
