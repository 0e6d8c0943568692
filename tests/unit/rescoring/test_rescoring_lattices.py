"""Lattice rescoring against plain enumeration of all paths."""

from dataclasses import replace

import numpy as np
import pytest
from lattices import WORDS, all_paths, path_alignment, path_features, random_lattice

from nlmt.errors import InputError
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_file import LatticeFile, write_lattices
from nlmt.lm.protocol import SourceModel, SourcePositions, SteppingModel
from nlmt.neural import NeuralConfig, NeuralLM
from nlmt.neural.outputs.full import Flat
from nlmt.neural.parameters import shapes
from nlmt.neural.source.vectors import TABLE
from nlmt.ngram import NgramModel, train_binary
from nlmt.rescoring import LatticeRescorer, first_weights, open_rescorer, search_study, study_search
from nlmt.rescoring.phrase_positions import phrase_positions
from nlmt.rescoring.search_study import search_lists
from nlmt.vocabulary import Vocabulary

VOCABULARY = Vocabulary(("<unk>", "<s>", "</s>", "a", "b", "c"))  # not d
FEED_FORWARD = {"order": 3, "projection": "full", "activation": "tanh"}
KINDS = [
    FEED_FORWARD,
    {"network": "lstm"},
    {"network": "elman"},
    {"network": "elman", "direct_features": 40, "direct_order": 3},
    {"network": "transformer", "layers": 2, "heads": 2},
]
RECURRENT = KINDS[1:]


def make(numbers=0, **kind):
    """An untrained model; `numbers` of the vector of the source beside a word."""
    settings = {"dim": 8, "objective": "likelihood", "output": "full", **kind}
    config = NeuralConfig.from_dict(settings)
    layout, random = Flat(len(VOCABULARY)), np.random.default_rng(1)
    of_source = len(VOCABULARY) if "source" in kind else 0
    parameters = {
        name: random.normal(scale=1.2, size=shape).astype(np.float32)
        for name, shape in shapes(config, layout, of_source).items()
    }
    if not of_source:
        return NeuralLM(config, VOCABULARY, layout, parameters)
    table = random.normal(size=(of_source, numbers)).astype(np.float32)
    arrays = {TABLE: table} if numbers else {}
    return NeuralLM(
        config, VOCABULARY, layout, parameters, source_vocabulary=VOCABULARY, source_arrays=arrays
    )


@pytest.fixture(scope="module")
def kenlm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kenlm")
    text = ["a b c d a b", "b a a", "c a b d", "d d a", "a c c b a d b", "b"]
    (folder / "text").write_text("\n".join(text) + "\n")
    train_binary(folder / "text", folder / "model.binary", order=3)
    return NgramModel(folder / "model.binary")


def lattices(count=6, **shape):
    return [random_lattice(seed, sentence=seed, **shape) for seed in range(count)]


def score_text(model, text):
    ids = model.lookup(text.split())
    return float(model.score_sentences(ids, np.array([0, len(ids)]))[0])


def best_by_enumeration(lattice, model, weight):
    return max(p.score + weight * score_text(model, lattice.text(p)) for p in all_paths(lattice))


def rescore(model, some, weight=0.7, **options):
    rescorer = LatticeRescorer({"NLM0": model}, {"NLM0": [weight]}, **options)
    return list(rescorer.rescore(some))


def contents(lattice):
    arrays = [lattice.from_node, lattice.to_node, lattice.phrase, lattice.features]
    return [lattice.sentence, lattice.nodes, *(array.tobytes() for array in arrays)]


