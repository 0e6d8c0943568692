"""MERT on the golden lists and on small ones whose best weights are known."""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from nbest_lists import nbest_list

from nlmt.cli import run_command
from nlmt.errors import InputError
from nlmt.tuning import Pool, TunerSettings, mert, read_initial, tune_reranking

GOLDEN = Path(__file__).parents[2] / "golden/mert"
MOSES = 0.568559  # run3.mert.log


@pytest.fixture(scope="module")
def golden():
    sys.path.insert(0, str(GOLDEN))
    import packed

    return packed.unpack()


def match(words):
    """Statistics of a hypothesis of ten words with that many at its start right."""
    return [value for n in range(4) for value in (max(words - n, 0), 10 - n)] + [10]


def small_pool(rows, width=2):
    """Rows of (sentence, features, words that are right), in any order."""
    rows = sorted(rows, key=lambda row: row[0])
    return Pool(
        np.array([sentence for sentence, _, _ in rows], np.int32),
        np.array([features for _, features, _ in rows], np.float64).reshape(-1, width),
        np.array([match(words) for _, _, words in rows], np.int32).reshape(-1, 9),
        [("LM0", 1), ("TranslationModel0", width - 1)],
    )


def test_golden_pool_scores_as_moses_says(golden):
    log = (GOLDEN / "run3.mert.log").read_text()
    point = log.split("Best point:")[1].split("=>")
    weights, bleu = [float(word) for word in point[0].split()], float(point[1].split()[0])
    assert golden.lists().value(np.array(weights)) == pytest.approx(bleu, abs=1e-6)


@pytest.mark.threads
def test_golden_lists_reach_what_moses_found(golden):
    initial, lower, upper = read_initial(GOLDEN / "run3.init.opt")
    tuned = mert(golden, [initial], lower=lower, upper=upper, restarts=20, seed=1, threads=2)
    assert tuned.value >= MOSES
    assert np.abs(tuned.weights).sum() == pytest.approx(1)
    assert golden.lists().value(tuned.weights) == tuned.value


@pytest.mark.threads
def test_same_for_any_number_of_threads(golden):
    part = golden.sentence < 60
    pool = Pool(golden.sentence[part], golden.features[part], golden.statistics[part], golden.names)
    found = [mert(pool, [], restarts=5, seed=3, threads=threads) for threads in (1, 2, 5)]
    for other in found[1:]:
        assert other.weights.tobytes() == found[0].weights.tobytes()
        assert other.value == found[0].value
    assert mert(pool, [], restarts=5, seed=4).weights.tobytes() != found[0].weights.tobytes()


def test_separable_lists_are_solved():
    # The right one wins where the first feature counts twice the second, reversed in sign.
    rows = [(s, [i, 2 * i], 10 - i) for s in range(3) for i in range(1, 8)]
    rows += [(s, [0, 0.5], 3) for s in range(3)]
    rows += [(s, [0, 0], 10) for s in range(3)]
    tuned = mert(small_pool(rows), [np.array([1.0, 1.0])], restarts=0)
    assert tuned.value == pytest.approx(1)


def test_start_is_never_made_worse():
    rng = np.random.default_rng(5)
    for seed in range(10):
        rows = [(s, rng.normal(size=3), int(rng.integers(1, 11))) for s in range(6) for _ in "1234"]
        pool, start = small_pool(rows, 3), rng.normal(size=3)
        assert mert(pool, [start], restarts=0, seed=seed).value >= pool.lists().value(start)


def test_lists_of_one_and_equal_features():
    rows = [(0, [1, 1], 8), (1, [2, 1], 4), (1, [2, 1], 9)]
    pool = small_pool(rows).merge([])
    assert len(pool) == 2  # the first of equal features stays
    assert mert(pool, [np.ones(2)], restarts=3).value == pytest.approx(
        pool.lists().value(np.ones(2))
    )


def test_bad_input_is_named():
    pool = small_pool([(0, [1, 1], 8)])
    with pytest.raises(InputError, match="no hypotheses"):
        mert(small_pool([]), [np.ones(2)])
    with pytest.raises(InputError, match="3 weights, but the hypotheses have 2 features"):
        mert(pool, [np.ones(3)])
    with pytest.raises(InputError, match="not a finite number"):
        mert(pool, [np.array([1, np.nan])])
    with pytest.raises(InputError, match="no point to start from"):
        mert(pool, [np.zeros(2)], restarts=0)
    with pytest.raises(InputError, match="lower bound of weight 1"):
        mert(pool, [], lower=np.array([0, 2]), upper=np.ones(2))
    with pytest.raises(InputError, match=r"differ: LM0:1 TranslationModel0:1; 2 values"):
        pool.merge([Pool(pool.sentence, pool.features, pool.statistics, [])])


def lists_by_errors(rng, features_of, names):
    """A list of 30 sentences, whose hypotheses have 0 to 7 wrong words; and the references."""
    references, rows = [], []
    for sentence in range(30):
        words = [f"w{i}" for i in rng.integers(0, 40, 10)]
        references.append(" ".join(words))
        for wrong in rng.permutation(8):
            text = " ".join(words[: 10 - wrong] + ["x"] * int(wrong))
            rows.append((sentence, text, features_of(float(wrong))))
    return nbest_list(rows, [(name, 1) for name in names]), references


