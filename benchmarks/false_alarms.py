"""False alarms, coverage and power of the interval of a difference, by simulation with BLEU.

Two systems of equal quality are made from real outputs of two others: for each drawn sentence
chance decides which of them has which output. Their runs differ in two ways: `noise`, outputs that
are exchanged for the other one here and there, and `effect`, runs that are better or worse as a
whole, as they take the better or the worse of both outputs more often. Both are stated as standard
deviations of the difference: noise over that of a sentence's difference, effect over the standard
error that the choice of sentences causes.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.false_alarms    # the frame, in hours

For coverage and power one system has the better outputs more often, so that the true difference is
three standard errors. The oracle knows the variance: it calls a difference shown where it is larger
than 1.96 of its standard deviations over all simulated experiments.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.frames import Row, keep, origin, show
from nlmt.evaluation import BLEU
from nlmt.evaluation.difference import SIGNIFICANT, SampledRuns, compare_runs, sample_runs
from nlmt.io.files import read_lines

PAIR = Path("results/help/fr-en")
SYSTEMS = ("baseline", "nlm_decoder")
FRAME = Path("docs/results/false_alarms.tsv")
DRAWS = 400  # fewer than the workflow's, which can only make it worse
SHIFT = 3.0  # true difference for coverage and power, in standard errors
CELLS = (
    *((noise, 0.0) for noise in (0.0, 0.1, 0.3, 1.0)),
    *((0.3, effect) for effect in (1.0, 3.0)),
)

Outputs = NDArray[np.int32]


@dataclass(frozen=True)
class Pool:
    """Sentences with the outputs of two systems.

    Attributes:
        outputs: (sentences, 2, W) statistics, the better output first.
        gains: (sentences,) what the better one adds to the score of the pool's mean.
    """

    outputs: Outputs
    gains: NDArray[np.float64]

    @classmethod
    def read(cls, pair: Path) -> "Pool":
        """Read the first runs of two systems of the demo on its test set."""
        references = [list(read_lines(pair / "text/test.en.gz"))]
        paths = [pair / f"decode/{system}/run1/test.hyp" for system in SYSTEMS]
        both = [BLEU.statistics(list(read_lines(path)), references) for path in paths]
        outputs = np.stack(both, axis=1)
        sums = outputs.mean(axis=1).sum(axis=0)
        changes = outputs[:, 0] - outputs[:, 1]
        gains = BLEU.score(sums + changes / 2) - BLEU.score(sums - changes / 2)
        order = np.where(gains[:, None] >= 0, [0, 1], [1, 0])
        sorted_outputs = np.take_along_axis(outputs, order[:, :, None], axis=1)
        return cls(sorted_outputs, np.abs(gains) * len(outputs))


@dataclass(frozen=True)
class Cell:
    """One simulated design.

    Attributes:
        runs: of each system.
        sentences: of the test set.
        noise: of an output, over the deviation of a sentence's difference.
        effect: of a run, over the standard error due to the sentences.
    """

    runs: int
    sentences: int
    noise: float
    effect: float

    def experiment(
        self, pool: Pool, random: np.random.Generator, shift: float
    ) -> tuple[list[Outputs], list[Outputs]]:
        """Return the statistics of each run of two systems, whose difference is `shift` errors."""
        drawn = random.integers(len(pool.outputs), size=self.sentences)
        deviation, size = np.sqrt((pool.gains**2).mean()), pool.gains.mean()
        error = deviation / np.sqrt(self.sentences)
        # With this share of exchanges, the deviation of a run's difference is `noise` of that of
        # a sentence's: 2 f (1 - f) = noise^2 (1 - 2 f)^2.
        square = self.noise**2
        flips = (1 - np.sqrt(1 / (1 + 2 * square))) / 2
        first = random.random(self.sentences) < 0.5 + shift * error / size / 2

        def run(better: NDArray[np.bool_]) -> Outputs:
            chosen = better ^ (random.random(self.sentences) < flips)
            effect = random.normal(0, self.effect * error / size * np.sqrt(2))
            chosen = np.where(random.random(self.sentences) < abs(effect), effect > 0, chosen)
            return pool.outputs[drawn, np.where(chosen, 0, 1)]

        return [run(first) for _ in range(self.runs)], [run(~first) for _ in range(self.runs)]


def simulate(pool: Pool, cell: Cell, experiments: int) -> dict[str, float]:
    """Return percentages of experiments: false alarms, also of pairs; coverage; power."""
    random = np.random.default_rng(1)
    alarms = paired = 0
    for _ in range(experiments):
        system, baseline = _sampled(cell.experiment(pool, random, 0))
        alarms += compare_runs(system, baseline, paired=False).p_value < SIGNIFICANT
        paired += compare_runs(system, baseline, paired=True).p_value < SIGNIFICANT
    shifted = [
        compare_runs(*_sampled(cell.experiment(pool, random, SHIFT)), paired=False)
        for _ in range(experiments // 2)
    ]
    differences = np.array([one.difference for one in shifted])
    truth, deviation = differences.mean(), differences.std(ddof=1)
    covered = np.mean([one.low <= truth <= one.high for one in shifted])
    return {
        "false alarms": 100 * alarms / experiments,
        "of pairs": 100 * paired / experiments,
        "coverage": 100 * float(covered),
        "power": 100 * float(np.mean([one.p_value < SIGNIFICANT for one in shifted])),
        "oracle": 100 * float(np.mean(np.abs(differences) > 1.96 * deviation)),
    }


def _sampled(systems: Iterable[list[Outputs]]) -> list[SampledRuns]:
    """The scores of both systems on the same draws."""
    return [sample_runs(BLEU, runs, resamples=DRAWS) for runs in systems]


def rows(experiments: int) -> Iterator[Row]:
    """Yield the percentages of all designs."""
    pool = Pool.read(PAIR)
    yield {"step": "experiments", "figure": experiments}
    for runs, sentences, (noise, effect) in product((3, 5, 10), (200, 850, 3000), CELLS):
        found = simulate(pool, Cell(runs, sentences, noise, effect), experiments)
        row: Row = {"step": f"{runs} runs, {sentences:,} sentences"}
        row |= {"setting": f"noise {noise:g}, effect {effect:g}"}
        for unit, value in found.items():
            yield row | {"figure": round(value, 1), "unit": unit}


if __name__ == "__main__":
    for row in keep(rows(int(sys.argv[1]) if sys.argv[1:] else 1200), FRAME, origin()):
        show(row)
