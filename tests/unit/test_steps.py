"""Steps: what they say, when they are open, and what library code tells of them."""

import logging
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from nlmt import live
from nlmt.lm.perplexity import measure
from nlmt.steps import Step, counted, hidden_steps, open_steps, step

PATIENCE = 120  # seconds, on a busy machine


def test_a_step_tells_how_far_it_is() -> None:
    one = Step("translate", 120, began=100.0)
    assert one.line(107.0) == "   0:07  translate  [....................]  0 of 120 sentences"
    one.done = 30
    one.says = "BLEU 20.10"
    # A quarter took 7 s.
    assert one.text(107.0) == "30 of 120 sentences, BLEU 20.10, about 0:21 left"
    assert "[#####...............]" in one.line(107.0)
    one.done = 120
    assert one.text(109.0) == "120 of 120 sentences, BLEU 20.10"


def test_what_was_done_before_does_not_count_as_fast() -> None:
    one = Step("epoch 2", 1000, "examples", 500, began=0.0)
    one.done = 600  # 100 in 10 s, 400 to go
    assert one.text(10.0) == "600 of 1,000 examples, about 0:40 left"


def test_without_a_total_there_is_no_bar() -> None:
    one = Step("score", unit="hypotheses", began=0.0)
    assert one.line(61.0) == "   1:01  score"
    one.done = 12345
    assert one.line(61.0) == "   1:01  score  12,345 hypotheses"


def test_steps_are_open_while_they_last() -> None:
    def fail() -> None:
        with step("outer") as outer, step("inner") as inner:
            assert open_steps() == (outer, inner)
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        fail()
    assert open_steps() == ()


def test_items_are_counted() -> None:
    seen = [(item, one.done, one.total) for item in counted("ab", "spell") for one in open_steps()]
    assert seen == [("a", 0, 2), ("b", 1, 2)]
    assert [one.total for _ in counted(iter("ab"), "spell") for one in open_steps()] == [0, 0]
    assert open_steps() == ()


def test_short_steps_and_hidden_ones_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with step("nlmt tune") as whole:
        assert live.step_lines(whole) == []
        monkeypatch.setattr(live, "SHORT_SECONDS", 0.0)
        assert live.step_lines(whole) == ["   0:00  nlmt tune"]
        with step("tune") as outer, step("translate", 4):
            outer.began -= 60
            tune, translate = live.step_lines(whole)
            assert tune == "   1:00  tune"
            assert translate.endswith("translate  [....................]  0 of 4 sentences")
        with hidden_steps():
            assert live.step_lines(whole) == []


class Recorder:
    """A model that notes what the innermost open step says."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.array([1 if word == "<unk>" else 2 for word in words], np.int32)

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        self.said.append(open_steps()[-1].line(open_steps()[-1].began))
        return np.full(len(offsets) - 1, -1.0)


def test_perplexity_counts_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlmt.lm.perplexity.BLOCK", 2)
    model = Recorder()
    assert measure(model, ["a b", "c", "d"]).sentences == 3
    name = "   0:00  measure the perplexity"
    assert model.said == [name, f"{name}  2 sentences"]


def test_a_log_gets_a_line_when_something_has_changed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(live, "LOG_SECONDS", 0.001)
    caplog.set_level(logging.INFO)
    logged = threading.Event()
    caplog.handler.addFilter(lambda record: logged.set() or True)
    with live.logged_steps(), step("decode", 4) as one:
        one.done = 4
        assert logged.wait(PATIENCE)
    assert caplog.messages[-1] == "decode: 4 of 4 sentences"
