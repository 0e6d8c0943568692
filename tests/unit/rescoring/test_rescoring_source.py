"""n-best lists and models that are conditioned on the source."""

import numpy as np
import pytest
from nbest_lists import blocks_of

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.io.nbest import read_nbest
from nlmt.lm.protocol import SourcePositions
from nlmt.neural import NeuralConfig, NeuralLM
from nlmt.neural.outputs.full import Flat
from nlmt.neural.parameters import shapes
from nlmt.neural.source.vectors import TABLE
from nlmt.rescoring import rescore
from nlmt.vocabulary import Vocabulary

# Equal words with other alignments or other sources; then the same hypothesis once more.
HYPOTHESES = [
    (0, "red green", "0-0 1-1", [0, 1, 2]),
    (0, "red green", "1-0 0-1", [1, 0, 2]),
    (0, "red green", "0-0 1-1", [0, 1, 2]),
    (1, "red green", "0-0 0-1", [0, 0, 1]),
    (1, "", "", [1]),
    (2, "blue red red", "2-1", [2, 2, 2, 3]),
]
SOURCE = ["rouge vert", "rouge", "bleu bleu vert"]
LINKS = [f" ||| {links}" for _, _, links, _ in HYPOTHESES]


def make(**source):
    target = Vocabulary(("<unk>", "<s>", "</s>", "red", "green", "blue"))
    words = Vocabulary(("<unk>", "<s>", "</s>", "rouge", "vert"))
    config = NeuralConfig.from_dict({"order": 3, "dim": 6, "output": "full", **source})
    random = np.random.default_rng(1)
    parameters = {
        name: random.normal(size=shape).astype(np.float32)
        for name, shape in shapes(config, Flat(6), 5).items()
    }
    table = random.normal(size=(5, 4)).astype(np.float32)
    arrays = {TABLE: table} if config.source_vector_dim else {}
    return NeuralLM(
        config, target, Flat(6), parameters, source_vocabulary=words, source_arrays=arrays
    )


@pytest.fixture(
    scope="module",
    params=[
        {"source": "window", "source_window": 1},
        {"source": "averaged", "source_window": 1, "source_dim": 4},
    ],
    ids=lambda source: source["source"],
)
def model(request):
    return make(**request.param)


def write(folder, columns, hypotheses=HYPOTHESES):
    lines = [
        f"{number} ||| {words}  ||| LM0= -1 ||| -1{column}"
        for (number, words, *_), column in zip(hypotheses, columns, strict=True)
    ]
    (folder / "list").write_text("".join(f"{line}\n" for line in lines))
    (folder / "source").write_text("".join(f"{line}\n" for line in SOURCE))
    return folder / "list", folder / "source"


def expected(model, hypotheses=HYPOTHESES):
    """One hypothesis after the other, by itself."""
    scores = []
    for number, words, _, positions in hypotheses:
        ids, source = model.lookup(words.split()), model.lookup_source(SOURCE[number].split())
        of, offsets = np.zeros(len(positions), np.int32), np.array([0, len(source)])
        places = SourcePositions(source, offsets, of, np.array(positions, np.int32))
        text = ids, np.array([0, len(ids)])
        scores.append(float(model.score_sentences_given(*text, places)[0]))
    return scores


def test_words_by_all_their_links(tmp_path):
    model = make(source="averaged", source_window=1, source_side="linked", source_dim=4)
    rows = [
        (2, "red green", "0-0 2-0 1-1", [[0, 2, -1], [1, -1, -1], [3, -1, -1]]),
        (2, "red green", "1-0 1-1", [[1, -1, -1], [1, -1, -1], [3, -1, -1]]),
        (2, "red", "0-0 1-0 2-0", [[0, 1, 2], [3, -1, -1]]),
    ]
    nbest, source = write(tmp_path, [f" ||| {links}" for _, _, links, _ in rows], rows)
    rescore(nbest, {"NLM0": model}, tmp_path / "out", source=source)
    found = read_nbest(tmp_path / "out").features[:, -1]
    assert found == pytest.approx(expected(model, rows), abs=1e-4)
    assert len(set(found.tolist())) == 3


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
@pytest.mark.parametrize("segmentation", ["", " ||| 0=0"])
def test_each_hypothesis_by_its_own_alignment(tmp_path, model, block_bytes, segmentation):
    nbest, source = write(tmp_path, [segmentation + links for links in LINKS])
    out = tmp_path / "out"
    with blocks_of(block_bytes):
        counts = rescore(nbest, {"NLM0": model}, out, source=source)["NLM0"]
    found = read_nbest(out).features[:, 1]
    wanted = expected(model)
    assert found == pytest.approx(wanted, rel=1e-5)
    assert len(set(wanted)) == 5
    assert counts.requests == 3 * 4 + 1 + 4
    if block_bytes > 1:
        assert counts.sentences == 5


