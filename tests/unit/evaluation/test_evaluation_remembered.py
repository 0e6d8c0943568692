"""Metrics that remember: the same numbers, each line counted once; choosing among metrics."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation import BLEU, CHRF, TER, TER_BLEU, EvaluationSet, Metric, evaluate_system
from nlmt.evaluation.counted import CountedMetric
from nlmt.evaluation.remembered import remembering

Lines = Sequence[str]

REFERENCES = [["the house is red", "he goes home now"]]
SYSTEM, BASELINE = ["the house was red", "he goes home"], ["a house red", "home he goes"]


def test_the_same_numbers_and_each_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    statistics = CountedMetric.statistics

    def counting(
        self: CountedMetric, hypotheses: Lines, references: Sequence[Lines], *, threads: int = 1
    ) -> NDArray[np.int32]:
        counted.append((self.name, list(hypotheses)))
        return statistics(self, hypotheses, references, threads=threads)

    metrics = [BLEU, TER, TER_BLEU]
    for remembered, plain in zip(remembering(metrics), metrics, strict=True):
        for texts in (SYSTEM, BASELINE, [SYSTEM[0], BASELINE[1]], [SYSTEM[1], BASELINE[0]]):
            found = plain.statistics(texts, REFERENCES)
            score = plain.corpus_score(texts, REFERENCES)
            with monkeypatch.context() as patch:
                patch.setattr(CountedMetric, "statistics", counting)
                assert remembered.corpus_score(texts, REFERENCES) == score
                assert np.array_equal(remembered.statistics(texts, REFERENCES), found)
            sums = found.sum(axis=0)
            assert remembered.score(sums) == plain.score(sums)
            assert remembered.length_ratio(sums) == plain.length_ratio(sums)
    # A line is another one in another place.
    new = SYSTEM, BASELINE, [SYSTEM[1], BASELINE[0]]
    assert counted == [(name, lines) for name in ("BLEU", "TER") for lines in new]


@pytest.mark.parametrize("metric", [BLEU, CHRF, TER_BLEU])
def test_no_lines_and_too_few(metric: Metric) -> None:
    for one in (metric, *remembering([metric])):
        with pytest.raises(InputError, match="no sentences"):
            one.corpus_score([], [[]])
        with pytest.raises(InputError, match="1 sentences, but 2 lines in reference 0"):
            one.corpus_score(SYSTEM[:1], REFERENCES)


def test_some_metrics_only() -> None:
    texts = EvaluationSet("test", [SYSTEM], REFERENCES, {"base": [BASELINE]})
    options = {"baseline": "base", "seeds": [1], "resamples": 20}
    every = evaluate_system("s", [texts], **options).scores["test"]
    some = evaluate_system("s", [texts], **options, metrics=["TER", "chrF"]).scores["test"]
    assert some == {name: every[name] for name in ("TER", "chrF")}
    with pytest.raises(InputError, match="unknown metric 'WER'"):
        evaluate_system("s", [texts], **options, metrics=["WER"])
