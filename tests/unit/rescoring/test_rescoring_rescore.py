"""Rescoring against a model that can be worked out by hand, and against Moses' own scores."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from nbest_lists import blocks_of
from numpy.typing import NDArray

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.io.nbest import read_nbest
from nlmt.kinds import load_language_model
from nlmt.ngram import NgramModel
from nlmt.rescoring import TupleModel, rescore

GOLDEN = Path(__file__).parents[2] / "golden"
LM = GOLDEN / "model" / "lm.arpa.gz"
LIST = (
    "0 ||| a b  ||| LM0= -1 ||| -1\n"
    "0 ||| a x  ||| LM0= -2 ||| -2\n"
    "0 ||| a y  ||| LM0= -3 ||| -3\n"
    "1 ||| a b  ||| LM0= -4 ||| -4\n"
    "1 |||  ||| LM0= -5 ||| -5\n"
)


class Letters:
    """Knows `a` and `b`; a sentence scores -10 a word, -1 for each `a`, and -0.5 for `</s>`."""

    order = 2

    def __init__(self) -> None:
        self.seen: list[list[list[int]]] = []

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.array([{"a": 1, "b": 2}.get(word, 0) for word in words], np.int32)

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        rows = [ids[i:j].tolist() for i, j in pairwise(offsets)]
        self.seen.append(rows)
        return np.array([-10.0 * len(row) - row.count(1) - 0.5 for row in rows])


@pytest.fixture
def nbest(tmp_path: Path) -> Path:
    path = tmp_path / "list"
    path.write_text(LIST)
    return path


def test_scores_stand_where_they_belong_and_equal_sentences_are_asked_once(nbest: Path) -> None:
    model, out = Letters(), nbest.with_name("out.gz")
    counts = rescore(nbest, {"NLM0": model}, out)["NLM0"]
    assert model.seen == [[[1, 2], [1, 0], []]]
    rescored = read_nbest(out)
    assert rescored.feature_names == [("LM0", 1), ("NLM0", 1)]
    assert rescored.features[:, 1].tolist() == [-21.5, -21.5, -21.5, -21.5, -0.5]
    assert rescored.totals.tolist() == [-1, -2, -3, -4, -5]
    # Contexts <s> and a, b, <unk>; bigrams <s>a, ab, a<unk>, b</s>, <unk></s>, <s></s>.
    assert (counts.hypotheses, counts.sentences, counts.requests) == (5, 3, 13)
    assert (counts.ngrams, counts.contexts) == (6, 4)


def test_blocks_change_nothing_but_what_is_distinct(nbest: Path, tmp_path: Path) -> None:
    models = {"NLM0": Letters()}
    rescore(nbest, models, tmp_path / "whole")
    with blocks_of(1):
        counts = rescore(nbest, models, tmp_path / "blocks")["NLM0"]
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "blocks").read_bytes()
    assert (counts.hypotheses, counts.sentences, counts.requests) == (5, 5, 13)


def test_several_models_weights_and_order(nbest: Path, tmp_path: Path) -> None:
    weights = {"LM0": [1.0], "A": [0.0], "B": [1.0]}
    out = tmp_path / "out"
    rescore(nbest, {"A": Letters(), "B": Letters()}, out, weights=weights, sort=True)
    assert read_nbest(out).totals.tolist() == [-22.5, -23.5, -24.5, -5.5, -25.5]
    assert read_nbest(out).feature_names == [("LM0", 1), ("A", 1), ("B", 1)]


@pytest.mark.parametrize("block_bytes", [1, 60, 1 << 20])
def test_the_first_of_each_sentence(nbest: Path, tmp_path: Path, block_bytes: int) -> None:
    whole = tmp_path / "whole"
    rescore(nbest, {"NLM0": Letters()}, whole)
    lines = whole.read_text().splitlines(keepends=True)
    for first, kept in ((1, [0, 3]), (2, [0, 1, 3, 4]), (3, [0, 1, 2, 3, 4]), (9, range(5))):
        out = tmp_path / "out"
        with blocks_of(block_bytes):
            counts = rescore(nbest, {"NLM0": Letters()}, out, first=first)["NLM0"]
        assert out.read_text() == "".join(lines[i] for i in kept)
        assert counts.hypotheses == len(kept)


def test_the_first_are_sorted_afterwards(nbest: Path, tmp_path: Path) -> None:
    weights = {"LM0": [-1.0], "A": [0.0]}
    rescore(nbest, {"A": Letters()}, tmp_path / "out", first=2, weights=weights, sort=True)
    assert read_nbest(tmp_path / "out").totals.tolist() == [2, 1, 5, 4]


def test_an_unbounded_model_has_no_ngrams(nbest: Path, tmp_path: Path) -> None:
    model = Letters()
    model.order = None  # type: ignore[assignment]
    counts = rescore(nbest, {"NLM0": model}, tmp_path / "out")["NLM0"]
    assert counts.ngrams is None
    assert "13 requests, 0." in str(counts)


def test_a_model_that_counts_by_itself_is_believed(nbest: Path, tmp_path: Path) -> None:
    class Counting(Letters):
        distinct_ngrams, distinct_contexts = 77, 7

        def score_sentences_with_statistics(
            self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: None
        ) -> tuple[NDArray[np.float64], "Counting"]:
            return self.score_sentences(ids, offsets), self

    counts = rescore(nbest, {"NLM0": Counting()}, tmp_path / "out")["NLM0"]
    assert (counts.ngrams, counts.contexts) == (77, 7)


def test_a_diverged_model_is_named(nbest: Path, tmp_path: Path) -> None:
    class Diverged(Letters):
        def score_sentences(
            self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
        ) -> NDArray[np.float64]:
            return np.full(len(offsets) - 1, np.nan)

    with pytest.raises(InputError, match="list: NLM0 gives no finite score to 'a b'"):
        rescore(nbest, {"NLM0": Diverged()}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_empty_list(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("")
    counts = rescore(tmp_path / "list", {"NLM0": Letters()}, tmp_path / "out")["NLM0"]
    assert counts.hypotheses == 0
    assert (tmp_path / "out").read_bytes() == b""


@pytest.mark.parametrize("name", ["stack100", "stack100.nondistinct", "monotone"])
def test_the_golden_model_reproduces_the_scores_of_moses(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out.gz"
    model = load_language_model(LM)
    assert isinstance(model, NgramModel)
    rescore(GOLDEN / "output" / f"{name}.nbest.gz", {"NLM0": model}, out)
    rescored = read_nbest(out)
    at = sum(width for _, width in rescored.feature_names[:2])
    assert rescored.feature_names[2] == ("LM0", 1)
    np.testing.assert_allclose(rescored.features[:, -1], rescored.features[:, at], atol=1e-3)


def test_a_neural_model_is_its_folder_or_its_weights(tmp_path: Path) -> None:
    (tmp_path / "lm.yaml").write_text("{output: full, dim: 8, order: 3, epochs: 1, min_count: 1}")
    text, folder = GOLDEN / "train.en", tmp_path / "model"
    arguments = ["lm", "train", "--config", str(tmp_path / "lm.yaml"), "--out", str(folder)]
    arguments += ["--train", str(text), "--dev", str(GOLDEN / "dev.en"), "--threads", "1"]
    assert main(arguments) == 0
    nbest = GOLDEN / "output" / "cube.nbest.gz"
    for name, path in (("a", folder), ("b", folder / "model.safetensors")):
        counts = rescore(nbest, {"NLM0": load_language_model(path)}, tmp_path / name)["NLM0"]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    # Known words all: n-grams are those that any model of order 3 is asked for.
    assert (counts.ngrams, counts.contexts) == (3006, 1043)
    rescored = read_nbest(tmp_path / "a")
    model = load_language_model(folder)
    ids = model.lookup(rescored.text(0).split())
    alone = model.score_sentences(ids, np.array([0, len(ids)]))
    assert rescored.features[0, -1] == pytest.approx(alone[0], rel=1e-5)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nbest = GOLDEN / "output" / "cube.nbest.gz"
    weights = {name: [0.2] * width for name, width in read_nbest(nbest).feature_names}
    weights |= {"LM0": [0.0], "K": [0.5]}
    (tmp_path / "weights.json").write_text(json.dumps({"weights": weights}))
    arguments = ["rescore", "--model", str(LM), "--label", "K", "--nbest", str(nbest)]
    arguments += ["--out", str(tmp_path / "out.gz"), "--weights", str(tmp_path / "weights.json")]
    arguments += ["--sort", "--one-best", str(tmp_path / "hyp"), "--sentences", "30"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("K: 1,993 hypotheses, ")
    rescored = read_nbest(tmp_path / "out.gz")
    firsts = [rescored.text(i) for i in rescored.sentence_starts()[:-1]]
    hypotheses = (tmp_path / "hyp").read_text().splitlines()
    assert len(hypotheses) == 30
    assert hypotheses == firsts


TWO = ["--model", "m", "--model", "n", "--out", "x"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--model", "m"], "--model and --out go together"),
        ([], "nothing to do"),
        (["--one-best", "x"], "--one-best needs --weights"),
        (["--model", "m", "--out", "x", "--sort"], "--sort needs --weights"),
        (["--model", "m", "--out", "x", "--label", "A", "--label", "B"], "needs its own --label"),
        ([*TWO, "--label", "A"], "needs its own --label"),
        (["--model", "m", "--out", "x", "--interpolate", "1"], "interpolation needs two models"),
        ([*TWO, "--interpolate", "1"], "--interpolate needs a weight for each model"),
        ([*TWO, "--interpolate-on", "t", "--label", "A", "--label", "B"], "share one --label"),
        ([*TWO, "--interpolate", "1", "--interpolate-on", "t"], "not allowed with"),
    ],
)
def test_options_that_do_not_fit(
    more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["rescore", "--nbest", "list", *more])
    assert message in capsys.readouterr().err


class Tuples(Letters):
    """Knows the tuples `x=a` and `y=b` as `Letters` the words."""

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.array([{"x=a": 1, "y=b": 2}.get(word, 0) for word in words], np.int32)


@pytest.fixture
def with_source(tmp_path: Path) -> tuple[Path, Path]:
    path, source = tmp_path / "aligned", tmp_path / "source"
    links = ["0-0 1-1", "0-0 1-1", "0-0", "0-1 1-0", ""]
    lines = [f"{line} ||| {link}" for line, link in zip(LIST.splitlines(), links, strict=True)]
    path.write_text("".join(f"{line}\n" for line in lines))
    source.write_text("x y\ny x\n")
    return path, source


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_a_model_of_tuples(with_source: tuple[Path, Path], block_bytes: int) -> None:
    nbest, source = with_source
    words, tuples, out = Letters(), Tuples(), nbest.with_name("out")
    models = {"NLM0": words, "TM0": TupleModel(tuples)}
    with blocks_of(block_bytes):
        counts = rescore(nbest, models, out, source=source)
    rescored = read_nbest(out)
    # x=a y=b, x=a y=x, x=a_y y=, x=a y=b, y= x=
    assert rescored.features[:, 2].tolist() == [-21.5, -21.5, -20.5, -21.5, -20.5]
    assert rescored.features[:, 1].tolist() == [-21.5, -21.5, -21.5, -21.5, -0.5]
    assert counts["TM0"].requests == 15
    if block_bytes > 1:
        assert tuples.seen == [[[1, 2], [1, 0], [0, 0]]]


def test_a_model_of_tuples_needs_source_and_alignments(with_source: tuple[Path, Path]) -> None:
    nbest, source = with_source
    models = {"TM0": TupleModel(Tuples())}
    with pytest.raises(InputError, match="needs the source text"):
        rescore(nbest, models, nbest.with_name("out"))
    source.write_text("x y\n")
    with pytest.raises(InputError, match=r"aligned:4: sentence 1, but the source text has only 1"):
        rescore(nbest, models, nbest.with_name("out"), source=source)
    source.write_text("x y\nx y\n")
    nbest.write_text(LIST)
    with pytest.raises(InputError, match=r"aligned:1: a hypothesis without its word alignment"):
        rescore(nbest, models, nbest.with_name("out"), source=source)
    assert not nbest.with_name("out").exists()


def test_the_command_with_a_model_of_tuples(
    with_source: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    nbest, source = with_source
    arpa, out = nbest.with_name("tm.arpa"), nbest.with_name("out")
    arpa.write_text(
        "\\data\\\nngram 1=5\nngram 2=1\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t0\n-1\t</s>\n"
        "-0.5\tx=a\t0\n-0.25\ty=b\t0\n\n\\2-grams:\n-0.25\tx=a y=b\n\n\\end\\\n"
    )
    files = ["--nbest", str(nbest), "--source", str(source), "--out", str(out)]
    assert main(["rescore", "--tuple-model", str(arpa), *files]) == 0
    scores = read_nbest(out).features[:, 1] / np.log(10)
    assert scores == pytest.approx([-1.75, -2.5, -3, -1.75, -3], abs=1e-5)
    assert capsys.readouterr().out.startswith("TM0: 5 hypotheses, 3 distinct, 10 words, 5 of")
    both = ["--model", str(LM), "--label", "LM1", "--label", "BTM"]
    assert main(["rescore", *both, "--tuple-model", str(arpa), *files]) == 0
    assert read_nbest(out).feature_names == [("LM0", 1), ("LM1", 1), ("BTM", 1)]
    with pytest.raises(SystemExit):
        main(["rescore", "--tuple-model", str(arpa), "--nbest", str(nbest), "--out", str(out)])
    assert "--tuple-model needs --source" in capsys.readouterr().err
