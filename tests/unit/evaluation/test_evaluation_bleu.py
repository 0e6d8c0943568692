"""BLEU statistics and scores against sacreBLEU and by hand."""

import numpy as np
import pytest
import sacrebleu

from nlmt.errors import InputError
from nlmt.evaluation import bleu_of_sums, corpus_bleu, nbest_statistics, sentence_statistics
from nlmt.io.nbest import NbestList


def random_lines(rng, count, longest=15, words=6):
    return [
        " ".join(rng.choice(list("abcdefghij"[:words]), size=rng.integers(longest)))
        for _ in range(count)
    ]


@pytest.mark.parametrize("references", [1, 2, 3])
def test_statistics_are_those_of_sacrebleu(references):
    rng = np.random.default_rng(references)
    hypotheses = random_lines(rng, 300)
    sets = [random_lines(rng, 300) for _ in range(references)]
    found = sentence_statistics(hypotheses, sets)
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    for i, row in enumerate(found):
        score = metric.corpus_score([hypotheses[i]], [[lines[i]] for lines in sets])
        assert row[0:8:2].tolist() == score.counts
        assert row[1:8:2].tolist() == score.totals
        assert (row[1], row[8]) == (score.sys_len, score.ref_len)
    whole = metric.corpus_score(hypotheses, sets)
    assert bleu_of_sums(found.sum(axis=0)) == pytest.approx(whole.score, abs=1e-9)
    assert corpus_bleu(hypotheses, sets).value == pytest.approx(whole.score, abs=1e-9)


def test_matches_are_clipped():
    # Papineni et al. (2002), section 2.1: a modified unigram precision of 2/7.
    (row,) = sentence_statistics(["the the the the the the the"], [["the cat is on the mat"]])
    assert row.tolist() == [2, 7, 0, 6, 0, 5, 0, 4, 6]


def test_closest_reference_is_the_shorter_of_two():
    (row,) = sentence_statistics(["a b c d"], [["a b c d e f"], ["a b"]])
    assert row[8] == 2


def test_brevity_penalty_by_hand():
    # All n-grams match, three of four words: exp(1 - 5/4).
    sums = np.array([4, 4, 3, 3, 2, 2, 1, 1, 5])
    assert bleu_of_sums(sums) == pytest.approx(100 * np.exp(-0.25))
    assert bleu_of_sums(np.zeros(9)) == 0
    assert bleu_of_sums(np.stack([sums, 0 * sums])).shape == (2,)


def test_many_references_of_one_long_sentence():
    # More n-grams than the table of one sentence starts with.
    rng = np.random.default_rng(7)
    hypothesis = " ".join(map(str, rng.integers(500, size=2000)))
    sets = [[" ".join(map(str, rng.integers(500, size=2000)))] for _ in range(3)]
    (row,) = sentence_statistics([hypothesis], sets)
    score = sacrebleu.BLEU(tokenize="none", force=True).corpus_score([hypothesis], sets)
    assert row[0:8:2].tolist() == score.counts


def nbest_of(hypotheses):
    """An n-best list of (sentence, text)."""
    words = sorted({word for _, text in hypotheses for word in text.split()})
    ids = [[words.index(word) for word in text.split()] for _, text in hypotheses]
    return NbestList(
        np.array([sentence for sentence, _ in hypotheses], np.int32),
        words,
        np.array([i for row in ids for i in row], np.int32),
        np.cumsum([0, *map(len, ids)]).astype(np.int64),
        np.zeros((len(ids), 1)),
        [("LM0", 1)],
        np.zeros(len(ids)),
    )


def test_nbest_list_may_lack_sentences():
    rng = np.random.default_rng(1)
    references = random_lines(rng, 5)
    rows = [(s, text) for s in (0, 3, 4) for text in random_lines(rng, 20)]
    found = nbest_statistics(nbest_of(rows), [references])
    alone = sentence_statistics([text for _, text in rows], [[references[s] for s, _ in rows]])
    assert np.array_equal(found, alone)
    assert np.array_equal(found, nbest_statistics(nbest_of(rows), [references], threads=3))


def test_errors_say_what_differs():
    with pytest.raises(InputError, match="2 sentences, but 1 lines in reference 0"):
        corpus_bleu(["a", "b"], [["a"]])
    with pytest.raises(InputError, match="no sentences"):
        corpus_bleu([], [[]])
    with pytest.raises(InputError, match="no references"):
        sentence_statistics(["a"], [])
    with pytest.raises(InputError, match="a sentence 2, but there are 2 references"):
        nbest_statistics(nbest_of([(2, "a")]), [["a", "b"]])


def test_signature_names_tokenisation_and_case():
    score = corpus_bleu(["a b c d E"], [["a b c d e"]])
    assert score.value == pytest.approx(100)
    assert "tok:none" in score.signature
    assert "case:lc" in score.signature
    assert f"version:{sacrebleu.__version__}" in score.signature
