"""Models with a window of source words: affiliation, windows, training, scores."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from nlmt.classes import brown_cluster, count_bigrams, write_paths
from nlmt.errors import InputError
from nlmt.io.affiliation import affiliate, read_affiliation
from nlmt.io.links import parse_links
from nlmt.lm.kinds import SourceFiles, TrainingData
from nlmt.lm.protocol import SourcePositions
from nlmt.neural import NeuralConfig, NeuralLM, Task, Trainer, encode, encode_texts, with_source
from nlmt.neural.arrays import network_arrays
from nlmt.neural.torch_backend.window_network import WindowNetwork
from nlmt.vocabulary import Vocabulary

RANDOM = np.random.default_rng(7)
WINDOW = {"source": "window", "source_window": 1}
LSA = {"network": "elman", "source": "lsa", "source_dim": 3, "objective": "likelihood"}


@pytest.mark.parametrize(
    ("links", "source", "target", "expected", "linked"),
    [
        ("0-0 1-1", 2, 2, [0, 1, 2], [[0], [1], [2]]),
        ("0-0 3-0 2-0", 4, 1, [2, 4], [[0, 2, 3], [4]]),  # the middle one of three
        ("3-0 0-0 2-0 1-0", 4, 1, [1, 4], [[0, 1, 2], [4]]),  # the left ones of two and four
        ("0-0 1-0 2-0 4-0 5-0", 6, 1, [2, 6], [[1, 2, 4], [6]]),  # the middle ones of five
        ("2-0 1-2 0-2", 3, 3, [2, 0, 0, 3], [[2], [0, 1], [0, 1], [3]]),  # of two as near: right
        ("2-0 0-3", 3, 4, [2, 2, 0, 0, 3], [[2], [2], [0], [0], [3]]),
        ("1-2 2-2", 3, 5, [1, 1, 1, 1, 1, 3], [[1, 2]] * 5 + [[3]]),
        ("", 2, 4, [0, 0, 1, 1, 2], [[0], [0], [1], [1], [2]]),  # a diagonal
        ("", 0, 2, [0, 0, 0], [[0], [0], [0]]),
        ("", 3, 0, [3], [[3]]),
    ],
)
def test_affiliation_by_hand(links, source, target, expected, linked):
    """The word beside each target word, and up to three that are linked to it."""
    lengths = np.array([source]), np.array([target])
    parsed = parse_links([links], *lengths, path="links")
    assert affiliate(parsed, *lengths, 0).tolist() == expected
    rows = [row + [-1] * (3 - len(row)) for row in linked]
    assert affiliate(parsed, *lengths, 3).tolist() == rows


def plain_links(links, source, target):
    """The linked words of each target word, or of the nearest one with a link, as papers say it."""
    own = {t: sorted({s for s, to in links if to == t}) for t in range(target)}
    linked = [t for t in range(target) if own[t]]
    result = []
    for t in range(target):
        if not linked:
            result.append([t * source // target])
            continue
        nearest = min(linked, key=lambda other: (abs(other - t), -other))
        result.append(own[nearest])
    return [*result, [source]]


def test_affiliation_against_the_definition(tmp_path):
    lines, expected, linked, lengths = [], [], [], []
    for _ in range(300):
        source, target = (int(n) for n in RANDOM.integers(0, 9, 2))
        count = int(RANDOM.integers(0, 8)) if source and target else 0
        links = [(int(RANDOM.integers(source)), int(RANDOM.integers(target))) for _ in range(count)]
        lines.append(" ".join(f"{s}-{t}" for s, t in links))
        rows = plain_links(links, source, target)
        expected += [row[(len(row) - 1) // 2] for row in rows]
        linked += [row + [-1] * (7 - len(row)) for row in rows]
        lengths.append((source, target))
    (tmp_path / "links").write_text("\n".join(lines) + "\n")
    begins = np.cumsum([(0, 0), *lengths], axis=0).T + np.arange(len(lengths) + 1)
    for mapped in (False, True):
        found = read_affiliation(tmp_path / "links", *begins, mapped=mapped)
        assert found.tolist() == expected
        found = read_affiliation(tmp_path / "links", *begins, linked=7, mapped=mapped)
        assert found.tolist() == linked


@pytest.mark.parametrize("long", range(5))
def test_affiliation_in_blocks(tmp_path, monkeypatch, long):
    """One source sentence, anywhere in a block of two, is too long for two bytes."""
    monkeypatch.setattr("nlmt.io.affiliation.LINES", 2)
    events = [3] * 5
    events[long] = (1 << 16) + 1
    (tmp_path / "links").write_text("1-0\n" * 5)
    begins = np.cumsum([0, *events]), np.arange(0, 11, 2)
    found = read_affiliation(tmp_path / "links", *begins)
    assert found.tolist() == [place for count in events for place in (1, count - 1)]
    (tmp_path / "links").write_text("1-0\n" * 4 + "1-1\n")
    with pytest.raises(InputError, match="lies outside") as error:
        read_affiliation(tmp_path / "links", *begins)
    assert error.value.line == 5


@pytest.mark.parametrize(
    ("longest", "linked", "kind"),
    [
        (1 << 16, 0, np.uint16),
        ((1 << 16) + 1, 0, np.int32),
        (1 << 15, 1, np.int16),
        ((1 << 15) + 1, 1, np.int32),
    ],
)
def test_positions_take_the_bytes_that_they_need(tmp_path, longest, linked, kind):
    (tmp_path / "links").write_text("0-0\n")
    begins = np.array([0, longest]), np.array([0, 2])
    found = read_affiliation(tmp_path / "links", *begins, linked=linked)
    assert found.dtype == kind
    assert found.ravel().tolist() == [0, longest - 1]


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("0-0\n2-0\n", 2, "lies outside"),
        ("0-0\n0-2\n", 2, "lies outside"),
        ("0\n0-0\n", 1, "is not a link"),
        ("0-0\n", None, "1 lines, but there are 2"),
        ("0-0\n0-0\n0-0\n", None, "more than 2 lines"),
    ],
)
def test_links_that_do_not_fit(tmp_path, content, line, says):
    (tmp_path / "links").write_text(content)
    with pytest.raises(InputError, match=says) as error:
        read_affiliation(tmp_path / "links", np.array([0, 3, 6]), np.array([0, 3, 6]))
    assert str(error.value.path) == str(tmp_path / "links")
    assert error.value.line == line


@pytest.fixture(scope="module")
def bitext(tmp_path_factory):
    """Random words and their translations in another order: only the source tells the next one."""
    folder = tmp_path_factory.mktemp("bitext")
    french, english = ["rouge", "vert", "bleu", "noir"], ["red", "green", "blue", "black"]
    random = np.random.default_rng(3)
    for split, sentences in (("train", 400), ("dev", 60)):
        texts = {"fr": [], "en": [], "align": []}
        for _ in range(sentences):
            words = random.integers(0, 4, random.integers(1, 7))
            order = random.permutation(len(words))
            texts["fr"].append(" ".join(french[w] for w in words))
            texts["en"].append(" ".join(english[words[i]] for i in order))
            texts["align"].append(" ".join(f"{i}-{t}" for t, i in enumerate(order)))
        for name, lines in texts.items():
            (folder / f"{split}.{name}").write_text("\n".join(lines) + "\n")
    # The sources in another order; their links stay inside, as sentences are as long as before.
    sources = (folder / "dev.fr").read_text().splitlines()
    others = {}
    for n in range(1, 7):
        first, *rest = (line for line in sources if len(line.split()) == n)
        others[n] = iter([*rest, first])
    shuffled = [next(others[len(line.split())]) for line in sources]
    (folder / "dev.shuffled").write_text("\n".join(shuffled) + "\n")
    clusters = brown_cluster(count_bigrams((folder / "train.en").read_text().splitlines()), 2)
    write_paths(clusters, folder / "classes")
    return folder


def files(bitext, split, aligned=True):
    return SourceFiles(bitext / f"{split}.fr", bitext / f"{split}.align" if aligned else None)


def data(bitext, config):
    """The training data of a configuration."""
    sides = {}
    if config.source != "none":
        train, dev = (files(bitext, split, config.needs_alignment) for split in ("train", "dev"))
        sides = {"sources": [train], "dev_source": dev}
    return TrainingData([bitext / "train.en"], bitext / "dev.en", bitext / "classes", **sides)


def make_task(bitext, **settings):
    small = {"dim": 8, "epochs": 6, "minibatch": 50, "dropout": 0.0, **settings}
    if "network" not in settings:
        small = {"order": 3} | small
    config = NeuralConfig.from_dict(small)
    return Task.read(config, data(bitext, config))


PARTS = [
    {},
    {"objective": "likelihood", "projection": "full", "activation": "tanh"},
    {"objective": "self-normalised", "projection": "concatenation", "hidden": [12]},
    {"objective": "likelihood", "output": "tree-factored"},
    {"output": "short-list", "short_list": 3, "objective": "likelihood"},
    {"objective": "likelihood", "output": "full", "engine": "torch"},
]


@pytest.mark.parametrize("parts", PARTS, ids=str)
def test_a_shuffled_source_loses_what_the_source_gains(bitext, parts):
    alone = Trainer(make_task(bitext, **parts)).run().dev.perplexity
    result = Trainer(make_task(bitext, **WINDOW, **parts)).run()
    assert result.dev.perplexity < 0.75 * alone
    model = result.model
    dev = encode((bitext / "dev.en").read_text().splitlines(), model.vocabulary)
    shuffled = SourceFiles(bitext / "dev.shuffled", bitext / "dev.align")
    wrong = with_source(dev, shuffled, model.source_vocabulary)
    assert model.text_perplexity(wrong).perplexity > 0.95 * alone


@pytest.mark.parametrize("parts", PARTS[:4], ids=str)
def test_scores_are_those_of_torch(bitext, parts):
    model = Trainer(make_task(bitext, **WINDOW, **parts, epochs=1)).run().model
    network = WindowNetwork(model.config, model.layout, len(model.source_vocabulary))
    network.load_parameters(model.parameters)
    target = encode(["red green", "", "black zzz blue"], model.vocabulary)
    source = encode(["rouge vert bleu", "noir", "zzz"], model.source_vocabulary)
    position = np.array([0, 2, 3, 1, 0, 0, 1, 1], np.int32)
    of = np.array([0, 0, 0, 1, 2, 2, 2, 2], np.int32)
    places = SourcePositions(source.ids, source.offsets, of, position)
    begin, end, shift = 1, 2, len(model.vocabulary)
    contexts, words = [], []
    for event, (s, p) in enumerate(zip(of, position, strict=True)):
        history = target.windows(np.array([event]), 3)[0].tolist()
        sentence = source.ids[source.offsets[s] : source.offsets[s + 1]].tolist()
        padded = [begin, *sentence, end, end]
        contexts.append([*history[:-1], *(shift + w for w in padded[p : p + 3])])
        words.append(history[-1])
    with torch.no_grad():
        hidden = network.hidden(torch.tensor(contexts))
        wanted = network.output.log_probabilities(hidden, torch.tensor(words)).numpy()
    found = model.score_words_given(target.ids, target.offsets, places)
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    sums = model.score_sentences_given(target.ids, target.offsets, places)
    np.testing.assert_allclose(sums, np.add.reduceat(found, target.begins[:-1]))
    histories = target.windows(np.arange(target.events), 3)[:, :-1]
    ngrams = model.score_ngrams(histories, target.stream.astype(np.int32), places)
    np.testing.assert_allclose(ngrams, found, rtol=1e-12)


def test_equal_sentences_of_different_sources_have_scores_of_their_own(bitext):
    """What CSLM and Luong's code get wrong: scores copied between equal target strings."""
    model = Trainer(make_task(bitext, **WINDOW)).run().model
    target = encode(["red", "red", "red", "red"], model.vocabulary)
    source = encode(["rouge", "vert", "rouge vert"], model.source_vocabulary)
    of = np.repeat(np.array([0, 1, 0, 2], np.int32), 2)
    places = SourcePositions(
        source.ids, source.offsets, of, np.array([0, 1] * 3 + [0, 2], np.int32)
    )
    scores, asked = model.score_sentences_with_statistics(target.ids, target.offsets, places)
    assert scores[0] == scores[2]
    assert scores[0] > scores[1] + 1
    assert scores[3] != scores[0]
    # Three windows around the word and two around the end, each evaluated once.
    assert (asked.requests, asked.distinct_ngrams) == (8, 5)


