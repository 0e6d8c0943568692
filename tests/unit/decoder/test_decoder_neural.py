"""Neural language models inside the search: scores are the library's own, whatever the caches."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decoder_models import LINES, check_scores, write_model
from decoder_neural import make_neural

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.decoder.score_files import ScoreFile
from nlmt.errors import InputError
from nlmt.neural import NeuralLM, encode
from nlmt.neural.outputs.classes import WordClasses

# "banque" is no word of the phrase table's target side, but one of the models.
WORDS = ["the", "my", "this", "a", "of", "in", "translates", "city", "letter", "table", ".", "zzz"]
LISTED = {"output": "short-list", "short_list": 6, "objective": "likelihood"}
KINDS: list[dict[str, Any]] = [
    {"order": 2},
    {"order": 5, "activation": "tanh"},
    {"order": 3, "output": "full"},
    {"order": 6, "projection": "full", "activation": "sigmoid"},
    {"order": 4, "projection": "concatenation"},
    {"order": 4, "projection": "concatenation", "hidden": [7], "output": "full"},
    {"order": 5, "hidden": [20, 6]},
    {"order": 3, "projection": "full", "hidden": [1], "activation": "tanh"},
    {"order": 4, "output": "tree-factored", "objective": "likelihood"},
    {"order": 3, "output": "tree-factored", "objective": "likelihood", "hidden": [5]},
    {"order": 4, "projection": "concatenation", "hidden": [7], **LISTED},
    {"order": 5, "hidden": [6], **LISTED},
    {"order": 3, "activation": "tanh", "backoff_order": 5, **LISTED},  # looks back less far
    {"order": 3, "backoff_order": 1, **LISTED, "short_list": 1},
    {"order": 3, "projection": "concatenation", "hidden": [7, 20, 5], "activation": "sigmoid"},
    {"order": 3, "output": "full", "more_words": 1100},  # normalised in several parts
]
NEAR = {"abs": 1e-4, "rel": 6e-6}
CUBE = SearchOptions(cube_pruning=True, pop_limit=60, stack=60, distortion_limit=6)


def score(model: NeuralLM, texts: list[str], scores: str) -> np.ndarray:
    model.normalised = scores == "normalised"
    corpus = encode(texts, model.vocabulary)
    return model.score_sentences(corpus.ids, corpus.offsets)


@pytest.mark.parametrize(
    ("scores", "cube_pruning"),
    [("normalised", False), ("normalised", True), ("unnormalised", False)],
)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_hypothesis_has_the_librarys_score(
    kind: dict[str, Any], scores: str, cube_pruning: bool, tmp_path: Path, golden: Path
) -> None:
    model = make_neural(tmp_path / "lm", WORDS, **kind)
    features = [f"NeuralLM name=NLM0 path=lm scores={scores}"]
    ini = write_model(tmp_path, golden, features, ["NLM0= 0.5"])
    search = SearchOptions(cube_pruning, stack=60, pop_limit=60, distortion_limit=6)
    check_scores(ini, search, "NLM0", lambda texts: score(model, texts, scores), **NEAR)


@pytest.mark.parametrize("hidden", [[], [7]], ids=["full", "concatenation"])
def test_products_are_kept_or_computed(hidden: list[int], tmp_path: Path, golden: Path) -> None:
    projection = "concatenation" if hidden else "full"
    make_neural(tmp_path / "lm", WORDS, order=4, projection=projection, hidden=hidden)
    lists = []
    for products in ("kept", "computed"):
        features = [f"NeuralLM name=NLM0 path=lm products={products}"]
        ini = write_model(tmp_path, golden, features, ["NLM0= 0.5"])
        lists.append(_translate(ini, tmp_path / products))
    assert lists[0] == lists[1]


def in_eight_bits(rows: np.ndarray) -> np.ndarray:
    """Rows with 255 different numbers at most, in equal steps up to each row's largest one."""
    steps = np.abs(rows).max(axis=1, keepdims=True) / 127
    return np.rint(rows / steps) * steps


