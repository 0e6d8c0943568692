"""Statistics and scores against sacreBLEU, against published examples, and by hand."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import sacrebleu
from nbest_lists import nbest_list

from nlmt.errors import InputError
from nlmt.evaluation import BLEU, CHRF, TER, TOKENISED, Bleu, Chrf, Ter, detokenised_metrics


def random_lines(rng, count, longest=15, words=6):
    vocabulary = [f"W{i}" if i % 2 else "x" * (i + 1) for i in range(words)]
    return [" ".join(rng.choice(vocabulary, size=rng.integers(longest))) for _ in range(count)]


def edited(rng, line):
    """The line after some moves of runs of words, substitutions and deletions."""
    words = line.split()
    for _ in range(rng.integers(4)):
        begin, end = sorted(rng.integers(len(words) + 1, size=2))
        rest = words[:begin] + words[end:]
        place = rng.integers(len(rest) + 1)
        words = rest[:place] + words[begin:end] + rest[place:]
    kept = [word for word in words if rng.random() > 0.07]
    return " ".join("new" if rng.random() < 0.1 else word for word in kept)


def expect_equal_to_sacrebleu(metric, found, hypotheses, references):
    """Statistics, score and signature are those of sacreBLEU's own code."""
    official = metric._official()
    rows = official._extract_corpus_statistics(hypotheses, references)
    value = official._aggregate_and_compute(rows).score
    wanted = np.array(rows, float)
    if metric.name == "BLEU":
        wanted = wanted[:, [2, 6, 3, 7, 4, 8, 5, 9, 1]]  # in our order
    elif metric.name == "TER":
        wanted *= len(references)
    assert np.array_equal(found, wanted)
    assert metric.score(found.sum(axis=0)) == pytest.approx(value)
    score = metric.corpus_score(hypotheses, references)
    assert score.value == value
    assert score.signature == str(official.get_signature())


COUNTED = (BLEU, TER, CHRF)
CORPORA = {
    # name: (sentences, longest, different words, are the references edited hypotheses?)
    "short": (300, 14, 6, True),
    "unrelated": (150, 14, 6, False),
    "long": (3, 130, 300, True),  # beyond the beam and the farthest match
    "repeating": (2, 90, 12, True),  # more shifts than may be tried
}


@pytest.mark.threads
@pytest.mark.parametrize("metric", COUNTED, ids=lambda metric: metric.name)
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("count", [1, 2])
def test_equal_to_sacrebleu(metric, corpus, count):
    sentences, longest, words, related = CORPORA[corpus]
    rng = np.random.default_rng(count)
    hypotheses = random_lines(rng, sentences, longest, words)
    references = [
        [edited(rng, line) for line in hypotheses]
        if related and number == 0
        else random_lines(rng, sentences, longest, words)
        for number in range(count)
    ]
    found = metric.statistics(hypotheses, references, threads=2)
    expect_equal_to_sacrebleu(metric, found, hypotheses, references)


@pytest.mark.parametrize("metric", COUNTED, ids=lambda metric: metric.name)
def test_very_different_lengths_are_equal_to_sacrebleu(metric):
    rng = np.random.default_rng(3)
    long, short = random_lines(rng, 12, 200, 5), random_lines(rng, 12, 4, 5)
    for hypotheses, references in ((long, short), (short, long), (short, [""] * 12)):
        found = metric.statistics(hypotheses, [references])
        expect_equal_to_sacrebleu(metric, found, hypotheses, [references])


@pytest.mark.parametrize("metric", [*detokenised_metrics("en", lowercase=False)[:3], Bleu(False)])
def test_other_settings_are_equal_to_sacrebleu(metric):
    hypotheses = ["He said: “it's 3.5 %”, did he?", "The Cat (black) sat.", "", "A 文 b"]
    references = [["He said “It's 3.5%”, did he?", "the cat (Black) sat!", "x", "文 字 b"]]
    found = metric.statistics(hypotheses, references)
    expect_equal_to_sacrebleu(metric, found, hypotheses, references)


