"""A metric of a plugin: the mean of its sentences, comparisons, what it is asked."""

import json
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
import sacrebleu
from plugins import example_plugins

from nlmt.errors import InputError
from nlmt.evaluation import SEGMENT_METRICS, EvaluationSet, SegmentMetric, evaluate_system
from nlmt.evaluation.segment_metric import MeanOfSegments
from nlmt.evaluation.settings import EvaluationSettings
from nlmt.evaluation.system import sign_of
from nlmt.settings_check import read_settings

SOURCES = ["Le chat.", "Bonjour", "Un deux trois"]
REFERENCES = [["The cat.", "Hello", "One two three"], ["A cat.", "Hi", "1 2 3"]]
RUNS = [["The cat.", "Hello you", "One two"], ["That cat.", "Hello you", "One two threes"]]
BASE = [["The dog.", "Hello you", "Two"], ["The cats.", "Hell", "One"]]


class Recorded(SegmentMetric):
    """The share of the translation's words that are in the source; records what it is asked."""

    name = "copied"
    sign = -1

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def scores(
        self,
        sources: Sequence[str],
        translations: Sequence[str],
        references: Sequence[Sequence[str]],
    ) -> list[float]:
        assert all(len(lines) == len(sources) for lines in references)
        self.asked += zip(sources, translations, strict=True)
        return [
            sum(word in source for word in text.split()) / len(text.split())
            for source, text in zip(sources, translations, strict=True)
        ]

    def signature(self) -> str:
        return "copied|1"


@pytest.fixture(autouse=True)
def plugin() -> Iterator[None]:
    with example_plugins(["metric"], [SEGMENT_METRICS]):
        yield


def test_scores_are_means_of_sentences() -> None:
    metric = Recorded()
    mean = MeanOfSegments(metric, ["a b", "c", "d"])
    texts = ["a x", "c", "e f g"]
    statistics = mean.statistics(texts, [["", "", ""]])
    assert statistics.tolist() == [[500_000, 1], [1_000_000, 1], [0, 1]]
    assert mean.corpus_score(texts, [["", "", ""]]).value == pytest.approx(0.5)
    assert mean.score(np.array([[1_500_000, 3], [0, 0]])).tolist() == [0.5, 0]
    # A line is asked once; in another sentence it is another one.
    mean.statistics(["a x", "a x", "e f g"], [["", "", ""]])
    assert metric.asked == [("a b", "a x"), ("c", "c"), ("d", "e f g"), ("c", "a x")]
    with pytest.raises(InputError, match="3 lines"):
        mean.statistics(["a"], [["b"]])


def test_the_example_is_right() -> None:
    metric = SEGMENT_METRICS.get("chrf++")
    official = sacrebleu.CHRF(word_order=2)
    expected = [
        official.sentence_score(text, list(references)).score
        for text, *references in zip(RUNS[0], *REFERENCES, strict=True)
    ]
    found = metric.scores(SOURCES, RUNS[0], REFERENCES)
    assert found == pytest.approx(expected, abs=1e-4)


def test_systems_are_compared_by_it() -> None:
    x = ["x"] * 3
    test_set = EvaluationSet(
        "test", [x, x], [x], {"base": [x, x]}, REFERENCES, "en", SOURCES, RUNS, {"base": BASE}
    )
    scores = evaluate_system(
        "nlm", [test_set], baseline="base", seeds=[1, 2], resamples=50, metrics=["BLEU"],
        segment_metrics=["chrf++"],
    )  # fmt: skip
    found = scores.scores["test"]["chrF++"]
    metric = SEGMENT_METRICS.get("chrf++")
    means = [np.mean(metric.scores(SOURCES, text, REFERENCES)) for text in (*RUNS, *BASE)]
    assert found.runs == pytest.approx(means[:2], abs=1e-5)
    assert found.difference == pytest.approx(np.mean(means[:2]) - np.mean(means[2:]), abs=1e-5)
    assert "version:" in found.signature
    assert json.dumps(scores.to_dict())


def test_the_key_takes_its_name() -> None:
    values = {"baseline": "base", "metrics": ["chrf++"]}
    assert read_settings(EvaluationSettings, values).metrics == ("chrf++",)
    with pytest.raises(InputError, match=r"metrics\.0.*chrf\+\+"):
        read_settings(EvaluationSettings, {**values, "metrics": ["comet"]})


def test_less_of_a_metric_may_be_better() -> None:
    SEGMENT_METRICS.register("copied", Recorded())
    metrics = ("copied", "chrF++", "BLEU", "TER", "detokenised TER", "(TER-BLEU)/2")
    assert [sign_of(metric) for metric in metrics] == [-1, 1, 1, -1, -1, -1]