def test_a_source_that_is_missing_or_too_much(bitext):
    joint = Trainer(make_task(bitext, **WINDOW, epochs=1)).run().model
    alone = Trainer(make_task(bitext, epochs=1)).run().model
    text = encode(["red"], joint.vocabulary)
    source = encode(["rouge"], joint.source_vocabulary)
    zeros = np.zeros(2, np.int32)
    places = SourcePositions(source.ids, source.offsets, zeros, zeros)
    with pytest.raises(InputError, match="conditioned on the source, but none is given"):
        joint.score_sentences(text.ids, text.offsets)
    with pytest.raises(InputError, match="conditioned on the source, but none is given"):
        joint.text_perplexity(text)
    with pytest.raises(InputError, match="not conditioned"):
        alone.score_sentences_given(text.ids, text.offsets, places)
    with pytest.raises(InputError, match="decoder does not take a model of source: window"):
        network_arrays(joint)
    with pytest.raises(InputError, match="not conditioned"):
        alone.lookup_source(["rouge"])
    with pytest.raises(InputError, match="0 for 1 training texts, none for the dev text"):
        Task.read(joint.config, data(bitext, alone.config))


def test_a_folder_with_another_source_vocabulary(bitext, tmp_path):
    Trainer(make_task(bitext, **WINDOW, epochs=1)).run().model.save(tmp_path)
    Vocabulary(("<unk>", "<s>", "</s>", "rouge")).save(tmp_path / "source-vocabulary.txt")
    with pytest.raises(InputError, match=r"source-vocabulary.txt: 4 words, but the model has"):
        NeuralLM.load(tmp_path)


