"""`nlmt rescore --lattice` on small files."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest
from lattices import random_lattice

from nlmt.cli import main
from nlmt.io.lattice_file import LatticeFile, write_lattices
from nlmt.io.nbest import read_nbest
from nlmt.ngram import train_binary


@pytest.fixture
def files(tmp_path):
    """Lattices, a model of order 3, and what the command needs to know of them."""
    lattices = [random_lattice(seed, sentence=seed) for seed in range(4)]
    write_lattices(tmp_path / "lattices", lattices)
    (tmp_path / "text").write_text("a b c d a b\nb a a\nc a b d\nd d a\na c c b a d b\nb\n")
    train_binary(tmp_path / "text", tmp_path / "lm.binary", order=3)
    given = ["rescore", "--lattice", str(tmp_path / "lattices"), "--out", str(tmp_path / "new")]
    return tmp_path, [*given, "--model", str(tmp_path / "lm.binary")]


def test_lattices_lists_and_best_translations(files, capsys):
    folder, command = files
    weights = {"weights": {"NLM0": [0.5], "LM0": [0.25], "Other0": [1.0]}}
    (folder / "weights.json").write_text(json.dumps(weights))
    command += ["--weights", str(folder / "weights.json"), "--nbest", "5", str(folder / "list.gz")]
    assert main([*command, "--distinct", "--one-best", str(folder / "hyp")]) == 0
    assert "4 lattices" in capsys.readouterr().out
    new = LatticeFile(folder / "new")
    assert new.weights == {"LM0": [0.25], "TM0": [0.3, -0.2], "NLM0": [0.5]}
    best = (folder / "hyp").read_text().splitlines()
    assert best == [one.text(one.best_path()) for one in new]
    nbest = read_nbest(folder / "list.gz")
    assert nbest.feature_names == [("LM0", 1), ("TM0", 2), ("NLM0", 1)]
    starts = [nbest.sentence.tolist().index(sentence) for sentence in range(4)]
    assert [nbest.text(row) for row in starts] == best
    for sentence, lattice in enumerate(new):
        totals = nbest.totals[nbest.sentence == sentence].tolist()
        paths = lattice.nbest(5, distinct=True)
        assert totals == pytest.approx([path.score for path in paths], rel=1e-5)
    with gzip.open(folder / "list.gz") as stream:
        assert stream.readline().startswith(b"0 ||| ")


def test_source_texts_are_taken(files, capsys):
    folder, command = files
    without = []
    for one, length in zip(LatticeFile(folder / "lattices"), (4, 4, 5, 4), strict=True):
        spans = one.spans.copy()
        spans[spans[:, 1].argmax(), 1] = length  # as of a search, which translates all words
        without.append(replace(one, source=np.zeros(0, np.int32), spans=spans))
    write_lattices(folder / "lattices", without)
    (folder / "source").write_text(
        "x y a b\nx z a b\na a a a a\nz\u00a0z\tz b b\n", encoding="utf-8"
    )
    command += ["--model-weight", "0.5", "--states", "2", "--source", str(folder / "source")]
    assert main(command) == 0
    sources = [[one.words[w] for w in one.source] for one in LatticeFile(folder / "new")]
    assert sources[:3] == [["x", "y", "a", "b"], ["x", "z", "a", "b"], ["a"] * 5]
    assert sources[3] == ["z\u00a0z", "z", "b", "b"]
    for text, message in (
        ("x y a b\n", "no sentence 1: it has 1 lines"),
        ("x\n" * 4, "1 words, but"),
        ("x y a b c\n" * 4, "5 words, but"),
    ):
        (folder / "source").write_text(text)
        assert main(command) == 1
        assert message in capsys.readouterr().err


def test_what_is_refused(files, capsys):
    _, command = files
    assert main(command) == 1
    assert "no weight for NLM0" in capsys.readouterr().err
    for more, message in (
        (["--model-weight", "1", "2"], "unrecognized"),
        (["--model-weight", "1", "--model-weight", "2"], "each --model needs a --model-weight"),
        (["--model", "x", "--label", "A0"], "needs its own --label"),
    ):
        with pytest.raises(SystemExit):
            main([*command, *more])
        assert message in capsys.readouterr().err
