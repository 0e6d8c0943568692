"""Metrics that remember: the same numbers, each text scored once; choosing among metrics."""

from collections.abc import Sequence

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.evaluation import (
    BLEU,
    TER,
    TER_BLEU,
    EvaluationSet,
    evaluate_system,
)
from nlmt.evaluation.metric import Score
from nlmt.evaluation.remembered import remembering
from nlmt.evaluation.ter import Ter

REFERENCES = [["the house is red", "he goes home now"]]
SYSTEM, BASELINE = ["the house was red", "he goes home"], ["a house red", "home he goes"]


def test_the_same_numbers_and_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    official = Ter.corpus_score

    def counted(self: Ter, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Score:
        asked.append(hypotheses)
        return official(self, hypotheses, references)

    monkeypatch.setattr(Ter, "corpus_score", counted)
    for remembered, plain in zip(remembering([BLEU, TER, TER_BLEU]), [BLEU, TER, TER_BLEU]):  # noqa: B905
        for texts in (SYSTEM, BASELINE):
            found = remembered.statistics(texts, REFERENCES)
            assert np.array_equal(found, plain.statistics(texts, REFERENCES))
            sums = found.sum(axis=0)
            assert remembered.score(sums) == plain.score(sums)
            assert remembered.length_ratio(sums) == plain.length_ratio(sums)
        assert remembered.corpus_score(SYSTEM, REFERENCES) == plain.corpus_score(SYSTEM, REFERENCES)
    # Twice by the plain metrics, once by those that remember.
    assert len(asked) == 3


def test_some_metrics_only() -> None:
    texts = EvaluationSet("test", [SYSTEM], REFERENCES, {"base": [BASELINE]})
    options = {"baseline": "base", "seeds": [1], "resamples": 20}
    every = evaluate_system("s", [texts], **options).scores["test"]
    some = evaluate_system("s", [texts], **options, metrics=["TER", "chrF"]).scores["test"]
    assert some == {name: every[name] for name in ("TER", "chrF")}
    with pytest.raises(InputError, match="unknown metric 'WER'"):
        evaluate_system("s", [texts], **options, metrics=["WER"])
