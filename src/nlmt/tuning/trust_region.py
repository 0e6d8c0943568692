"""Derivative-free maximisation by quadratic models within a trust region.

For functions that only give values, and roughly: BLEU of a pool, or of a whole decoder run. In the
manner of Powell's NEWUOA and BOBYQA (2006, 2009) and of CONDOR, which CSLM used: a quadratic
interpolates 2n + 1 points; of all such quadratics it is the one whose second derivatives change
least. The next point is its maximum within the trust radius. Once the radius is small, a new search
with a wide radius starts from the best point, because the values are a step function.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.settings import Settings, setting
from nlmt.tuning.pool import Pool
from nlmt.tuning.tuner import ListTuner, Search

Vector = NDArray[np.float64]

_GOOD, _BAD = 0.7, 0.1  # shares of the foreseen gain
_FAR = 2.0  # radii beyond which a point says little about the region
_SMALL_STEP = 0.5  # of the radius
_LAST_RADIUS = 1e-3  # a search ends below it


class TrustRegionOptions(Settings):
    """Options of the derivative-free search."""

    evaluations: int = setting(
        60,
        "Evaluations of the objective from each starting point, in multiples of the number of "
        "weights plus one.",
        ge=2,
    )


class TrustRegionTuner(ListTuner[TrustRegionOptions]):
    """Derivative-free search on n-best lists."""

    summary = "derivative-free, by quadratic models in a trust region (Powell 2006)"
    options_type = TrustRegionOptions
    exact = True

    @override
    def find(self, pool: Pool, starts: Sequence[Vector], search: Search) -> Vector:
        """The best weights (F,) that searches from all starts find; the first of equals."""
        lists = pool.lists()
        # A step along a feature with a wide range among hypotheses must be short.
        spread = pool.spreads(pool.features)
        lengths = np.where(spread > 0, 1 / np.maximum(spread, 1e-12), 0.0)
        lengths /= max(lengths.sum(), 1e-12)
        best, highest = starts[0], -np.inf
        for start in starts:
            scale = lengths * (np.abs(start).sum() or 1.0)
            evaluations = self.options.evaluations * (len(start) + 1)
            weights, value = maximise(lists.value, start, evaluations=evaluations, scale=scale)
            if value > highest:
                best, highest = weights, value
        return best


def maximise(
    function: Callable[[Vector], float],
    start: Vector,
    *,
    evaluations: int,
    scale: Vector | None = None,
) -> tuple[Vector, float]:
    """The best point that a local search for a maximum sees, and its value.

    Args:
        function: of an (n,) point.
        start: (n,) around which the search begins.
        evaluations: maximum number; at least 2n + 1 are always made.
        scale: (n,) typical lengths along the coordinates, which are the radius of the first region;
            1 if not given.
    """
    scale = np.ones(len(start)) if scale is None else scale
    best, value, left = np.zeros(len(start)), -np.inf, evaluations
    while left > 0:
        region = _Region(lambda z: function(start + scale * z), best)
        while region.radius >= _LAST_RADIUS and region.count < left:
            region.step()
        left -= region.count
        found, reached = region.best()
        if reached <= value:
            break
        best, value = found, reached
    return start + scale * best, value


class _Region:
    """The points of one local search, and the model that interpolates them."""

    def __init__(self, function: Callable[[Vector], float], start: Vector) -> None:
        self._function = function
        self.radius = 1.0
        steps = np.eye(len(start))
        self._points = np.concatenate([start[None], start + steps, start - steps])
        self._values = np.array([function(point) for point in self._points])
        self._hessian = np.zeros((len(start), len(start)))
        self.count = len(self._points)

    def best(self) -> tuple[Vector, float]:
        """The best point and its value."""
        place = int(np.argmax(self._values))
        return self._points[place], float(self._values[place])

    def step(self) -> None:
        """Evaluate one more point, or shrink the region."""
        centre, value = self.best()
        offsets = (self._points - centre) / self.radius  # (2n + 1, n)
        system = _interpolation_system(offsets)
        gradient = self._fit(offsets, system, value)
        curvature = self._hessian * self.radius**2
        move = _highest_in_ball(gradient, curvature)
        foreseen = float(gradient @ move + move @ curvature @ move / 2)
        ratio = -1.0
        if np.linalg.norm(move) >= _SMALL_STEP and foreseen > 0:
            reached = self._insert(centre + self.radius * move, offsets, system)
            ratio = (reached - value) / foreseen
            if ratio >= _GOOD:
                self.radius *= 2
        if ratio >= _BAD:
            return
        # The model is wrong: because of distant points, or because the region is too wide.
        distance = np.linalg.norm(self._points - self.best()[0], axis=1) / self.radius
        if distance.max() > _FAR:
            self._improve(int(np.argmax(distance)))
        else:
            self.radius /= 2

    def _fit(self, offsets: Vector, system: Vector, value: float) -> Vector:
        """The model's gradient in units of the radius; the second derivatives change least."""
        known = np.einsum("pi,ij,pj->p", offsets, self._hessian * self.radius**2, offsets) / 2
        right = np.concatenate([self._values - value - known, np.zeros(offsets.shape[1] + 1)])
        solution = _solve(system, right)
        multipliers = solution[: len(offsets)]
        change = np.einsum("p,pi,pj->ij", multipliers, offsets, offsets)
        self._hessian += change / self.radius**2
        return np.asarray(solution[len(offsets) + 1 :])

    def _insert(self, point: Vector, offsets: Vector, system: Vector) -> float:
        """Evaluate a point, which replaces the one that the model needs least."""
        value = self._function(point)
        self.count += 1
        centre, highest = self.best()
        move = (point - centre) / self.radius
        right = np.concatenate([(offsets @ move) ** 2 / 2, [1.0], move])
        influence = np.abs(_solve(system, right)[: len(offsets)])  # the points' Lagrange functions
        after = point if value > highest else centre
        distance = np.linalg.norm(self._points - after, axis=1) / self.radius
        worth = influence * np.maximum(distance, 1) ** 4
        if value <= highest:
            worth[int(np.argmax(self._values))] = -1
        place = int(np.argmax(worth))
        self._points[place], self._values[place] = point, value
        return value

    def _improve(self, place: int) -> None:
        """Move a distant point to where its Lagrange function peaks."""
        centre, _ = self.best()
        offsets = (self._points - centre) / self.radius
        right = np.zeros(len(offsets) + offsets.shape[1] + 1)
        right[place] = 1
        solution = _solve(_interpolation_system(offsets), right)
        gradient = solution[len(offsets) + 1 :]
        curvature = np.einsum("p,pi,pj->ij", solution[: len(offsets)], offsets, offsets)
        moves = [_highest_in_ball(sign * gradient, sign * curvature) for sign in (1, -1)]
        peaks = [abs(gradient @ move + move @ curvature @ move / 2) for move in moves]
        point = centre + self.radius * moves[int(np.argmax(peaks))]
        self._points[place], self._values[place] = point, self._function(point)
        self.count += 1