@pytest.mark.parametrize("scores", ["normalised", "unnormalised"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_in_eight_bits_it_is_the_model_with_rounded_vectors(
    kind: dict[str, Any], scores: str, tmp_path: Path, golden: Path
) -> None:
    model = make_neural(tmp_path / "lm", WORDS, **kind)
    features = [f"NeuralLM name=NLM0 path=lm scores={scores} quantise=8"]
    ini = write_model(tmp_path, golden, features, ["NLM0= 0.5"])
    parameters = model.parameters
    parameters["embeddings"] = in_eight_bits(parameters["embeddings"])
    for name in {"output_weight", "node_weight"} & set(parameters):
        parameters[name] = in_eight_bits(parameters[name])
    if "word_weight" in parameters and scores == "normalised":
        parameters["word_weight"] = in_eight_bits(parameters["word_weight"])
    elif "word_weight" in parameters:  # a unit is a word's vector and that of its class
        assert isinstance(model.layout, WordClasses)
        of, classes = model.layout.of, parameters["class_weight"]
        lone = np.bincount(of) == 1  # whose word has no vector of its own
        classes[lone] = in_eight_bits(classes[lone])
        units = in_eight_bits(parameters["word_weight"] * ~lone[of, None] + classes[of])
        parameters["word_weight"] = units - classes[of]
    rounded = NeuralLM(model.config, model.vocabulary, model.layout, parameters)
    check_scores(ini, CUBE, "NLM0", lambda texts: score(rounded, texts, scores), **NEAR)


def write_pair(folder: Path, golden: Path) -> Path:
    """A KenLM beside a normalised and an unnormalised neural model."""
    make_neural(folder / "a", WORDS)
    make_neural(folder / "b", WORDS[3:], order=3, hidden=[6], output="full")
    features = [
        f"KENLM name=LM0 path={golden}/model/lm.arpa.gz",
        "NeuralLM name=NLM0 path=a",
        "NeuralLM name=NLM1 path=b scores=unnormalised",
    ]
    return write_model(folder, golden, features, ["LM0= 0.3", "NLM0= 0.2", "NLM1= 0.1"])


@pytest.mark.threads
def test_threads_and_what_the_caches_hold_do_not_change_a_byte(
    tmp_path: Path, golden: Path, golden_source: list[str]
) -> None:
    ini = write_pair(tmp_path, golden)
    lists = []
    for threads in (1, 2):
        decoder = Decoder(ini, search=CUBE, threads=threads)
        for number in range(2):  # the second time most scores are known
            request = NbestRequest(tmp_path / f"{threads}.{number}", 30)
            decoder.decode(golden_source, nbest=request)
            lists.append(request.path.read_bytes())
    assert len(set(lists)) == 1


def test_new_weights_are_as_a_new_decoder(
    tmp_path: Path, golden: Path, golden_source: list[str]
) -> None:
    ini = write_pair(tmp_path, golden)
    lists = []
    used = Decoder(ini, search=CUBE)
    used.decode(golden_source)
    for decoder in (used, Decoder(ini, search=CUBE)):
        decoder.set_weights({"NLM0": [0.7], "NLM1": [0.0]})
        request = NbestRequest(tmp_path / "list", 30)
        decoder.decode(golden_source, nbest=request)
        lists.append(request.path.read_bytes())
    assert lists[0] == lists[1]


def test_faults_are_named(tmp_path: Path, golden: Path) -> None:
    model = make_neural(tmp_path / "lm", WORDS)
    for line, message in [
        ("NeuralLM name=NLM0 path=nowhere", "NLM0: no such folder nowhere"),
        ("NeuralLM name=NLM0 path=lm scores=best", "NLM0: scores=best"),
        ("NeuralLM name=NLM0 path=lm quantise=4", "NLM0: quantise=4"),
        ("NeuralLM name=NLM0 path=lm order=3", "NLM0: unknown setting order=3"),
    ]:
        with pytest.raises(InputError, match=message):
            Decoder(write_model(tmp_path, golden, [line], ["NLM0= 1"]))
    model.parameters["embeddings"][3, 2] = np.nan
    model.save(tmp_path / "lm")
    with pytest.raises(InputError, match="embeddings holds numbers that are not finite"):
        Decoder(write_model(tmp_path, golden, ["NeuralLM name=NLM0 path=lm"], ["NLM0= 1"]))


def _translate(ini: Path, path: Path) -> bytes:
    Decoder(ini, search=CUBE).decode(LINES, nbest=NbestRequest(path, 20))
    return path.read_bytes()


def _with_cache(folder: Path, golden: Path, cache: str = "scores") -> tuple[Path, Path]:
    """A moses.ini with a model that keeps its scores in a file, and that file."""
    make_neural(folder / "lm", WORDS)
    feature = f"NeuralLM name=NLM0 path=lm cache={folder}/{cache}"
    return write_model(folder, golden, [feature], ["NLM0= 0.5"]), folder / cache


def test_scores_are_kept_from_run_to_run(tmp_path: Path, golden: Path) -> None:
    make_neural(tmp_path / "lm", WORDS)
    plain = write_model(tmp_path, golden, ["NeuralLM name=NLM0 path=lm"], ["NLM0= 0.5"])
    without = _translate(plain, tmp_path / "without")
    ini, cache = _with_cache(tmp_path, golden)
    assert _translate(ini, tmp_path / "first") == without
    kept = cache.read_bytes()
    assert len(kept) > 2000  # scores and normalisers, 16 bytes each
    taken = Decoder(ini, search=CUBE)
    taken.decode([])
    assert cache.read_bytes() == kept
    # All scores are there: the second run adds none.
    assert _translate(ini, tmp_path / "second") == without
    assert cache.read_bytes() == kept


@pytest.mark.parametrize("fault", ["damaged", "truncated", "of another model"])
def test_kept_scores_that_do_not_fit_are_made_anew(
    fault: str, tmp_path: Path, golden: Path
) -> None:
    ini, cache = _with_cache(tmp_path, golden)
    right = _translate(ini, tmp_path / "right")
    kept = cache.read_bytes()
    if fault == "damaged":
        cache.write_bytes(kept[:500] + bytes([kept[500] ^ 1]) + kept[501:])
    elif fault == "truncated":
        cache.write_bytes(kept[:40])
    else:
        make_neural(tmp_path / "lm", [*WORDS[1:], WORDS[0]])
        cache.unlink()
        right = _translate(ini, tmp_path / "right")
        cache.write_bytes(kept)
    assert _translate(ini, tmp_path / "again") == right
    assert (cache.read_bytes() == kept) == (fault != "of another model")


def test_kept_scores_that_are_no_numbers_with_a_right_checksum(
    tmp_path: Path, golden: Path
) -> None:
    ini, cache = _with_cache(tmp_path, golden)
    _translate(ini, tmp_path / "right")
    content = cache.read_bytes()  # 14 bytes of its kind, fingerprint, checksum, then the scores
    fingerprint, size = content[14:46], content[78:86]
    slots = np.frombuffer(content[86:], np.uint64).reshape(-1, 2).copy()
    broken = slots[:, 1] & np.uint64(0xFFFFFFFF00000000) | np.uint64(0x7FC00000)
    slots[:, 0] ^= slots[:, 1] ^ broken
    slots[:, 1] = broken
    ScoreFile(cache, fingerprint).write(size + slots.tobytes())
    assert b"= nan" not in _translate(ini, tmp_path / "again")


def test_what_holds_no_scores_is_not_overwritten(tmp_path: Path, golden: Path) -> None:
    ini, other = _with_cache(tmp_path, golden, "lm/config.json")
    content = other.read_bytes()
    with pytest.raises(InputError, match="not a file of kept scores"):
        Decoder(ini, search=CUBE)
    assert other.read_bytes() == content
