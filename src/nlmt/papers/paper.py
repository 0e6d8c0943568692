"""A paper as the workflow asks it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nlmt.experiment.papers import ONE_TRAINING, PaperSettings, Table


@dataclass(frozen=True)
class PaperModule:
    """What the module of a paper gives; see `nlmt.experiment.papers.Paper`.

    Attributes:
        title: authors, year and title.
        about: what it is about and what is done otherwise here, in a few sentences.
        tables: name of each table or figure, which is that of its file, to how it is made.
        pairs: language pairs of its tables where the configuration names none.
        settings: its keys below `papers`.
        trainings: where its models are trained in several ways, the paper's first: the name of each
            way to what the headings of its columns end with.
    """

    title: str
    about: str
    tables: Mapping[str, Table]
    pairs: Sequence[str]
    settings: type[PaperSettings] = PaperSettings
    trainings: Mapping[str, str] = field(default_factory=lambda: ONE_TRAINING)
