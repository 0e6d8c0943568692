"""The back-off model against KenLM, the mass of a short-list against sums, the model as a whole."""

import logging

import kenlm
import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, NeuralLM, Task, Trainer, encode
from nlmt.neural.outputs.short_list import read_backoff
from nlmt.neural.tensors import read_tensors, write_tensors
from nlmt.neural.text.files import TextFiles
from nlmt.ngram import train_arpa
from nlmt.ngram.backoff import NATURAL, BackoffModel
from nlmt.vocabulary import count_words

# By hand: bigrams "a b", "b a", "<s> a"; p(b | a) = 0.5, and so on.
ARPA = r"""\data\
ngram 1=5
ngram 2=3

\1-grams:
-1.0	<unk>	0
0	<s>	-0.30103
-0.69897	</s>	0
-0.39794	a	-0.39794
-0.52288	b	-0.1

\2-grams:
-0.09691	<s> a
-0.30103	a b
-0.2	b a

\end\
"""


@pytest.fixture(scope="module")
def arpa(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("arpa") / "model.arpa"
    train_arpa(texts[0], path, order=4)
    return path


@pytest.fixture(scope="module")
def model(arpa, texts):
    counts = count_words(texts[0].read_text().splitlines())
    return BackoffModel.read(arpa, counts)


def naive(queries, words, context, word):
    """KenLM's natural-log probability of a word after a context, `<s>` at most once."""
    state, after = kenlm.State(), kenlm.State()
    names = [words[i] for i in context]
    if "<s>" in names:
        queries.BeginSentenceWrite(state)
        names = names[len(names) - names[::-1].index("<s>") :]
    else:
        queries.NullContextWrite(state)
    for name in names:
        queries.BaseScore(state, name, after)
        state, after = after, state
    return NATURAL * queries.BaseScore(state, words[word], after)


def contexts(model, vocabulary, length, number):
    """Contexts of a text, of a sentence's begin, and of random words."""
    random = np.random.default_rng(1)
    rows = [random.choice(len(vocabulary), length) for _ in range(number)]
    for level in model.levels[1:length]:
        for at in random.choice(len(level.keys), number):
            ngram, k = [], model.levels.index(level)
            while k >= 0:
                at, word = divmod(int(model.levels[k].keys[at]), model.words) if k else (0, at)
                ngram, k = [word, *ngram], k - 1
            rows.append(np.array([*[vocabulary.begin] * length, *ngram][-length:]))
    return np.array(rows, dtype=np.int32)


def test_probabilities_are_kenlms(arpa, model):
    backoff, vocabulary = model
    queries = kenlm.Model(str(arpa))
    random = np.random.default_rng(2)
    rows = contexts(backoff, vocabulary, 4, 60)
    words = random.choice(np.r_[0, 2 : len(vocabulary)], len(rows)).astype(np.int32)
    words[::2] = rows[::-2, 0][: len(words[::2])]
    words[words == vocabulary.begin] = vocabulary.end
    found = backoff.log_probabilities(rows, words)
    wanted = [
        naive(queries, vocabulary.words, *pair) for pair in zip(rows.tolist(), words, strict=True)
    ]
    assert found == pytest.approx(wanted, rel=1e-5)


def test_mass_is_the_sum_over_the_list(model, monkeypatch):
    backoff, vocabulary = model
    listed = np.arange(2, 40, dtype=np.int32)
    mass = backoff.mass(listed)
    for length in (0, 1, 3, 5):
        rows = contexts(backoff, vocabulary, max(length, 1), 40)[:, :length]
        found = backoff.find_mass(mass, rows)
        for row, one in zip(rows, found, strict=True):
            repeated = np.tile(row, (len(listed), 1))
            wanted = np.exp(backoff.log_probabilities(repeated, listed)).sum()
            assert one == pytest.approx(wanted, rel=1e-5)
    monkeypatch.setattr("nlmt.ngram.backoff.PIECE", 100)
    for whole, pieces in zip(mass, backoff.mass(listed), strict=True):
        assert pieces == pytest.approx(whole, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("never", ["-inf", "-3e38"])
def test_no_probability_is_that_of_an_unknown_word(tmp_path, never):
    """As for NgramModel and the decoder."""
    (tmp_path / "arpa").write_text(ARPA.replace("-0.30103\ta b", f"{never}\ta b"))
    backoff, vocabulary = BackoffModel.read(tmp_path / "arpa", {})
    a, b = vocabulary.lookup(["a", "b"])
    found = backoff.log_probabilities(np.array([[a]], np.int32), np.array([b], np.int32))
    assert found == pytest.approx([-100 * np.log(10)])


def test_mass_by_hand(tmp_path):
    (tmp_path / "arpa").write_text(ARPA)
    backoff, vocabulary = BackoffModel.read(tmp_path / "arpa", {"a": 2, "b": 1})
    a, b = vocabulary.lookup(["a", "b"])
    mass = backoff.mass(np.array([a], dtype=np.int32))
    # p(a) = 0.4; after a it is backed off to with weight 0.4; after <s> it is 0.8.
    rows = np.array([[a], [1], [b]], dtype=np.int32)
    assert backoff.find_mass(mass, rows) == pytest.approx([0.16, 0.8, 10**-0.2], rel=1e-4)
    assert backoff.find_mass(mass, rows[:, :0]) == pytest.approx([0.4] * 3, rel=1e-4)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (r"\end" + "\\", "", "truncated"),
        ("-0.30103\ta b\n", "", "2 n-grams of order 2, not 3"),
        ("ngram 1=5", "ngram 1=five", "arpa:2: not a count"),
        ("\ta b", "\ta b c", "not an n-gram of order 2"),
        ("\ta b", "\ta x", "'x' is not a unigram"),
        ("\ta b", "\tb a", "occurs twice"),
        ("-0.52288\tb", "-0.52288\ta", "arpa: a word occurs twice in the vocabulary"),
        ("-0.30103\ta", "nan\ta", "not an n-gram of order 2"),
        ("b\t-0.1", "b\t-1e39", "not an n-gram of order 1"),
        ("-0.30103\ta", "0.30103\ta", "arpa:14: a probability above 1: '0.30103"),
        ("<unk>", "unk", "no <unk> among its words"),
        ("ngram 2=3", "ngram 2=3\nngram 3=1", "n-grams of 2 orders instead of 3"),
        (ARPA, "the cat\n", "not an ARPA file"),
    ],
)
def test_damaged_arpa_files(tmp_path, old, new, says):
    (tmp_path / "arpa").write_text(ARPA.replace(old, new))
    with pytest.raises(InputError, match=says):
        BackoffModel.read(tmp_path / "arpa", {})


