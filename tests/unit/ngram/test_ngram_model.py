"""Queries, by hand on a tiny ARPA file and on the golden model."""

import bz2
import gzip
import lzma
import math
from pathlib import Path

import numpy as np
import pytest
from compressed_models import reading_compressed

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.lm.perplexity import measure
from nlmt.lm.protocol import LanguageModel
from nlmt.ngram import NgramModel
from nlmt.ngram.files import read_arpa, read_facts
from nlmt.ngram.model import BEGIN_ID
from nlmt.ngram.training import Storage, build_binary

GOLDEN = Path(__file__).parents[2] / "golden"

ARPA = """\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-2\t<unk>
0\t<s>\t-0.5
-1\t</s>
-0.5\ta\t-0.25
-0.75\tb\t-0.125

\\2-grams:
-0.125\t<s> a
-0.375\ta b
-0.625\tb </s>

\\end\\
"""


@pytest.fixture
def model(tmp_path):
    (tmp_path / "tiny.arpa").write_text(ARPA)
    return NgramModel(tmp_path / "tiny.arpa")


def score(model: LanguageModel, *sentences: str):
    words = [sentence.split() for sentence in sentences]
    ids = model.lookup([word for sentence in words for word in sentence])
    return model.score_sentences(ids, np.cumsum([0, *map(len, words)]))


def test_scores_by_hand(model):
    found = score(model, "a b", "", "b a", "a x b", "a <unk> b")
    unknown = -0.125 + (-0.25 - 2) + -0.75 + -0.625
    log10 = [-0.125 - 0.375 - 0.625, -0.5 - 1, (-0.5 - 0.75) + (-0.125 - 0.5) + (-0.25 - 1)]
    assert found == pytest.approx([math.log(10) * x for x in [*log10, unknown, unknown]])
    assert found.dtype == np.float64


@pytest.mark.parametrize(
    ("old", "new", "of_a", "of_b"),
    [
        # KenLM refuses NaN, and other backoff weights than finite ones.
        ("-0.5\ta", "-inf\ta", -100, -0.75 - 0.25),
        ("-0.5\ta", "-3e38\ta", -100, -0.75 - 0.25),
        ("a\t-0.25", "a\t3e38", -0.5 - 0.5, -100),
        ("a\t-0.25", "a\t-3e38", -0.5 - 0.5, -100),
    ],
)
def test_a_word_without_a_probability_counts_as_unknown(tmp_path, old, new, of_a, of_b):
    arpa = ARPA.replace("-0.125\t<s> a", "-0.125\t<s> b").replace("a b", "b b").replace(old, new)
    (tmp_path / "bad.arpa").write_text(arpa)
    model = NgramModel(tmp_path / "bad.arpa")
    expected = math.log(10) * np.array([of_a, of_b, -0.625])
    ids = model.lookup(["a", "b"])
    assert score(model, "a b") == pytest.approx([expected.sum()])
    assert model.score_words(ids, np.array([0, 2])) == pytest.approx(expected)
    ngrams = np.array([[BEGIN_ID, ids[0]], [ids[0], ids[1]], [ids[1], model.stepper().end]])
    assert model.query(ngrams) == pytest.approx(expected)


def test_no_sentences(model):
    assert score(model).shape == (0,)


def test_lookup(model):
    ids = model.lookup(["b", "x", "a", "<unk>", "b", "a b"])
    assert ids.tolist() == [2, 0, 3, 0, 2, 0]
    assert ids.dtype == np.int32
    assert model.order == 2


def test_words_of_an_arpa_file_are_parted_as_by_kenlm(tmp_path):
    # At tabs and blanks alone; any bytes are words, and <UNK> is <unk>.
    arpa = ARPA.replace("<unk>", "<UNK>").replace("\ta\t", "\t\u2028\t").replace("a b", "b b")
    arpa = arpa.replace("<s> a", "<s> b")
    content = arpa.replace("\tb\t", "\té\t").replace("b", "é").encode("utf-8")
    (tmp_path / "odd.arpa").write_bytes(content.replace("é".encode(), b"\xe9"))
    words = NgramModel(tmp_path / "odd.arpa").vocabulary.words
    assert words == ("<unk>", "<s>", "</s>", "\u2028", "\udce9")
    (tmp_path / "blanks.arpa").write_text(ARPA.replace("\ta\t", "\t  a\t"))
    assert NgramModel(tmp_path / "blanks.arpa").vocabulary.words[3:] == ("a", "b")


def test_perplexity_by_hand(model):
    result = measure(model, ["a b", "a x b"])
    assert (result.words, result.sentences, result.oov) == (5, 2, 1)
    total = -0.125 - 0.375 - 0.625 + -0.125 - 0.25 - 2 - 0.75 - 0.625
    assert result.log_probability == pytest.approx(math.log(10) * total)
    assert result.perplexity == pytest.approx(10 ** (-total / 7))
    assert result.perplexity_without_oov == pytest.approx(10 ** (-(total + 2.25) / 6))


def test_perplexity_of_nothing(model):
    with pytest.raises(InputError, match="a text without a line"):
        measure(model, [])


def test_perplexity_is_the_sum_of_scores():
    model = NgramModel(GOLDEN / "model" / "lm.arpa.gz")
    lines = list(read_lines(GOLDEN / "test.en"))
    assert measure(model, lines).log_probability == pytest.approx(score(model, *lines).sum())


