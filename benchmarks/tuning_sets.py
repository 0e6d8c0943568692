"""Lists and lattices of finished experiments, on which methods of tuning are compared."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import override

from nlmt.io.files import read_lines
from nlmt.io.lattice import tunable_features
from nlmt.io.lattice_file import LatticeFile, write_lattices
from nlmt.io.lattice_nbest import write_nbest
from nlmt.io.nbest import NbestList, flatten_weights, read_nbest
from nlmt.io.nbest_scores import read_scored
from nlmt.io.weights import read_weights
from nlmt.kinds import load_stepping_models
from nlmt.rescoring import LatticeRescorer, first_weights
from nlmt.tuning import OBJECTIVES, TunerSettings, pool_of_nbest, tune_on_lattices, tune_reranking
from nlmt.tuning.outcome import Outcome

RESULTS = Path("results")
CELLS = RESULTS / "benchmarks" / "tuners"
DECODED_BY = "baseline"  # system with whose weights the lists and lattices were decoded
PARTS = ("dev2", "test")
LIST_SIZE = 1000

Named = Mapping[str, Sequence[float]]
Scores = dict[str, Any]
BLEU = OBJECTIVES.get("bleu")


@dataclass(frozen=True)
class TuningSets(ABC):
    """Translations of a decoder run that methods choose among, of dev and of other sets.

    Attributes:
        pair: folder of a language pair.
        system: system whose features the translations have.
        run: number of the decoder run.
    """

    pair: Path
    system: str
    run: int

    @property
    @abstractmethod
    def kind(self) -> str:
        """Kind of the sets, whose methods are compared with each other."""

    @property
    def setting(self) -> str:
        """Name of the setting, the same for all runs."""
        return f"{self.pair.parent.name} {self.pair.name} {self.system}"

    @property
    def cells(self) -> Path:
        """Folder of this run's results."""
        name = f"{self.kind} {self.setting} run{self.run}"
        return CELLS / name.replace(" ", ".")

    @cached_property
    def initial(self) -> dict[str, list[float]]:
        """The decoder's weights."""
        return read_weights(self.pair / "tune" / DECODED_BY / f"run{self.run}" / "weights.json")

    def references(self, part: str) -> list[list[str]]:
        """The references of a set."""
        target = self.pair.name.partition("-")[2]
        return [list(read_lines(self.pair / "text" / f"{part}.{target}.gz"))]

    @cached_property
    @abstractmethod
    def dev(self) -> NbestList:
        """The hypotheses on which methods on lists tune."""

    def tune(self, settings: TunerSettings) -> tuple[Named, Outcome]:
        """Weights tuned on dev as the workflow does, and what they gain there."""
        references = self.references("dev")
        return tune_reranking([self.dev], references, self.initial, settings, seed=self.run)

    @abstractmethod
    def scorer(self, part: str) -> Callable[[Named], Scores]:
        """A function from weights to BLEU and length of a set."""


@dataclass(frozen=True)
class Lists(TuningSets):
    """N-best lists, the decoder's own or rescored."""

    @property
    @override
    def kind(self) -> str:
        return "lists"

    @cached_property
    @override
    def dev(self) -> NbestList:
        return self.nbest("dev")

    def nbest(self, part: str) -> NbestList:
        """The decoder's list of a set with the new scores."""
        run = f"run{self.run}"
        return read_scored(
            self.pair / "decode" / DECODED_BY / run / f"{part}.nbest.gz",
            self.pair / "rescore" / self.system / run / f"{part}.scores.tsv.gz",
        )

    @override
    def scorer(self, part: str) -> Callable[[Named], Scores]:
        pool = pool_of_nbest(self.nbest(part), self.references(part))

        def score(weights: Named) -> Scores:
            found = pool.best_rows(flatten_weights(pool.names, _complete(pool.names, weights)))
            return _scores(pool.statistics[found])

        return score


@dataclass(frozen=True)
class RescoredLattices(TuningSets):
    """The decoder's lattices, rescored by the neural model."""

    @property
    @override
    def kind(self) -> str:
        return "lattices"

    def lattices(self, part: str) -> LatticeFile:
        """The rescored lattices of a set, made on the first call."""
        path = self.cells / f"{part}.lattices"
        if not path.exists():
            decoded = LatticeFile(
                self.pair / "decode" / DECODED_BY / f"run{self.run}" / f"{part}.lattices"
            )
            models = load_stepping_models({"NLM0": str(self.pair / f"lm/nce/run{self.run}")})
            rescorer = LatticeRescorer(models, first_weights(decoded.weights, models))
            path.parent.mkdir(parents=True, exist_ok=True)
            write_lattices(path, rescorer.rescore(decoded))
        return LatticeFile(path)

    @cached_property
    @override
    def dev(self) -> NbestList:
        path = self.cells / "dev.nbest.gz"
        if not path.exists():
            write_nbest(path, self.lattices("dev"), LIST_SIZE, distinct=True)
        return read_nbest(path)

    @override
    def tune(self, settings: TunerSettings) -> tuple[Named, Outcome]:
        if not settings.method.startswith("lattice-"):
            return super().tune(settings)
        lattices, references = self.lattices("dev"), self.references("dev")
        return tune_on_lattices(lattices, references, self.initial, settings, seed=self.run)

    @override
    def scorer(self, part: str) -> Callable[[Named], Scores]:
        lattices, references = self.lattices(part), self.references(part)
        names = tunable_features(lattices.feature_names)

        def score(weights: Named) -> Scores:
            fitting = _complete(names, weights)
            found = (lattice.with_weights(fitting) for lattice in lattices)
            best = [lattice.text(lattice.best_path()) for lattice in found]
            return _scores(BLEU.metric.statistics(best, references))

        return score


def finished_lists() -> Iterator[Lists]:
    """The decoder runs with new scores of lists of all sets."""
    for dev in _complete_sets("*/*-*/rescore/*/run*/dev.scores.tsv.gz"):
        yield Lists(dev.parents[3], dev.parents[1].name, _run(dev))


def finished_lattices() -> Iterator[RescoredLattices]:
    """The decoder runs with lattices of all sets."""
    for dev in _complete_sets(f"*/*-*/decode/{DECODED_BY}/run*/dev.lattices"):
        yield RescoredLattices(dev.parents[3], "nlm", _run(dev))


def _complete_sets(pattern: str) -> Iterator[Path]:
    for dev in sorted(RESULTS.glob(pattern)):
        suffix = dev.name.removeprefix("dev")
        if all(dev.with_name(part + suffix).exists() for part in PARTS):
            yield dev


def _run(path: Path) -> int:
    return int(path.parent.name.removeprefix("run"))


def _complete(names: Sequence[tuple[str, int]], weights: Named) -> dict[str, Sequence[float]]:
    """Weights of all features; unnamed ones are 0, as new features are for the decoder."""
    return {label: weights.get(label, [0.0] * width) for label, width in names}


def _scores(statistics: Any) -> Scores:
    sums = statistics.sum(axis=0, dtype=np.int64)
    return {"bleu": 100 * float(BLEU.value(sums)), "length": BLEU.metric.length_ratio(sums)}