def random_raw_lines(rng, count):
    """Lines of text that is not tokenised: words, numbers, marks and escapes, mostly unspaced."""
    pieces = ["it", "Is", "'s", "3", "10", ".", ",", "-", "--", "!", "&amp;", "&quot;", "字", "カ"]
    pieces += ["。", "(", "\u00a0", "\u0130"]
    lines = []
    for _ in range(count):
        drawn = rng.choice(pieces, size=rng.integers(12))
        lines.append("".join(piece + " " * int(rng.random() < 0.4) for piece in drawn))
    return lines


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("count", [1, 2])
def test_raw_text_is_equal_to_sacrebleu(lowercase, count):
    rng = np.random.default_rng(7 + count)
    hypotheses = random_raw_lines(rng, 300)
    references = [random_raw_lines(rng, 300) for _ in range(count)]
    for metric in detokenised_metrics("en", lowercase=lowercase)[:3]:
        found = metric.statistics(hypotheses, references)
        expect_equal_to_sacrebleu(metric, found, hypotheses, references)


def test_ter_tokenises_references_twice_as_sacrebleu_does():
    # "it's." becomes "it's .", and "it 's ." the second time: two edits of three words.
    (row,) = Ter(normalized=True).statistics(["it's."], [["it's."]])
    assert row.tolist() == [2, 3]


def test_ter_of_the_paper():
    # Snover et al. (2006), section 3: one shift, two substitutions and one insertion; 4/13.
    hypothesis = "THIS WEEK THE SAUDIS denied information published in the new york times"
    reference = "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"
    (row,) = Ter(lowercase=False).statistics([hypothesis], [[reference]])
    assert row.tolist() == [4, 13]
    assert TER.score(row) == pytest.approx(100 * 4 / 13)


def test_ter_by_hand():
    def edits(hypothesis, *references):
        (row,) = TER.statistics([hypothesis], [[line] for line in references])
        return row.tolist()

    assert edits("d a b c", "a b c d") == [1, 4]  # one shift
    assert edits("c d a b", "a b c d") == [1, 4]  # one shift of two words
    line = [f"w{i}" for i in range(3000)]  # far longer than the band around the diagonal
    moved = [*line[:1000], *line[1005:1010], *line[1000:1005], *line[1010:]]
    assert edits(" ".join(moved), " ".join(line)) == [1, 3000]
    assert edits("a b c", "") == [3, 0]
    assert edits("", "a b c") == [3, 3]
    # Two references: twice the fewest edits over the sum of the lengths.
    assert edits("a b c", "a b", "x y z w") == [2, 6]
    assert TER.score(np.array([[3, 0], [0, 0], [5, 4]])).tolist() == [100, 0, 125]


def test_matches_are_clipped():
    # Papineni et al. (2002), section 2.1: a modified unigram precision of 2/7.
    (row,) = BLEU.statistics(["the the the the the the the"], [["the cat is on the mat"]])
    assert row.tolist() == [2, 7, 0, 6, 0, 5, 0, 4, 6]


def test_closest_reference_is_the_shorter_of_two():
    (row,) = BLEU.statistics(["a b c d"], [["a b c d e f"], ["a b"]])
    assert row[8] == 2


def test_brevity_penalty_by_hand():
    # All n-grams match, three of four words: exp(1 - 5/4).
    sums = np.array([4, 4, 3, 3, 2, 2, 1, 1, 5])
    assert BLEU.score(sums) == pytest.approx(100 * np.exp(-0.25))
    assert BLEU.score(np.zeros(9)) == 0
    assert BLEU.score(np.stack([sums, 0 * sums])).shape == (2,)


def test_chrf_by_hand():
    # "ab c" and "ab d": characters a b c and a b d. Orders 1 to 3 have 2/3, 1/2 and 0/1.
    (row,) = CHRF.statistics(["ab c"], [["ab d"]])
    assert row.tolist() == [3, 3, 2, 2, 2, 1, 1, 1, 0, *[0] * 9]
    assert CHRF.score(row) == pytest.approx(100 * (2 / 3 + 1 / 2) / 3)


def test_many_references_of_one_long_sentence():
    # More n-grams than the table of one sentence starts with.
    rng = np.random.default_rng(7)
    hypothesis = " ".join(map(str, rng.integers(500, size=2000)))
    sets = [[" ".join(map(str, rng.integers(500, size=2000)))] for _ in range(3)]
    (row,) = BLEU.statistics([hypothesis], sets)
    score = sacrebleu.BLEU(tokenize="none", force=True).corpus_score([hypothesis], sets)
    assert row[0:8:2].tolist() == score.counts