def test_only_the_longest_orders_may_be_empty(tmp_path):
    """As lmplz leaves them for a text of short sentences."""
    path, empty = tmp_path / "arpa", "\\3-grams:\n\n\\4-grams:\n\n\\end"
    longer = ARPA.replace("ngram 2=3", "ngram 2=3\nngram 3=0\nngram 4=0").replace("\\end", empty)
    fingerprints = set()
    for text in (ARPA, longer):
        path.write_text(text)
        fingerprints.add(BackoffModel.read(path, {})[0].fingerprint())
    assert len(fingerprints) == 1
    path.write_text(longer.replace("4=0", "4=1").replace("\n\\end", "-0.1\ta b a b\n\n\\end"))
    with pytest.raises(InputError, match="n-grams of order 4, but none of order 3"):
        BackoffModel.read(path, {})
    path.write_text("\\data\\\nngram 1=0\n\n\\1-grams:\n\n\\end\\\n")
    with pytest.raises(InputError, match="no n-grams of order 1"):
        BackoffModel.read(path, {})


def test_it_is_sorted_in_the_memory_of_the_job(tmp_path, caplog):
    caplog.set_level(logging.INFO, logger="nlmt.processes")
    text = tmp_path / "text"
    words = np.random.default_rng(1).zipf(1.3, (10_000, 10))
    write_lines(text, (" ".join(map(str, line)) for line in words.tolist()))
    read_backoff(TextFiles([text]), 3, TrainingData([text], text, memory_mb=50))
    assert f" --memory {40 << 20}b " in caplog.text