def test_models_step(kenlm):
    assert isinstance(kenlm, SteppingModel)
    assert isinstance(make(**FEED_FORWARD), SteppingModel)
    for model in (kenlm, *(make(**kind) for kind in KINDS)):
        stepper = model.stepper()
        ids = model.lookup(list("bacdaa"))
        states, total = stepper.start(2), 0.0
        states = stepper.take(stepper.join([states, stepper.start(1)]), np.array([2, 0, 0]))
        for word in ids.tolist():
            rows, words = np.array([0, 1, 1, 1]), np.array([word, word, 3, 4], np.int32)
            scores = stepper.score(states, rows, words)
            assert scores[0] == pytest.approx(scores[1], abs=1e-5)
            total += scores[1]
            states = stepper.advance(states, np.array([1, 2, 0]), np.full(3, word, np.int32))
        total += stepper.score(states, np.array([1]), np.array([stepper.end], np.int32))[0]
        assert total == pytest.approx(score_text(model, "b a c d a a"), abs=1e-4)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_enough_states_are_exact(kind):
    model = make(**kind)
    some = lattices(nodes=6, arcs=11)
    for before, after in zip(some, rescore(model, some, states=10_000), strict=True):
        best = after.best_path()
        assert best.score == pytest.approx(best_by_enumeration(before, model, 0.7), abs=1e-4)
        expected = sorted((p.score, before.text(p)) for p in all_paths(before))
        old = {label: before.weights[label] for label in before.weights} | {"NLM0": [0.0]}
        found = sorted((p.score, after.text(p)) for p in all_paths(after.with_weights(old)))
        assert [text for _, text in found] == [text for _, text in expected]
        assert [score for score, _ in found] == pytest.approx([s for s, _ in expected], abs=1e-4)


def test_models_of_ngrams_are_exact_at_once(kenlm):
    for model in (kenlm, make(**FEED_FORWARD)):
        some = lattices(12)
        for before, after in zip(some, rescore(model, some), strict=True):
            assert after.best_path().score == pytest.approx(
                best_by_enumeration(before, model, 0.7), abs=1e-4
            )
            assert after.log10_paths() == pytest.approx(before.log10_paths())
            assert after.nodes <= before.nodes * 25


def test_one_state_is_exact_where_nodes_tell_the_context():
    """A lattice whose nodes have one context each, as those of a decoder with that order."""
    model = make(**FEED_FORWARD)
    some = rescore(model, lattices(12))
    for before, after in zip(some, rescore(model, some, states=1), strict=True):
        assert (after.nodes, len(after)) == (before.nodes, len(before))
        before_paths, after_paths = all_paths(before), all_paths(after)
        assert [p.score for p in after_paths] == pytest.approx([p.score for p in before_paths])


@pytest.mark.parametrize("states", [1, 2, 5])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_path_has_the_scores_of_its_translation(kind, states):
    model = make(**kind)
    some = lattices(8)
    for before, after in zip(some, rescore(model, some, states=states), strict=True):
        texts = {}
        for path in all_paths(before):
            texts.setdefault(before.text(path), []).append(path_features(before, path))
        for path in all_paths(after):
            *features, score = path_features(after, path).tolist()
            text = after.text(path)
            assert score == pytest.approx(score_text(model, text), abs=1e-4)
            assert any(np.allclose(features, known, atol=1e-5) for known in texts[text])
        assert after.feature_names == [*before.feature_names, ("NLM0", 1)]
        assert after.weights == {**before.weights, "NLM0": [0.7]}


def score_words(model, history, words, *, ends):
    """Log-probability of words after a history; `ends`: and of the sentence's end."""
    stepper, row, total = model.stepper(), np.array([0]), 0.0
    states = stepper.start(1)
    ids = model.lookup([*history, *words]).tolist()
    for place, word in enumerate([*ids, *([stepper.end] if ends else [])]):
        word = np.array([word], np.int32)
        if place >= len(history):
            total += stepper.score(states, row, word)[0]
        states = stepper.advance(states, row, word)
    return total


def best_histories(lattice, model, weight):
    """Of each node the words of its best path, where each node keeps that one alone."""
    known = lattice.scores(lattice.weights)
    best = {0: (0.0, [])}
    for node in range(1, lattice.nodes):
        candidates = []
        for arc in np.flatnonzero(lattice.to_node == node).tolist():
            total, history = best[int(lattice.from_node[arc])]
            words = lattice.phrase_words(lattice.phrase[arc])
            score = score_words(model, history, words, ends=node == lattice.nodes - 1)
            candidates.append((total + known[arc] + weight * score, history + words))
        best[node] = max(candidates)
    return {node: history for node, (_, history) in best.items()}