def test_reranking_finds_the_use_of_a_new_feature():
    rng = np.random.default_rng(2)
    names = ("LM0", "WordPenalty0", "NLM0")
    nbest, references = lists_by_errors(rng, lambda wrong: [*rng.normal(size=2), -wrong], names)
    initial = {"LM0": [0.5], "WordPenalty0": [-0.5], "UnknownWordPenalty0": [1.0]}
    weights, outcome = tune_reranking([nbest], [references], initial, TunerSettings(restarts=2))
    assert list(weights) == ["LM0", "WordPenalty0", "NLM0"]
    assert weights["NLM0"][0] > 0.5
    assert outcome.initial < outcome.final == pytest.approx(100)
    # It is tuned without being named; the others keep their proportions.
    settings = TunerSettings(method="mira", tuned=("WordPenalty",))
    weights, outcome = tune_reranking([nbest], [references], initial, settings)
    assert weights["NLM0"][0] > 0.5
    assert outcome.final == pytest.approx(100)
    settings = TunerSettings(method="mert", restarts=2, tuned=("NLM",))
    weights, _ = tune_reranking([nbest], [references], initial, settings)
    assert weights["WordPenalty0"][0] == pytest.approx(-weights["LM0"][0])


def test_where_a_new_feature_gains_nothing_all_are_tuned() -> None:
    rng = np.random.default_rng(3)
    names = ("LM0", "Distortion0", "NLM0")
    nbest, references = lists_by_errors(rng, lambda wrong: [-wrong, rng.normal(), 0.0], names)
    initial = {"LM0": [0.01], "Distortion0": [0.99]}
    settings = TunerSettings(method="mira", tuned=("NLM",))
    weights, outcome = tune_reranking([nbest], [references], initial, settings)
    assert outcome.initial < 70
    assert outcome.final == pytest.approx(100, abs=1)
    assert weights["LM0"][0] > weights["Distortion0"][0]


def test_reranking_on_several_references() -> None:
    """Its score is sacreBLEU's, and no other weights have a higher one."""
    rng = np.random.default_rng(5)
    rows, names = [], [("LM0", 1), ("NLM0", 1)]
    references = [[" ".join(rng.choice(list("abcdef"), 8)) for _ in range(12)] for _ in range(2)]
    for sentence, place in product(range(12), range(6)):
        words = references[place % 2][sentence].split()
        words[: place // 2 * 2] = "x" * (place // 2 * 2)
        rows.append((sentence, " ".join(words), rng.normal(size=2) - [0, place % 2]))

    def bleu(direction, lines):
        keys = [features @ direction for _, _, features in rows]
        best = [max(range(s * 6, s * 6 + 6), key=keys.__getitem__) for s in range(12)]
        return sacrebleu.corpus_bleu([rows[row][1] for row in best], lines, tokenize="none").score

    directions = [np.array([np.cos(t), np.sin(t)]) for t in np.linspace(0, 2 * np.pi, 500)]
    initial, nbest, scores = {"LM0": [0.5], "NLM0": [0.5]}, nbest_list(rows, names), []
    for lines in (references[:1], references):
        weights, outcome = tune_reranking([nbest], lines, initial, TunerSettings(restarts=20))
        found = np.array([weights["LM0"][0], weights["NLM0"][0]])
        assert outcome.final == pytest.approx(bleu(found, lines))
        assert outcome.final >= max(bleu(direction, lines) for direction in directions) - 1e-6
        scores.append(bleu(found, references))
    assert scores[0] < scores[1]


def write_moses_files(folder, pool):
    """Feature and score file of a pool, as Moses' extractor writes them."""
    names = " ".join(f"{label}_{i}" for label, width in pool.names for i in range(width))
    width = pool.features.shape[1]
    with (folder / "f.dat").open("w") as features, (folder / "s.dat").open("w") as scores:
        for s in np.unique(pool.sentence):
            rows = np.flatnonzero(pool.sentence == s)
            features.write(f"FEATURES_TXT_BEGIN_0 {s} {len(rows)} {width} {names}\n")
            scores.write(f"SCORES_TXT_BEGIN_0 {s} {len(rows)} 9 BLEU\n")
            for row in rows:
                features.write(" ".join(f"{value:g}" for value in pool.features[row]) + " \n")
                scores.write(" ".join(map(str, pool.statistics[row])) + " \n")
            features.write("FEATURES_TXT_END_0\n")
            scores.write("SCORES_TXT_END_0\n")


def test_command_prints_named_weights(tmp_path, capsys):
    rows = [(s, [i, 2 * i], 10 - i) for s in range(3) for i in range(8)]
    write_moses_files(tmp_path, small_pool(rows))
    (tmp_path / "init.opt").write_text("1 1\n0 0\n1 1\n")
    arguments = ["--features", "f.dat", "--scores", "s.dat", "--init", "init.opt"]
    arguments = [str(tmp_path / a) if "." in a else a for a in arguments]
    assert run_command("mert", [*arguments, "--restarts", "2", "--seed", "7"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "hypotheses: 24 of 3 sentences"
    assert [line.split("=")[0] for line in lines[1:3]] == ["LM0", "TranslationModel0"]
    values = [float(line.split("= ")[1]) for line in lines[1:3]]
    assert sum(map(abs, values)) == pytest.approx(1)
    assert lines[3].startswith("BLEU: 1.000000 (initial weights: ")
