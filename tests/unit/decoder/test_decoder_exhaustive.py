"""The whole search space of short sentences, held against a decoder that only enumerates."""

import random
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from decoder_neural import make_neural
from decoder_oracle import Derivation, Oracle
from decoder_worlds import (
    BIGRAMS,
    SOURCE,
    TARGET,
    UNKNOWN,
    LanguageModel,
    Table,
    World,
    neural_model,
    ngram_model,
    random_world,
    write_world,
)
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from test_decoder_golden import read_list

from nlmt.decoder import Decoder, NbestRequest, SearchOptions

QUICK = settings(
    max_examples=30,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],  # shrinking takes minutes: seed and folder tell enough
)
MOST = 1500  # derivations of a sentence
LIMITS = (-1, 0, 1, 2, 3, 4, 5, 6)


def wide(rng: random.Random, **options: int | bool) -> SearchOptions:
    """A search that loses nothing, by either algorithm."""
    everything = {"stack": 10**9, "pop_limit": 10**9, "beam_threshold": 0.0}
    options = {
        "max_options_per_span": 10**6,
        "distortion_limit": rng.choice(LIMITS),
        "recombination_context": rng.choice((0, 1, 2, 100)),
    } | options
    return SearchOptions(cube_pruning=rng.random() < 0.5, **everything, **options)  # type: ignore[arg-type]


def random_oracle(rng: random.Random, world: World, search: SearchOptions) -> Oracle:
    """A sentence of at most five words with few enough derivations; skips what is ambiguous."""
    tokens = rng.choices([*SOURCE, *SOURCE, *UNKNOWN], k=rng.randint(1, 5))
    while True:
        oracle = Oracle(
            world,
            tuple(tokens),
            limit=search.distortion_limit,
            drop=search.drop_unknown,
            most=search.max_options_per_span,
        )
        assume(not oracle.near_tie)
        if sum(1 for _ in zip(oracle.orders(), range(MOST + 1), strict=False)) <= MOST:
            return oracle
        tokens.pop()


def read_derivations(decoder: Decoder, path: Path) -> list[Derivation]:
    """The lines of a list of one sentence."""
    (lines,) = read_list(path)
    found = []
    for line in lines:
        segmentation, alignment = line.rest.split("|||")
        values = {label.removesuffix("="): own for label, own in line.features.items()}
        assert list(values) == [label for label, _ in decoder.feature_names]
        parts = line.words.strip(), segmentation.strip(), alignment.strip()
        found.append(Derivation(*parts, values, line.total))
    return found


def identity(derivation: Derivation) -> tuple[str, str, str]:
    return derivation.words, derivation.segmentation, derivation.alignment


def numbers(derivation: Derivation, labels: list[str]) -> list[float]:
    return [v for label in labels for v in derivation.values[label]] + [derivation.total]


def same(found: list[float], expected: list[float]) -> bool:
    return found == pytest.approx(expected, abs=3e-3, rel=2e-5)


def assert_sorted(found: list[Derivation]) -> None:
    totals = [derivation.total for derivation in found]
    assert totals == sorted(totals, reverse=True)


def assert_best_of_each(
    found: list[Derivation], expected: list[Derivation], decoder: Decoder
) -> None:
    """One line for each translation, the best one."""
    labels = [label for label, _ in decoder.feature_names]
    lines = defaultdict(list)
    for derivation in expected:
        lines[derivation.words].append(derivation)
    assert len(found) == len(lines)
    for derivation in found:
        candidates = lines.pop(derivation.words)
        assert derivation.total == pytest.approx(candidates[0].total, abs=3e-3, rel=2e-5)
        assert any(
            identity(derivation) == identity(other)
            and same(numbers(derivation, labels), numbers(other, labels))
            for other in candidates
        )


def assert_alike(found: list[Derivation], expected: list[Derivation], decoder: Decoder) -> None:
    """As many lines of each kind, with equal features (two tables may give the same line)."""
    labels = [label for label, _ in decoder.feature_names]
    lines = defaultdict(list)
    for derivation in expected:
        lines[identity(derivation)].append(numbers(derivation, labels))
    assert len(found) == len(expected)
    for derivation in found:
        candidates = lines[identity(derivation)]
        mine = numbers(derivation, labels)
        match = [i for i, theirs in enumerate(candidates) if same(mine, theirs)]
        assert match, f"{derivation}\n{candidates}"
        del candidates[match[0]]