@pytest.mark.parametrize("kind", RECURRENT, ids=str)
def test_recombined_arcs_keep_all_paths(kind):
    model = make(**kind)
    for before in lattices(8):
        (after,) = rescore(model, [before], states=1, recombine=True)
        histories = best_histories(before, model, 0.7)
        expected = []
        for path in all_paths(before):
            score = 0.0
            for arc in path.arcs:
                words = before.phrase_words(before.phrase[arc])
                ends = before.to_node[arc] == before.nodes - 1
                history = histories[int(before.from_node[arc])]
                score += score_words(model, history, words, ends=ends)
            expected.append((before.text(path), round(path.score, 3), score))
        old = {**before.weights, "NLM0": [0.0]}
        found = [
            (after.text(path), round(path.score, 3), float(path_features(after, path)[-1]))
            for path in all_paths(after.with_weights(old))
        ]
        expected, found = sorted(expected), sorted(found)
        assert [row[:2] for row in found] == [row[:2] for row in expected]
        assert [row[2] for row in found] == pytest.approx([row[2] for row in expected], abs=1e-4)


@pytest.mark.parametrize("states", [1, 2, 5])
def test_recombined_arcs_leave_the_best_path(states):
    model, some = make(**KINDS[1]), lattices(12, nodes=8, arcs=20)
    dropped = rescore(model, some, states=states)
    recombined = rescore(model, some, states=states, recombine=True)
    assert sum(map(len, recombined)) > sum(map(len, dropped))
    for one, other in zip(dropped, recombined, strict=True):
        assert other.text(other.best_path()) == one.text(one.best_path())
        assert other.best_path().score == pytest.approx(one.best_path().score, abs=1e-5)


def test_more_states_find_what_all_find():
    model = make(**KINDS[1])
    some = lattices(8, nodes=8, arcs=20)
    exact = [lattice.best_path().score for lattice in rescore(model, some, states=5000)]
    for states in (1, 2, 3, 10, 100):
        found = [lattice.best_path().score for lattice in rescore(model, some, states=states)]
        assert all(a <= b + 1e-4 for a, b in zip(found, exact, strict=True))
    assert found == pytest.approx(exact, abs=1e-4)


@pytest.mark.parametrize("states", [1, 3, None])
def test_the_company_does_not_matter(kenlm, states, monkeypatch):
    some, models = lattices(9), (kenlm, make(**FEED_FORWARD))

    def found():
        return [[contents(one) for one in rescore(model, some, states=states)] for model in models]

    together = found()
    monkeypatch.setattr("nlmt.rescoring.lattices.WINDOW_STATES", 1)
    assert found() == together


def test_recurrent_models_in_company(monkeypatch):
    some = lattices(9)
    together = [rescore(make(**kind), some, states=3) for kind in RECURRENT]
    monkeypatch.setattr("nlmt.rescoring.lattices.WINDOW_STATES", 1)
    for kind, rescored in zip(RECURRENT, together, strict=True):
        alone = rescore(make(**kind), some, states=3)
        for a, b in zip(rescored, alone, strict=True):
            assert contents(a)[:-1] == contents(b)[:-1]
            assert a.features == pytest.approx(b.features, rel=3e-6, abs=1e-5)


def test_several_models_and_one_replaced(kenlm):
    models = {"LM0": kenlm, "NLM0": make(**KINDS[1])}
    weights = {"LM0": [0.4], "NLM0": [0.3], "TM0": [0.1, 0.1]}
    rescorer = LatticeRescorer(models, weights, states=1000)
    for before, after in zip(lattices(), rescorer.rescore(lattices()), strict=True):
        assert after.feature_names == [("TM0", 2), ("LM0", 1), ("NLM0", 1)]
        assert after.weights == weights
        best = max(
            sum(
                w * score_text(models[label], before.text(p))
                for label, (w,) in [("LM0", (0.4,)), ("NLM0", (0.3,))]
            )
            + 0.1 * path_features(before, p)[1:].sum()
            for p in all_paths(before)
        )
        assert after.best_path().score == pytest.approx(best, abs=1e-4)
    assert rescorer.counts.lattices == 6
    assert 0 < rescorer.counts.largest_states <= rescorer.counts.states
    assert "6 lattices" in str(rescorer.counts)


def test_lattices_without_arcs(tmp_path):
    empty = np.zeros(0, np.int32)
    zero = np.zeros(1, np.int64)
    lattice = Lattice(
        3, WORDS, empty, 1, empty, empty, empty, np.zeros((0, 3), np.float32),
        [("LM0", 1), ("TM0", 2)], {"LM0": [0.5], "TM0": [0.3, -0.2]}, zero, empty,
        np.zeros((0, 2), np.int32), zero, np.zeros((0, 2), np.int32),
    )  # fmt: skip
    model = make(**FEED_FORWARD)
    some = [random_lattice(1), lattice, random_lattice(2)]
    after = rescore(model, some, states=2)
    path = after[1].best_path()
    assert after[1].text(path) == ""
    assert path_features(after[1], path).tolist() == pytest.approx([0, 0, 0, score_text(model, "")])
    write_lattices(tmp_path / "lattices", after)
    assert [contents(one) for one in LatticeFile(tmp_path / "lattices")][1] == contents(after[1])