@pytest.mark.parametrize("metric", [BLEU, CHRF], ids=lambda metric: metric.name)
def test_lines_after_a_giant_one_are_counted_as_without_it(metric):
    rng = np.random.default_rng(8)
    giant = " ".join(map(str, rng.integers(30_000, size=40_000)))
    short, references = random_lines(rng, 20), random_lines(rng, 20)
    found = metric.statistics([giant, *short], [[giant, *references]])
    assert np.array_equal(found[1:], metric.statistics(short, [references]))


def nbest_of(hypotheses):
    """An n-best list of (sentence, text)."""
    return nbest_list([(*one, [0.0]) for one in hypotheses], [("LM0", 1)])


@pytest.mark.threads
@pytest.mark.parametrize("metric", [*TOKENISED, *detokenised_metrics("en")])
def test_nbest_list_may_lack_sentences(metric):
    rng = np.random.default_rng(1)
    references = random_lines(rng, 5)
    rows = [(s, text) for s in (0, 3, 4) for text in random_lines(rng, 20)]
    found = metric.nbest_statistics(nbest_of(rows), [references])
    alone = metric.statistics([text for _, text in rows], [[references[s] for s, _ in rows]])
    assert np.array_equal(found, alone)
    assert np.array_equal(found, metric.nbest_statistics(nbest_of(rows), [references], threads=3))


@pytest.mark.parametrize("metric", TOKENISED)
def test_spaces_of_unicode_part_words_in_lists_as_in_lines(metric):
    # sacreBLEU parts "b\u3000c" in two words; a list of Moses has it as one.
    nbest = nbest_of([(0, "a b c")])
    nbest = replace(
        nbest, words=["a", "b\u3000c"], ids=np.array([0, 1], np.int32), offsets=np.array([0, 2])
    )
    found = metric.nbest_statistics(nbest, [["a b c"]])
    assert np.array_equal(found, metric.statistics(["a b\u3000c"], [["a b c"]]))


def test_errors_say_what_differs():
    with pytest.raises(InputError, match="no references"):
        TER.statistics(["a"], [])
    with pytest.raises(InputError, match="a sentence 2, but there are 2 references"):
        CHRF.nbest_statistics(nbest_of([(2, "a")]), [["a", "b"]])


def test_signature_names_tokenisation_and_case():
    score = BLEU.corpus_score(["a b c d E"], [["a b c d e"]])
    assert score.value == pytest.approx(100)
    assert "tok:none" in score.signature
    assert "case:lc" in score.signature
    assert f"version:{sacrebleu.__version__}" in score.signature
    detokenised = [m.corpus_score(["a b"], [["a b"]]).signature for m in detokenised_metrics("de")]
    assert "tok:13a" in detokenised[0]
    assert "norm:yes" in detokenised[1]
    assert "case:mixed" in Chrf(lowercase=False).corpus_score(["a"], [["a"]]).signature


@pytest.mark.parametrize(
    ("language", "hypothesis", "reference"),
    [
        ("en", "click insert - chart, then ok.", "Click Insert - Chart, then press OK."),
        ("zh", "打开这个文件并保存。", "打开文件并保存到电脑。"),
        ("ja", "このファイルを開き保存します。", "ファイルを開いてから保存します。"),
    ],
)
def test_text_without_tokenisation_scores_as_by_sacrebleu_for_the_language(
    language, hypothesis, reference
):
    score = detokenised_metrics(language)[0].corpus_score([hypothesis], [[reference]])
    official = sacrebleu.BLEU(lowercase=True, trg_lang=language)
    assert score.value == official.corpus_score([hypothesis], [[reference]]).score
    assert score.value > 0
    assert score.signature == str(official.get_signature())


def test_japanese_without_mecab_is_scored_by_characters(monkeypatch, caplog):
    monkeypatch.setattr("nlmt.evaluation.standard.find_spec", lambda name: None)
    score = detokenised_metrics("ja")[0].corpus_score(["保存します"], [["保存します"]])
    assert "tok:char" in score.signature
    assert "nlmt[segmenters]" in caplog.text


def test_long_lines_need_memory_in_proportion():
    """Of a whole matrix of edit distances two lines of 20,000 words would take two gigabytes."""
    code = (
        "import resource\n"
        "from nlmt.evaluation import TER\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\n"
        "lines = [' '.join(f'{side}{i}' for i in range(20_000)) for side in 'ab']\n"
        "print(TER.statistics(lines[:1], [lines[1:]])[0].tolist(), (peak() - before) // 1024)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    statistics, _, megabytes = run.stdout.rpartition(" ")
    assert statistics == "[20000, 20000]"
    assert int(megabytes) < 200