def test_golden_scores_are_those_of_moses():
    # The feature LM0 of Moses: the natural log of the whole sentence, </s> counted.
    model = NgramModel(GOLDEN / "model" / "lm.arpa.gz")
    entries = list(read_lines(GOLDEN / "output" / "stack100.nbest.gz"))[:300]
    fields = [entry.split(" ||| ") for entry in entries]
    names = [features.split() for _, _, features, *_ in fields]
    expected = [float(values[values.index("LM0=") + 1]) for values in names]
    sentences = [
        " ".join(w for w in text.split() if not w.startswith("|")) for _, text, *_ in fields
    ]
    assert score(model, *sentences) == pytest.approx(expected, abs=2e-3)


def test_a_word_with_white_space_in_it(tmp_path):
    """lmplz parts texts at blanks alone, KenLM's sentences at any white space."""
    path = tmp_path / "tiny.arpa"
    for word in ("b\fc", "\vb"):
        path.write_text(ARPA.replace("b", word))
        model = NgramModel(path)
        assert model.lookup(["a", "d\fe"]).tolist() == [2, 0]
        with pytest.raises(InputError, match=r"tiny.arpa: KenLM would part the word"):
            model.lookup([word])


@pytest.mark.parametrize(
    ("content", "what"),
    [(None, "no such file"), ("hello\n", "not a language model")],
)
def test_no_model(tmp_path, content, what):
    path = tmp_path / "model.binary"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=f"model.binary: {what}"):
        NgramModel(path)


@pytest.mark.parametrize("count", ["-2", "1000000", str(2**64 - 2), "9" * 5000])
def test_counts_with_which_kenlm_crashes_are_refused(tmp_path, count):
    path = tmp_path / "tiny.arpa"
    text = ARPA.replace("ngram 2=3", f"ngram 2={count}")
    path.write_text(text)
    with pytest.raises(InputError, match=r"tiny\.arpa:3: no number of n-grams"):
        NgramModel(path)
    path.write_text("# a comment\n" + text)
    with pytest.raises(InputError, match=r"tiny\.arpa:4: no number of n-grams"):
        NgramModel(path)


def test_a_count_may_have_many_digits(tmp_path):
    path = tmp_path / "tiny.arpa"
    path.write_text(ARPA.replace("ngram 2=3", f"ngram 2={'0' * 5000}3"))
    assert read_facts(path).counts == (5, 3)


@pytest.mark.parametrize("compress", [bz2.compress, gzip.compress, lzma.compress])
def test_compressed_models(model, compress, tmp_path):
    path = tmp_path / "lm"
    path.write_bytes(compress(ARPA.encode()))
    with reading_compressed():
        found = NgramModel(path)
    assert score(found, "a b").tolist() == score(model, "a b").tolist()
    assert found.vocabulary.words == model.vocabulary.words
    assert read_facts(path).counts == (5, 3)
    path.write_bytes(compress(ARPA.replace("ngram 1=5", "ngram 1=2000000000").encode()))
    with pytest.raises(InputError, match="lm:2: no number of n-grams"):
        NgramModel(path)  # KenLM would ask for 36 GB
    path.write_bytes(compress(ARPA.encode())[:-20])
    with pytest.raises(InputError, match=r"lm: (damaged|not a language model)"):
        NgramModel(path)


@pytest.mark.parametrize("compress", [bz2.compress, gzip.compress, lzma.compress])
def test_no_compressed_stream_is_left_out(compress, tmp_path):
    path = tmp_path / "lm"
    streams = [compress(line) for line in (b"un\n", b"deux\n")]
    path.write_bytes(b"".join(streams))
    assert list(read_arpa(path)) == ["un\n", "deux\n"]
    path.write_bytes(streams[0] + b"!" + streams[1][1:])
    with pytest.raises(InputError, match="lm: damaged or truncated compressed file"):
        list(read_arpa(path))


def test_marks_of_sentences_in_a_text_are_unknown_words(model):
    """To KenLM, `<s>` has a probability of 1 there; other models have no such word."""
    assert model.lookup(["<s>", "</s>"]).tolist() == [0, 0]
    assert score(model, "a <s> b", "a </s> b") == pytest.approx(score(model, *["a <unk> b"] * 2))
    assert measure(model, ["<s> a </s>"]).oov == 2


@pytest.mark.parametrize(
    ("structure", "unknown"),
    [
        ("trie", ["<unk>"]),
        ("trie", []),
        ("probing", []),
        ("probing", ["<UNK>"]),
        ("probing", ["<unk>", "<UNK>"]),
    ],
)
def test_words_of_a_binary_file_whatever_the_unknown_ones_are(tmp_path, structure, unknown):
    grams = "".join(f"-2\t{word}\n" for word in unknown)
    arpa = ARPA.replace("-2\t<unk>\n", grams).replace("ngram 1=5", f"ngram 1={4 + len(unknown)}")
    (tmp_path / "arpa").write_text(arpa)
    build_binary(tmp_path / "arpa", tmp_path / "binary", Storage(structure), "10M")
    words = NgramModel(tmp_path / "binary").vocabulary.words
    assert sorted(words) == ["</s>", "<s>", "<unk>", "a", "b"]
