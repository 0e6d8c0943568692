"""A tuner of a user's own: the best of random points (docs/extending.md)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.settings import Settings, setting
from nlmt.tuning import TUNERS, ListTuner, Pool, Search


class RandomSearchOptions(Settings):
    """Options of random search."""

    points: int = setting(200, "Random points that are tried.", ge=1)


class RandomSearch(ListTuner[RandomSearchOptions]):
    """Random search on n-best lists."""

    summary = "the best of random points"
    options_type = RandomSearchOptions
    exact = True

    def find(
        self, pool: Pool, starts: Sequence[NDArray[np.float64]], search: Search
    ) -> NDArray[np.float64]:
        """(F,) the best of the starts and the random points."""
        random = np.random.Generator(np.random.PCG64(search.seed))
        drawn = random.uniform(-1, 1, (self.options.points, len(starts[0])))
        return max([*starts, *drawn], key=pool.lists().value)


TUNERS.register("random-search", RandomSearch)