def test_several_texts_are_one_text(bitext, tmp_path):
    """Pieces of a text with their own sources train the same model as the whole."""
    pieces = {"one": slice(150), "two": slice(150, None)}
    for name in ("en", "fr", "align"):
        lines = (bitext / f"train.{name}").read_text().splitlines(keepends=True)
        for piece, own in pieces.items():
            (tmp_path / f"{piece}.{name}").write_text("".join(lines[own]))
    whole = make_task(bitext, **WINDOW)
    texts, sources = zip(*((tmp_path / f"{p}.en", files(tmp_path, p)) for p in pieces), strict=True)
    parts = replace(data(bitext, whole.config), texts=list(texts), sources=list(sources))
    tasks = whole, Task.read(whole.config, parts)
    wanted, found = (Trainer(task).run().model.parameters for task in tasks)
    assert all((found[name] == wanted[name]).all() for name in wanted)


@pytest.mark.parametrize("settings", [WINDOW, LSA], ids=["window", "lsa"])
def test_encoded_texts_are_the_texts(bitext, tmp_path, settings):
    task = make_task(bitext, **settings)
    for split in ("train", "dev"):
        for side, vocabulary in (("en", task.vocabulary), ("fr", task.source_vocabulary)):
            name, given = f"{split}.{side}", None if split == "train" else vocabulary
            encode_texts([bitext / name], [tmp_path / name], vocabulary=given)
    for name in ("train.align", "dev.align", "classes"):
        (tmp_path / name).symlink_to(bitext / name)
    encoded = Task.read(task.config, data(tmp_path, task.config))
    assert encoded.fingerprint == task.fingerprint
    (text,) = encoded.texts.parts
    assert isinstance(text.source.position.base, np.memmap) == task.config.needs_alignment


