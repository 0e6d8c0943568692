"""Oracles of lists: by hand, and against every choice there is on tiny lists."""

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from nbest_lists import blocks_of

from nlmt.errors import InputError
from nlmt.evaluation import BLEU, CHRF, TER, Metric
from nlmt.io.nbest import read_nbest
from nlmt.rescoring import Candidates, measure_spread, oracle, read_candidates


def write_list(path: Path, rows: list[tuple[int, str, float]]) -> Path:
    path.write_text("".join(f"{s} ||| {text}  ||| A= {t} ||| {t}\n" for s, text, t in rows))
    return path


def every_choice(candidates: Candidates) -> list[float]:
    rows = product(*(range(a, b) for a, b in pairwise(candidates.starts.tolist())))
    return [candidates.score(np.array(choice)) for choice in rows]


def test_by_hand(tmp_path: Path) -> None:
    rows = [(0, "x y z w v", 3.0), (0, "a b c d e", 1.0), (1, "f g h i", 0.0), (1, "f g x i", 2.0)]
    path = write_list(tmp_path / "list", rows)
    found = oracle(path, [["a b c d e", "f g h i"]])
    assert (found.texts, found.score) == ({0: "a b c d e", 1: "f g h i"}, pytest.approx(100))
    assert (
        found.one_best
        == BLEU.corpus_score(["x y z w v", "f g x i"], [["a b c d e", "f g h i"]]).value
        == pytest.approx(oracle(path, [["a b c d e", "f g h i"]], worst=True).score)
    )


def test_a_missing_sentence_counts_as_an_empty_line(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list", [(0, "a b c d e", 0.0), (2, "a b c d", 0.0)])
    references = [["a b c d e", "x y", "a b c d"], ["b", "x", "a"]]
    found = oracle(path, references, metric=BLEU)
    assert list(found.texts) == [0, 2]
    whole = BLEU.corpus_score(["a b c d e", "", "a b c d"], references)
    assert found.score == pytest.approx(whole.value)


@pytest.mark.parametrize("metric", [BLEU, TER, CHRF], ids=lambda metric: metric.name)
def test_against_every_choice_of_tiny_lists(metric: Metric, tmp_path: Path) -> None:
    exact = 0
    cases = 40
    for seed in range(cases):
        draw = np.random.default_rng(seed)
        references = [" ".join(draw.choice([*"abcde"], draw.integers(4, 9))) for _ in range(4)]
        rows = []
        for s, line in enumerate(references):
            for _ in range(draw.integers(1, 6)):
                words = [
                    w if draw.random() < 0.7 else draw.choice([*"abcdex"]) for w in line.split()
                ]
                rows.append((s, " ".join(words[draw.integers(2) :]), draw.random()))
        path = write_list(tmp_path / "list", rows)
        candidates = read_candidates(path, [references], metric=metric)
        scores = [metric.sign * score for score in every_choice(candidates)]
        one_best = metric.sign * candidates.score(candidates.best_rows())
        best, worst = (
            metric.sign * candidates.score(candidates.oracle_rows(worst=w)) for w in (False, True)
        )
        assert min(scores) <= worst <= one_best <= best <= max(scores)
        exact += best == pytest.approx(max(scores)) and worst == pytest.approx(min(scores))
    # With edits of one reference the sum is the sum of the best; BLEU and chrF are greedy.
    assert exact == cases if metric is TER else exact >= 0.9 * cases


def test_no_other_hypothesis_of_one_sentence_is_better(tmp_path: Path) -> None:
    golden = Path(__file__).parents[2] / "golden"
    nbest = read_nbest(golden / "output" / "cube.nbest.gz")
    references = [
        nbest.text(min(begin + 20, end - 1)) for begin, end in pairwise(nbest.sentence_starts())
    ]
    with blocks_of(9000):
        candidates = read_candidates(golden / "output" / "cube.nbest.gz", [references])
    assert candidates.totals.tolist() == nbest.totals.tolist()
    for worst in (False, True):
        rows = candidates.oracle_rows(worst=worst)
        score = candidates.score(rows)
        for i, (begin, end) in enumerate(pairwise(candidates.starts.tolist())):
            for other in range(begin, end):
                changed = rows.copy()
                changed[i] = other
                assert (candidates.score(changed) - score) * (-1 if worst else 1) <= 1e-9


def test_a_list_without_hypotheses_has_no_spread(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list", [])
    with pytest.raises(InputError, match="list: a list without hypotheses"):
        measure_spread(path)


@pytest.mark.parametrize("block_bytes", [1, 60, 10**6])
def test_spread_by_hand(block_bytes: int, tmp_path: Path) -> None:
    rows = [(1, "a b", 3.0), (1, "a b", 1.0), (1, "b", -2.0), (3, "a b", 5.0), (3, "b b b", 5.5)]
    with blocks_of(block_bytes):
        spread = measure_spread(write_list(tmp_path / "list", rows))
    assert spread.sentence.tolist() == [1, 3]
    assert spread.sizes.tolist() == [3, 2]
    assert spread.distinct.tolist() == [2, 2]
    assert spread.ranges.tolist() == [5, 0.5]
    assert (spread.hypotheses, spread.words, spread.missing) == (5, 10, 2)
    assert (spread.lowest.tolist(), spread.highest.tolist()) == ([-2], [5.5])
    assert spread.mean.tolist() == [2.5]
    assert spread.feature_names == [("A", 1)]