def test_phrases_take_the_place_of_links(tmp_path, model):
    columns = ["0=0 1=1", "1=0 0=1", "0=0 1=1", "0=0-1", "0=0", "0-1=0 2=0-2"]
    nbest, source = write(tmp_path, [f" ||| {phrases} " for phrases in columns])
    rescore(nbest, {"NLM0": model}, tmp_path / "out", source=source)
    found = read_nbest(tmp_path / "out").features[:, 1]
    assert found == pytest.approx(expected(model), rel=1e-5)


@pytest.mark.parametrize(
    "parts",
    [
        {"source": "window", "source_window": 1},
        {"source": "averaged", "source_window": 1, "source_dim": 4},
        {"source": "lsa", "source_dim": 4},
    ],
    ids=lambda parts: parts["source"],
)
def test_scores_of_another_list_are_known_with_their_source(tmp_path, parts):
    model = make(**parts)
    nbest, source = write(tmp_path, LINKS)
    lines = nbest.read_text().splitlines(keepends=True)
    part, known, whole, out = (tmp_path / name for name in ("part", "known", "whole", "out"))
    part.write_text("".join(lines[i] for i in (0, 3, 4)))
    rescore(part, {"NLM0": model}, known, source=source)
    counts = rescore(nbest, {"NLM0": model}, whole, source=source)["NLM0"]
    taken = rescore(nbest, {"NLM0": model}, out, source=source, known=known)["NLM0"]
    assert out.read_bytes() == whole.read_bytes()
    assert (counts.known, taken.known) == (0, 3)
    assert counts.sentences == taken.sentences == (5 if model.needs_alignment else 4)


def test_vectors_of_sentences_need_no_alignments(tmp_path):
    model = make(source="lsa", source_dim=4)
    nbest, source = write(tmp_path, [""] * len(HYPOTHESES))
    counts = rescore(nbest, {"NLM0": model}, tmp_path / "out", source=source)["NLM0"]
    found = read_nbest(tmp_path / "out").features[:, 1]
    assert found == pytest.approx(expected(model), rel=1e-5)
    assert found[0] == found[1] == found[2] != found[3]
    assert counts.sentences == 4
    (tmp_path / "source").write_text("rouge\n")
    with pytest.raises(InputError, match="list:4: sentence 1, but the source text has only 1"):
        rescore(nbest, {"NLM0": model}, tmp_path / "out", source=source)


def test_lists_without_alignments_say_so(tmp_path, model):
    nbest, source = write(tmp_path, [*LINKS[:3], "", *LINKS[4:]])
    with pytest.raises(InputError, match="list:4: a hypothesis without its word alignment"):
        rescore(nbest, {"NLM0": model}, tmp_path / "out", source=source)
    nbest, source = write(tmp_path, [*LINKS[:3], " ||| 0-0 1-1", *LINKS[4:]])
    with pytest.raises(InputError, match="list:4: link 1-1 lies outside"):
        rescore(nbest, {"NLM0": model}, tmp_path / "out", source=source)
    with pytest.raises(InputError, match="conditioned on the source needs the source text"):
        rescore(nbest, {"NLM0": model}, tmp_path / "out")


def test_command(tmp_path, model, capsys):
    nbest, source = write(tmp_path, LINKS)
    model.save(tmp_path / "model")
    arguments = ["--model", str(tmp_path / "model"), "--nbest", str(nbest)]
    arguments += ["--out", str(tmp_path / "out")]
    assert main(["rescore", *arguments, "--source", str(source)]) == 0
    assert "6 hypotheses, 5 distinct, 11 words, 0 of them" in capsys.readouterr().out
    assert main(["rescore", *arguments]) == 1
    assert "needs the source text" in capsys.readouterr().err