def _interpolation_system(offsets: Vector) -> Vector:
    """The symmetric matrix of least-change interpolation (Powell 2004, equation 3.10)."""
    count, width = offsets.shape
    system = np.zeros((count + width + 1, count + width + 1))
    system[:count, :count] = (offsets @ offsets.T) ** 2 / 2
    system[:count, count] = system[count, :count] = 1
    system[:count, count + 1 :] = offsets
    system[count + 1 :, :count] = offsets.T
    return system


def _solve(system: Vector, right: Vector) -> Vector:
    # By least squares: badly placed points must not end the search.
    return np.asarray(np.linalg.lstsq(system, right, rcond=1e-12)[0])


def _highest_in_ball(gradient: Vector, curvature: Vector) -> Vector:
    """The s with |s| <= 1 that maximises gradient s + s curvature s / 2."""
    values, vectors = np.linalg.eigh(curvature)  # rising
    along = vectors.T @ gradient

    def point(shift: float) -> Vector:
        shrunk: Vector = along / np.maximum(shift - values, 1e-300)
        return shrunk

    top = max(float(values[-1]), 0.0)
    scale = max(float(np.abs(values).max()), float(np.linalg.norm(gradient)), 1e-300)
    low, high = top + 1e-12 * scale, top + 2 * scale
    if values[-1] < 0 and np.linalg.norm(point(0.0)) <= 1:
        return np.asarray(vectors @ point(0.0))
    if np.linalg.norm(point(low)) <= 1:
        # The gradient has no component along the largest curvature: go along that to the boundary.
        inner = point(low)
        inner[-1] += np.sqrt(max(1 - float(inner @ inner), 0.0)) if values[-1] > 0 else 0.0
        return np.asarray(vectors @ inner)
    for _ in range(200):
        middle = (low + high) / 2
        if np.linalg.norm(point(middle)) > 1:
            low = middle
        else:
            high = middle
    return np.asarray(vectors @ point(high))