def test_what_is_refused():
    model = make(**KINDS[1])
    with pytest.raises(InputError, match="no model"):
        LatticeRescorer({}, {})
    with pytest.raises(InputError, match="no weight for NLM0"):
        LatticeRescorer({"NLM0": model}, {}, states=1)
    with pytest.raises(InputError, match="remembers all words has as many states"):
        LatticeRescorer({"NLM0": model}, {"NLM0": [1]})
    with pytest.raises(InputError, match="0 states per node"):
        LatticeRescorer({"NLM0": model}, {"NLM0": [1]}, states=0)
    model.parameters["embeddings"][:] = np.nan
    with pytest.raises(InputError, match="NLM0 gives a score that is not finite"):
        rescore(model, lattices(1), states=2)


# Models of a source: a made-up one that tells exactly what it was asked.


class Affiliated:
    """Minus one, the source word and a tenth of the word before; the source's end is word 50."""

    order = 2
    end = 100
    needs_source = True

    def lookup(self, words):
        return np.array([1 + WORDS.index(word) for word in words], np.int32)

    lookup_source = lookup
    needs_alignment = True

    def score_sentences(self, ids, offsets):
        raise AssertionError("it needs a source")

    def score_sentences_given(self, ids, offsets, source):
        raise AssertionError("only steps are asked for")

    def stepper(self):
        return self

    def start(self, n):
        return np.zeros(n)

    def take(self, states, rows):
        return states[rows]

    def join(self, parts):
        return np.concatenate(parts)

    def score(self, states, rows, words, source=None):
        assert len(source.of) == len(source.position) == len(words) == len(rows)
        lengths = np.diff(source.offsets)[source.of]
        assert (source.position <= lengths).all()
        assert ((words == self.end) == (source.position == lengths)).all()
        padded = np.append(source.ids, 0)
        at = np.minimum(source.offsets[source.of] + source.position, len(source.ids))
        seen = np.where(source.position == lengths, 50, padded[at])
        return -1.0 - seen - states[rows] / 10

    def advance(self, states, rows, words, source=None):
        assert len(source.position) == len(words)
        return words.astype(np.float64)


class Linked(Affiliated):
    """Minus the sum of the source words to which a word is linked."""

    linked_words = 2

    def score(self, states, rows, words, source=None):
        padded = np.append(source.ids, 0)
        at = source.offsets[source.of][:, None] + source.position
        seen = np.where(source.position < 0, 0, padded[np.minimum(at, len(source.ids))])
        ends = source.position[:, 0] == np.diff(source.offsets)[source.of]
        return -np.where(ends, 50, seen.sum(axis=1)).astype(np.float64)