@pytest.fixture(scope="module")
def trained(texts):
    settings = {"order": 4, "dim": 16, "output": "short-list", "short_list": 60, "epochs": 3}
    settings |= {"objective": "likelihood", "minibatch": 100}
    task = Task.read(NeuralConfig.from_dict(settings), TrainingData([texts[0]], texts[1]))
    return task, Trainer(task).run()


def test_learns_from_the_listed_words_alone(trained):
    task, result = trained
    listed = task.layout.listed
    assert len(listed) == 60
    assert task.vocabulary.unknown not in listed
    assert task.vocabulary.end in listed
    least = task.counts[listed].min()
    others = np.setdiff1d(np.arange(3, len(task.vocabulary)), listed)
    assert task.counts[others].max() <= least
    assert result.progress.log[0].tokens == int(task.counts[listed].sum())
    # Better than the back-off model alone.
    windows = task.dev.windows(np.arange(task.dev.events), 4)
    alone = task.layout.backoff.log_probabilities(windows[:, :-1], windows[:, -1])
    assert result.dev.perplexity < 0.97 * np.exp(-alone.mean())


def test_sums_to_one(trained):
    model = trained[1].model
    size = len(model.vocabulary)
    rows = contexts(model.layout.backoff, model.vocabulary, 3, 6)
    scores = model.score_ngrams(
        np.repeat(rows, size, axis=0), np.tile(np.arange(size, dtype=np.int32), len(rows))
    )
    assert np.exp(scores).reshape(-1, size).sum(1) == pytest.approx(1.0, abs=2e-6)


def test_round_trip_and_damage(trained, tmp_path):
    model = trained[1].model
    model.save(tmp_path)
    loaded = NeuralLM.load(tmp_path)
    corpus = encode(["the chart is a zyx", "", "zyx"], model.vocabulary)
    scores = [m.score_sentences(corpus.ids, corpus.offsets).tolist() for m in (model, loaded)]
    assert scores[0] == scores[1]
    assert loaded.parameters.keys() == model.parameters.keys()
    good, metadata = read_tensors(tmp_path / "model.safetensors")
    column = {"backoff.0.keys": good["backoff.0.keys"][:, None]}
    without = [
        {name: values for name, values in good.items() if name != lost}
        for lost in ("backoff.1.keys", "backoff.0.mass")
    ]
    for some in (*without, good | column):
        write_tensors(tmp_path / "model.safetensors", some, metadata)
        with pytest.raises(InputError, match=r"arrays of the model's back-off model do not fit"):
            NeuralLM.load(tmp_path)
    write_tensors(tmp_path / "model.safetensors", good, metadata)
    for listed in ("no-such-word\n", "the\nthe\n", ""):
        (tmp_path / "classes.tsv").write_text(f"short-list\n{listed}")
        with pytest.raises(InputError, match="no short-list of words of the vocabulary"):
            NeuralLM.load(tmp_path)


def test_command(tmp_path, texts, arpa, run):
    train, dev, _ = texts
    config, out = tmp_path / "model.yaml", tmp_path / "model"
    config.write_text("output: short-list\nshort_list: 50\norder: 4\ndim: 8\nepochs: 1\n")
    arguments = ["train", "--config", config, "--train", train, "--dev", dev, "--out", out]
    run(*arguments, "--backoff", arpa)
    assert "listed words: 50" in run("info", out).out
    config.write_text("output: full\n")
    said = run(*arguments, "--backoff", arpa, "--overwrite", status=1).err
    assert "--backoff has no effect" in said
