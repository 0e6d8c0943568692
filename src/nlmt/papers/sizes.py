"""Cells with the sizes of prepared texts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nlmt.errors import InputError
from nlmt.papers.quantities import number_of
from nlmt.papers.results import Measurement
from nlmt.text import read_sizes

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

SIZES = "text/corpus_statistics.tsv"  # of a pair: held-out texts and the default text


@dataclass(frozen=True)
class SizeOfText:
    """Tokens or sentences of a text, or of several.

    Attributes:
        texts: names in the table of sizes of the pair; or one training text, `texts/<name>`.
        unit: `tokens` or `sentences`.
        side: whose tokens to count, where a text has both.
        of_all: combines the numbers of all texts.
        part: empty, as it shows no system and no model.
    """

    texts: tuple[str, ...]
    unit: Literal["tokens", "sentences"] = "tokens"
    side: Literal["source", "target"] = "target"
    of_all: Callable[[Iterable[int]], int] = sum
    part: str = ""

    def files(self, experiment: "Experiment") -> list[str]:
        """The table of sizes, where these texts exist."""
        known = {*experiment.parts(), "texts/default"}
        if known.issuperset(self.texts):
            return [SIZES]
        alone = [f"texts/{name}" for name in experiment.texts() if (f"texts/{name}",) == self.texts]
        return [f"{path}.sizes.tsv" for path in alone]

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The size."""
        sizes = read_sizes(paths[0])
        found = []
        for text in self.texts:
            sides = [size for (name, _), size in sizes.items() if name == text]  # source first
            if not sides:
                raise InputError(f"no size of {text}", path=paths[0], hint="run again")
            found.append(getattr(sides[0 if self.side == "source" else -1], self.unit))
        return Measurement(float(self.of_all(found)))


@dataclass(frozen=True)
class SizeOfHeldOut:
    """Tokens or sentences of a set of another corpus, or of its remaining training text.

    Attributes:
        name: its entry in `held_out`.
        unit: `tokens` or `sentences`.
        side: whose tokens to count.
        part: empty, as it shows no system and no model.
    """

    name: str
    unit: Literal["tokens", "sentences"] = "tokens"
    side: Literal["source", "target"] = "target"
    part: str = ""

    def files(self, experiment: "Experiment") -> list[str]:
        """The counts of its preparation, if a system or a model uses it."""
        used = experiment.used_sets(experiment.systems.names(), experiment.models.names())
        return [f"text/{self.name}.counts.json"] if self.name in used else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The size."""
        key = "kept" if self.unit == "sentences" else f"{self.side}_tokens"
        return Measurement(number_of(paths[0], key))


@dataclass(frozen=True)
class RatioOfSizes:
    """The size of a text relative to another one's.

    Attributes:
        of: the size of the text.
        to: the size of the other one.
        part: empty, as it shows no system and no model.
        unit: times.
    """

    of: SizeOfText
    to: SizeOfText
    part: str = ""
    unit: str = "times"

    def files(self, experiment: "Experiment") -> list[str]:
        """The sizes of both."""
        found = [size.files(experiment) for size in (self.of, self.to)]
        return [path for paths in found for path in paths] if all(found) else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The ratio."""
        of, to = (
            size.read([path]).value for size, path in zip((self.of, self.to), paths, strict=True)
        )
        return Measurement(of / to)