@pytest.fixture(scope="module")
def ngrams(golden: Path, tmp_path_factory: pytest.TempPathFactory) -> list[LanguageModel]:
    bigrams = tmp_path_factory.mktemp("lm") / "bigrams.arpa"
    bigrams.write_text(BIGRAMS)
    return [ngram_model(golden / "model" / "lm.arpa.gz"), ngram_model(bigrams)]


@pytest.fixture(scope="module")
def neurals(tmp_path_factory: pytest.TempPathFactory) -> list[LanguageModel]:
    folder = tmp_path_factory.mktemp("neural")
    kinds: list[tuple[dict[str, Any], str]] = [
        ({"order": 3}, "normalised"),
        ({"order": 4, "output": "full"}, "unnormalised"),
        ({"order": 2, "hidden": [5]}, "normalised"),
    ]
    models = []
    for number, (parts, scores) in enumerate(kinds):
        place = folder / str(number)
        # Some words of the tables it does not know.
        model = make_neural(place, [*TARGET[:-2], "ici"], **parts)
        models.append(neural_model(place, model, scores))
    return models


def check_lists(rng: random.Random, world: World, search: SearchOptions, most: int = 10**9) -> None:
    """The n-best list of a sentence holds what there is, each line with the right features."""
    with tempfile.TemporaryDirectory() as folder:
        decoder = Decoder(write_world(world, Path(folder), rng), search=search)
        oracle = random_oracle(rng, world, search)
        expected = sorted(oracle.derivations(), key=lambda d: -d.total)
        path = Path(folder) / "list"
        request = NbestRequest(path, most, segmentation=True, alignment=True)
        (best,) = decoder.decode([" ".join(oracle.tokens)], nbest=request)
        found = read_derivations(decoder, path)
        assert_sorted(found)
        assert_alike(found, expected, decoder)
        assert best.score == pytest.approx(expected[0].total, abs=3e-3, rel=1e-5)
        distinct = NbestRequest(path, most, distinct=True, segmentation=True, alignment=True)
        decoder.decode([" ".join(oracle.tokens)], nbest=distinct)
        found = read_derivations(decoder, path)
        assert_sorted(found)
        assert_best_of_each(found, expected, decoder)


@given(rng=st.randoms(use_true_random=False))
@QUICK
def test_finds_every_derivation(rng: random.Random, ngrams: list[LanguageModel]) -> None:
    check_lists(rng, random_world(rng, ngrams), wide(rng, drop_unknown=rng.random() < 0.3))


@given(rng=st.randoms(use_true_random=False))
@QUICK
def test_limits_on_options(rng: random.Random, ngrams: list[LanguageModel]) -> None:
    search = wide(rng, max_options_per_span=rng.randint(1, 3))
    check_lists(rng, random_world(rng, ngrams, table_limit=True), search)


@given(rng=st.randoms(use_true_random=False))
@QUICK
def test_neural_models(
    rng: random.Random, ngrams: list[LanguageModel], neurals: list[LanguageModel]
) -> None:
    check_lists(rng, random_world(rng, [*neurals, ngrams[0]]), wide(rng))


@pytest.mark.parametrize(("context", "hypotheses"), [(0, 4), (1, 6), (2, 8), (100, 8)])
def test_contexts_keep_hypotheses_apart(tmp_path: Path, context: int, hypotheses: int) -> None:
    """Three words with two translations each: 1, 2 or 2^i hypotheses of i words, one at the end."""
    words, others = ("le", "chien", "noir"), ("the", "dog", "black")
    pairs = {
        ((word,), (target,)): ([0.5], [(0, 0)])
        for word, other in zip(words, others, strict=True)
        for target in (word, other)
    }
    weights = {"UnknownWordPenalty0": [1.0], "TM0": [1.0]}
    world = World([Table("TM0", 0, pairs)], [], {}, ["UnknownWordPenalty"], weights)
    ini = write_world(world, tmp_path, random.Random(1))  # noqa: S311
    for cube_pruning in (False, True):
        search = SearchOptions(cube_pruning, distortion_limit=0, recombination_context=context)
        (best,) = Decoder(ini, search=search).decode([" ".join(words)])
        assert best.hypotheses == hypotheses
