"""What is said of tuning that loses, gains nothing, or gets the length wrong."""

import json

import numpy as np
import pytest

from nlmt.cli import main
from nlmt.evaluation import BLEU, CHRF, TER, TER_BLEU
from nlmt.io.weights import read_weights
from nlmt.tuning import OBJECTIVES, Outcome, Pool
from nlmt.tuning.outcome import outcome_on_pool


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome("bleu", 30.0, 31.0, 1.0, 0.98), []),
        (Outcome("bleu", 30.0, 31.0, 0.9, 1.029), []),
        (Outcome("bleu", 30.0, 29.0, 1.0, 1.0), ["is 29.00, below the 30.00 that tuning began"]),
        (Outcome("bleu", 30.0, 30.001, 1.0, 1.0), ["gained nothing"]),
        (Outcome("bleu", 30.0, 31.0, 1.0, 0.969), ["too short: 0.969 times"]),
        (Outcome("bleu", 30.0, 29.0, 1.0, 1.031), ["below", "too long: 1.031 times"]),
        (Outcome("ter", -50.0, -49.0), []),
    ],
)
def test_each_fault_is_one_warning(outcome, expected):
    assert len(outcome.warnings) == len(expected)
    for warning, part in zip(outcome.warnings, expected, strict=True):
        assert part in warning


def test_length_is_that_of_the_references():
    hypotheses, references = ["a b c", "d"], [["a b c d", "e f"], ["x", "e f g h"]]
    # The closest references have 4 and 2 words.
    bleu = BLEU.statistics(hypotheses, references).sum(axis=0)
    assert BLEU.length_ratio(bleu) == 4 / 6
    ter = TER.statistics(hypotheses, references).sum(axis=0)
    assert TER.length_ratio(ter) is None
    assert TER_BLEU.length_ratio(np.concatenate([bleu, ter])) == 4 / 6
    for name, length in (("bleu", 4 / 6), ("ter-bleu", 4 / 6), ("ter", None)):
        metric = OBJECTIVES.get(name).metric
        sums = metric.statistics(hypotheses, references).sum(axis=0)
        assert metric.length_ratio(sums) == length
    (chrf,) = CHRF.statistics(["abc de"], [["abcdefg h"]])
    assert CHRF.length_ratio(chrf) == 5 / 8
    assert BLEU.length_ratio(np.zeros(9)) is None


def test_outcome_is_that_of_the_best_hypotheses():
    # Of each sentence a hypothesis of four words, all right, and one of two.
    good, short = [4, 4, 3, 3, 2, 2, 1, 1, 4], [2, 2, 1, 1, 0, 0, 0, 0, 4]
    # In the second sentence both are right.
    pool = Pool(
        np.array([0, 0, 1, 1], np.int32),
        np.array([[1.0, 0.0], [0.0, 1.0]] * 2),
        np.array([good, short, good, good], np.int32),
        [("LM0", 1), ("TM0", 1)],
    )
    outcome = outcome_on_pool(pool, np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert (outcome.initial, outcome.initial_length, outcome.length) == (100.0, 1.0, 6 / 8)
    assert outcome.final == pytest.approx(100 * np.exp(1 - 8 / 6))


def test_a_loss_stands_in_log_and_weights(tmp_path, monkeypatch, caplog):
    """PRO's pairs of single sentences prefer what loses on the text: both must say so."""
    monkeypatch.chdir(tmp_path)
    # Three short sentences are right with LM0 up; one long sentence, which weighs more, is wrong.
    long = " ".join(map(str, range(40)))
    lists = [
        f"{i} ||| a b c d ||| LM0= 1 ||| 0\n{i} ||| x x x x ||| LM0= 0 ||| 0" for i in range(3)
    ]
    lists.append(f"3 ||| y{' y' * 39} ||| LM0= 1 ||| 0\n3 ||| {long} ||| LM0= 0 ||| 0")
    (tmp_path / "list").write_text("\n".join(lists) + "\n")
    (tmp_path / "ref").write_text("a b c d\n" * 3 + long + "\n")
    (tmp_path / "first.json").write_text('{"weights": {"LM0": [-1]}}')
    command = "tune --nbest list --reference ref --weights first.json --method pro --out out.json"
    assert main(command.split()) == 0
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["bleu"] < found["initial"]
    assert found["length"] == found["initial_length"] == 1.0
    assert "below the" in found["warnings"][0]
    assert found["warnings"][0] in caplog.text
    assert read_weights(tmp_path / "out.json") == found["weights"]
