"""Metrics that remember: the same numbers, each text counted once; choosing among metrics."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation import (
    BLEU,
    TER,
    TER_BLEU,
    EvaluationSet,
    evaluate_system,
)
from nlmt.evaluation.counted import CountedMetric
from nlmt.evaluation.remembered import remembering

Lines = Sequence[str]

REFERENCES = [["the house is red", "he goes home now"]]
SYSTEM, BASELINE = ["the house was red", "he goes home"], ["a house red", "home he goes"]


def test_the_same_numbers_and_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    statistics = CountedMetric.statistics

    def counting(
        self: CountedMetric, hypotheses: Lines, references: Sequence[Lines], *, threads: int = 1
    ) -> NDArray[np.int32]:
        counted.append((self.name, hypotheses))
        return statistics(self, hypotheses, references, threads=threads)

    metrics = [BLEU, TER, TER_BLEU]
    for remembered, plain in zip(remembering(metrics), metrics, strict=True):
        for texts in (SYSTEM, BASELINE):
            found = plain.statistics(texts, REFERENCES)
            score = plain.corpus_score(texts, REFERENCES)
            with monkeypatch.context() as patch:
                patch.setattr(CountedMetric, "statistics", counting)
                assert remembered.corpus_score(texts, REFERENCES) == score
                assert np.array_equal(remembered.statistics(texts, REFERENCES), found)
            sums = found.sum(axis=0)
            assert remembered.score(sums) == plain.score(sums)
            assert remembered.length_ratio(sums) == plain.length_ratio(sums)
    assert counted == [(name, texts) for name in ("BLEU", "TER") for texts in (SYSTEM, BASELINE)]


def test_some_metrics_only() -> None:
    texts = EvaluationSet("test", [SYSTEM], REFERENCES, {"base": [BASELINE]})
    options = {"baseline": "base", "seeds": [1], "resamples": 20}
    every = evaluate_system("s", [texts], **options).scores["test"]
    some = evaluate_system("s", [texts], **options, metrics=["TER", "chrF"]).scores["test"]
    assert some == {name: every[name] for name in ("TER", "chrF")}
    with pytest.raises(InputError, match="unknown metric 'WER'"):
        evaluate_system("s", [texts], **options, metrics=["WER"])