def test_encoded_sources_that_do_not_fit(bitext, tmp_path):
    for split in ("train", "dev"):
        encode_texts([bitext / f"{split}.fr"], [tmp_path / split], min_count=1)
    for split, min_count, says in (
        ("train", 2, "was encoded with 1"),
        ("dev", 1, "lines, but the target text has"),
    ):
        config = make_task(bitext, **WINDOW, min_count=min_count).config
        source = SourceFiles(tmp_path / split, bitext / "train.align")
        with pytest.raises(InputError, match=says):
            Task.read(config, replace(data(bitext, config), sources=[source]))


def test_commands(bitext, tmp_path, run):
    config, out = tmp_path / "joint.yaml", tmp_path / "joint"
    config.write_text("source: window\norder: 3\ndim: 8\nepochs: 2\nminibatch: 50\n")
    arguments = ["train", "--config", config, "--classes", bitext / "classes"]
    for split in ("train", "dev"):
        for name, end in (("", "en"), ("-source", "fr"), ("-alignment", "align")):
            arguments += [f"--{split}{name}", bitext / f"{split}.{end}"]
    trained = run(*arguments, "--out", out).out.split("dev perplexity: ")[1].split()[0]
    dev = [bitext / "dev.en", "--source", bitext / "dev.fr", "--alignment", bitext / "dev.align"]
    found = run("perplexity", out, *dev).out.split("perplexity: ")[1].split()[0]
    assert float(found) == pytest.approx(float(trained), abs=0.005)
    words = [line.split() for line in run("score", out, *dev, "--words").out.splitlines()]
    scores = [float(line) for line in run("score", out, *dev).out.splitlines()]
    assert [sum(map(float, line)) for line in words] == pytest.approx(scores, abs=1e-4)
    assert "source words: 7" in run("info", out).out
    for wrong, status, says in (
        (["perplexity", out, dev[0]], 1, "conditioned on the source"),
        (["perplexity", out, out, *dev], 2, "are for one model that is conditioned on the source"),
        (["perplexity", out, *dev[:3]], 1, "the model needs the alignment of this text"),
        ([*arguments[:-2], "--out", tmp_path / "no"], 1, "dev.fr: source: window needs the align"),
    ):
        assert says in run(*wrong, status=status).err