def test_words_know_all_their_links():
    assert isinstance(Affiliated(), SourceModel)
    source, some = np.array([0, 1, 2, 3], np.int32), []
    for lattice in lattices(6):  # the first word of each phrase is linked to both ends of its span
        whole = (np.diff(lattice.spans)[:, 0] > 1) & (np.diff(lattice.word_offsets) > 0)
        points = []
        for p, more in enumerate(whole):
            own = lattice.points[slice(*lattice.point_offsets[p : p + 2])].tolist()
            last = int(np.diff(lattice.spans[p])[0]) - 1
            points.append([*own, *([[0, 0], [last, 0]] if more else [])])
        flat = np.array([point for own in points for point in own], np.int32).reshape(-1, 2)
        offsets = np.cumsum([0, *map(len, points)])
        some.append(replace(lattice, source=source, points=flat, point_offsets=offsets))
    several, weights = 0, {"NLM0": [0.7], "NLM1": [0.4]}
    models = {"NLM0": Affiliated(), "NLM1": Linked()}
    together = list(LatticeRescorer(models, weights, states=2).rescore(some))
    for before, after in zip(some, together, strict=True):
        places, linked = phrase_positions(before), phrase_positions(before, 2)
        several += int((linked[:, 1] >= 0).sum())
        for path in all_paths(after):
            score, other, last = -51.0, -50.0, 0.0
            for phrase in after.phrase[path.arcs]:
                for w in range(before.word_offsets[phrase], before.word_offsets[phrase + 1]):
                    score -= 1 + 1 + before.source[places[w]] + last / 10
                    other -= sum(1 + before.source[p] for p in linked[w] if p >= 0)
                    last = 1.0 + before.word_ids[w]
            found = path_features(after, path)[-2:]
            assert found == pytest.approx([score - last / 10, other], abs=1e-3)
    assert several


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ({**FEED_FORWARD, "source": "window", "source_window": 1}, 0),
        ({**FEED_FORWARD, "source": "lsa", "source_dim": 3}, 3),
        ({**FEED_FORWARD, "source": "concatenated", "source_window": 1, "source_dim": 4}, 4),
        ({"network": "elman", "source": "lsa", "source_dim": 3}, 3),
        ({"network": "lstm", "source": "averaged", "source_window": 1, "source_dim": 4}, 4),
        ({"network": "transformer", "heads": 2, "source": "lsa", "source_dim": 3}, 3),
    ],
)
def test_joint_models_score_as_whole_sentences(kind, numbers):
    """Where each word is linked, a path's words belong where those of the sentence do."""
    model = make(numbers, **kind)
    for lattice in lattices(6):
        links = [[0, t] for n in np.diff(lattice.word_offsets) for t in range(n)]
        given = replace(
            lattice,
            source=np.array([0, 1, 2, 3], np.int32),
            points=np.array(links, np.int32).reshape(-1, 2),
            point_offsets=lattice.word_offsets,
        )
        if not model.needs_alignment:  # nor does it ask where phrases come from
            given = replace(given, spans=np.zeros_like(given.spans))
        source = model.lookup_source([WORDS[w] for w in given.source])
        (after,) = rescore(model, [given], states=50)
        assert after.best_path().score >= max(p.score for p in all_paths(after)) - 1e-5
        for path in all_paths(after):
            links = [point.split("-") for point in path_alignment(after, path).split()]
            position = [int(s) for s, _ in sorted(links, key=lambda link: int(link[1]))]
            whole = score_given(model, after.text(path), source, [*position, len(source)])
            assert path_features(after, path)[-1] == pytest.approx(whole, abs=1e-4)


def test_references_stand_in_for_the_source():
    """A model that sees them, in company of one that sees the source."""
    kind = {"network": "elman", "source": "lsa", "source_dim": 3}
    oracle, other = make(3, **kind), make(3, **kind)
    references = [f"{WORDS[2]} {WORDS[1]}", "", WORDS[3], f"{WORDS[3]} {WORDS[3]} unknown"]
    some = [
        replace(lattice, sentence=number, source=np.array([0, 1], np.int32))
        for number, lattice in enumerate(lattices(4))
    ]
    models, weights = {"NLM0": oracle, "NLM1": other}, {"NLM0": [0.7], "NLM1": [0.1]}
    rescorer = LatticeRescorer(models, weights, states=2, references={"NLM0": references})
    for after, reference in zip(rescorer.rescore(some), references, strict=True):
        source = oracle.lookup_source([WORDS[0], WORDS[1]])
        seen = oracle.lookup_source(reference.split())
        for path in all_paths(after):
            text = after.text(path)
            zeros = [0] * (len(text.split()) + 1)
            scored = score_given(oracle, text, seen, zeros), score_given(other, text, source, zeros)
            assert path_features(after, path)[-2:] == pytest.approx(scored, abs=1e-4)
    few = {"NLM0": references[:3]}
    short = LatticeRescorer({"NLM0": oracle}, weights, states=2, references=few)
    with pytest.raises(InputError, match="3 references, but a lattice of sentence 3"):
        list(short.rescore(some))


def test_models_and_references_from_files(tmp_path):
    model = make(3, network="elman", source="lsa", source_dim=3)
    model.save(tmp_path / "model")
    references = [f"{WORDS[2]} {WORDS[1]}", WORDS[3], ""]
    path = tmp_path / "references"
    path.write_text("".join(f"{line}\n" for line in references))
    rescorer = open_rescorer(
        {"NLM0": tmp_path / "model"}, {"NLM0": [0.7]}, states=2, references={"NLM0": path}
    )
    found = [after.features for after in rescorer.rescore(lattices(3))]
    wanted = rescore(model, lattices(3), states=2, references={"NLM0": references})
    for some, after in zip(found, wanted, strict=True):
        assert np.array_equal(some, after.features)


