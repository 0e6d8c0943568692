"""The interface of tuners, each of which is a class and a line in `nlmt.tuning.tuners`.

A tuner works on n-best lists or on lattices. The tuning loop and reranking learn its properties
from its class and know no tuner by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.nbest import NbestList
from nlmt.settings import NoOptions, Settings
from nlmt.tuning.objective import DEFAULT_OBJECTIVE, Objective
from nlmt.tuning.pool import Pool, pool_of_nbest

Lattices = Sequence[Lattice] | LatticeFile
Options = TypeVar("Options", bound=Settings)


@dataclass(frozen=True, eq=False)
class TunedWeights:
    """Weights and their value.

    Attributes:
        weights: (F,) their magnitudes sum to 1.
        value: of the objective, for the best hypotheses with exactly these weights.
    """

    weights: NDArray[np.float64]
    value: float


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search for weights, as far as it is the same for all methods.

    Attributes:
        objective: to be maximised.
        tuned: features to tune: labels (`LM0`), kinds (`LM`: all of that kind, if any) or single
            scores (`TranslationModel0.2`). The others keep their proportions in the first start,
            and are tuned as one feature. Empty: all features.
        left_out: features whose weights are 0, named likewise.
        runs: number of optimisations with different seeds, whose weights are averaged.
        restarts: number of random starting points, for tuners that have them.
        seed: the same one gives the same weights.
        threads: the result must not depend on it.
    """

    objective: Objective = DEFAULT_OBJECTIVE
    tuned: Collection[str] = ()
    left_out: Collection[str] = ()
    runs: int = 1
    restarts: int = 20
    seed: int = 1
    threads: int = 1

    def pool(
        self, nbest: NbestList, references: Sequence[Sequence[str]], known: Pool | None = None
    ) -> Pool:
        """The hypotheses of a list, after those that are known (`pool_of_nbest`, `Pool.merge`)."""
        found = pool_of_nbest(
            nbest,
            references,
            objective=self.objective,
            left_out=self.left_out,
            threads=self.threads,
        )
        return known.merge([found]) if known else found


class Tuner(ABC, Generic[Options]):
    """A method of tuning; subclasses are `ListTuner` and `LatticeTuner`.

    Attributes:
        summary: one sentence with its paper, for help texts.
        options_type: keys of its own, under `options.<name>` in the configuration.
        exact: whether it maximises exactly the value that it reports: the loop then ends when it
            foresees no gain.
        interpolated: whether the next weights of the loop interpolate its result and the current
            weights, by the key `interpolation`.
        options: values of its own keys.
    """

    summary: ClassVar[str]
    options_type: ClassVar[type[Settings]] = NoOptions
    exact: ClassVar[bool] = False
    interpolated: ClassVar[bool] = False

    def __init__(self, options: Options | None = None) -> None:
        """Take options, the defaults if not given.

        Raises:
            InputError: options of another tuner.
        """
        given = self.options_type() if options is None else options
        if not isinstance(given, self.options_type):
            raise InputError(f"{type(given).__name__} are not options of {type(self).__name__}")
        self.options = cast(Options, given)


class ListTuner(Tuner[Options]):
    """A tuner on pools of hypotheses."""

    @abstractmethod
    def find(
        self, pool: Pool, starts: Sequence[NDArray[np.float64]], search: Search
    ) -> NDArray[np.float64]:
        """Weights (F,) of any scale, of which only the proportions matter.

        Args:
            pool: one hypothesis or more, with the objective; all its features are to be tuned.
            starts: (F,) one or more points to start from; tuners that take only one use the first.
            search: random starting points, seed and threads.
        """


class LatticeTuner(Tuner[Options]):
    """A tuner on lattices."""

    @abstractmethod
    def find(
        self,
        lattices: Lattices,
        references: Sequence[Sequence[str]],
        starts: Sequence[NDArray[np.float64]],
        search: Search,
        *,
        known: Pool | None = None,
    ) -> tuple[TunedWeights, Pool]:
        """Find weights; return the paths that were considered, too.

        Args:
            lattices: one for each sentence; their numbers count the lines of the references from 0.
            references: one or more sets of lines.
            starts: (F,) one or more points, one weight for each of the tunable features; tuners
                that take only one use the first.
            search: objective, features to tune, and the rest.
            known: paths of other lattices of the same sentences, of earlier decoder runs.

        Returns:
            (F,) weights and their value on all paths; the paths, with those of `known`.

        Raises:
            InputError: lattices that do not fit together, no reference for one of them.
        """


AnyTuner = Tuner[Any]