def score_given(model, text, source, position):
    """The score of a whole translation given source words and positions in them."""
    ids = model.lookup(text.split())
    of = np.zeros(len(ids) + 1, np.int32)
    places = SourcePositions(source, np.array([0, len(source)]), of, np.array(position, np.int32))
    return model.score_sentences_given(ids, np.array([0, len(ids)]), places)[0]


def test_positions_of_a_phrases_words():
    def positions(words, span, points, linked=0):
        lattice = replace(
            random_lattice(1, nodes=2, arcs=1),
            word_offsets=np.array([0, words], np.int64),
            word_ids=np.zeros(words, np.int32),
            phrase=np.zeros(2, np.int32),
            spans=np.array([span], np.int32),
            point_offsets=np.array([0, len(points)], np.int64),
            points=np.array(points, np.int32).reshape(-1, 2),
        )
        return phrase_positions(lattice, linked).tolist()

    assert positions(3, (2, 5), [(0, 0), (2, 1), (1, 2)]) == [2, 4, 3]
    assert positions(1, (2, 6), [(0, 0), (1, 0), (2, 0)]) == [3]  # the middle one
    assert positions(1, (2, 6), [(3, 0), (0, 0)]) == [2]  # the left of two
    assert positions(5, (1, 3), [(1, 1), (0, 3)]) == [2, 2, 1, 1, 1]  # the right neighbour of two
    assert positions(4, (1, 3), []) == [1, 1, 2, 2]  # a diagonal
    assert positions(2, (2, 6), [(3, 0), (0, 0)], 2) == [[2, 5], [2, 5]]
    with pytest.raises(InputError, match="does not say where its phrases come from"):
        positions(2, (0, 0), [])


def test_a_source_is_needed():
    without = [replace(lattice, source=np.zeros(0, np.int32)) for lattice in lattices(2)]
    with pytest.raises(InputError, match="has no source words, which NLM0 needs"):
        rescore(Affiliated(), without, states=2)


def test_wider_searches_find_better_scores(kenlm):
    models, weights = {"NLM0": kenlm}, {"LM0": [0.6], "TM0": [0.3, -0.2], "NLM0": [0.7]}
    some = lattices(5, nodes=8, arcs=20)
    found = study_search(some, models, weights, lists=[1, 3, 1000], states=[1, 1000], repetitions=2)
    assert [(one.kind, one.size) for one in found] == [
        ("list", 1), ("list", 3), ("list", 1000), ("states", 1), ("states", 1000),
    ]  # fmt: skip
    assert all(len(one.texts) == 5 and len(one.seconds) == 2 for one in found)
    assert all(seconds > 0 for one in found for seconds in one.seconds)
    means = [np.mean(one.scores) for one in found]
    lists, states = means[:3], means[3:]
    assert lists[0] <= lists[1] <= lists[2]
    assert states[0] <= states[1] + 1e-6
    assert lists[2] == pytest.approx(states[1], abs=1e-5)  # both have seen all paths


def test_search_of_lists_in_batches_from_a_file(kenlm, tmp_path, monkeypatch):
    models, weights = {"NLM0": kenlm}, {"LM0": [0.6], "TM0": [0.3, -0.2], "NLM0": [0.7]}
    some = lattices(5, nodes=8, arcs=20)
    write_lattices(tmp_path / "some.lattices", some)
    together = search_lists(some, models, weights, 4)
    monkeypatch.setattr(search_study, "BATCH", 6)
    found = search_lists(LatticeFile(tmp_path / "some.lattices"), models, weights, 4)
    assert found.texts == together.texts
    assert found.scores == pytest.approx(together.scores, abs=1e-6)


def test_weights_before_tuning():
    known = {"LM0": [0.4], "NLM0": [0.2], "TM0": [9.0]}
    assert first_weights(known, ["NLM1"]) == {"NLM1": [pytest.approx(0.3)]}
    assert first_weights({"TM0": [9.0]}, ["NLM0", "NLM1"]) == {"NLM0": [1.0], "NLM1": [1.0]}
