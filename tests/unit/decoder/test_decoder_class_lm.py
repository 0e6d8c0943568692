"""Class n-gram models inside the search: scores are the library's own."""

from pathlib import Path

import pytest

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.io.nbest import read_nbest
from nlmt.lm import TrainingData, number_words
from nlmt.ngram import ClassNgramModel
from nlmt.ngram.class_kind import CLASS_NGRAM, ClassNgramSettings
from nlmt.settings_check import read_settings

LINES = ["le chien ne cherche pas cette zzz près de ce temps .", "ma ville", "xxx", "", "le livre"]


@pytest.fixture(scope="module")
def lm(tmp_path_factory: pytest.TempPathFactory, golden: Path) -> Path:
    """A model of the golden text in which some words of the phrase table are unknown."""
    folder = tmp_path_factory.mktemp("lm")
    lines = [line for line in read_lines(golden / "train.en") if "city" not in line.split()]
    words = sorted({word for line in lines for word in line.split()})
    write_lines(folder / "text", lines)
    rows = (f"{i % 7:03b}\t{word}\t1" for i, word in enumerate(words))
    write_lines(folder / "classes.tsv", rows)
    settings = read_settings(ClassNgramSettings, {"kind": "class-ngram", "order": 4})
    data = TrainingData([folder / "text"], folder / "text", classes=folder / "classes.tsv")
    CLASS_NGRAM.train(settings, data, folder / "lm", threads=1)
    return folder / "lm"


def write_model(folder: Path, golden: Path, features: list[str], weights: list[str]) -> Path:
    """The golden model with these language models."""
    ini = (golden / "moses.ini").read_text().replace("path=model/", f"path={golden}/model/")
    kept = [line for line in ini.splitlines() if not line.startswith(("KENLM", "LM0="))]
    place = kept.index("[weight]")
    write_lines(folder / "moses.ini", [*kept[:place], *features, *kept[place:], *weights])
    return folder / "moses.ini"


@pytest.mark.parametrize("cube_pruning", [False, True])
@pytest.mark.parametrize("beside", [False, True])
def test_a_hypothesis_has_the_librarys_score(
    cube_pruning: bool, beside: bool, lm: Path, golden: Path, tmp_path: Path
) -> None:
    features, weights = [f"ClassLM name=LM1 path={lm}"], ["LM1= 0.4"]
    if beside:
        features.insert(0, f"KENLM name=LM0 path={golden}/model/lm.arpa.gz order=3")
        weights.append("LM0= 0.2")
    ini = write_model(tmp_path, golden, features, weights)
    search = SearchOptions(cube_pruning, stack=60, pop_limit=60, distortion_limit=6)
    path = tmp_path / "list"
    best = Decoder(ini, search=search).decode(LINES, nbest=NbestRequest(path, 20))
    found = read_nbest(path)
    texts = [found.text(i) for i in range(len(found))]
    assert len(texts) >= 30
    assert any("city" in text for text in texts)
    model = ClassNgramModel.load(lm)
    expected = model.score_sentences(*number_words(model, texts))
    expected[found.sentence == LINES.index("")] = 0
    labels = [label for label, width in found.feature_names for _ in range(width)]
    assert found.features[:, labels.index("LM1")] == pytest.approx(expected, abs=1e-3, rel=1e-5)
    tops = found.totals[found.sentence_starts()[:-1]]
    assert tops == pytest.approx([translation.score for translation in best], rel=1e-4)


def test_a_missing_or_damaged_model_is_refused(lm: Path, golden: Path, tmp_path: Path) -> None:
    ini = write_model(tmp_path, golden, ["ClassLM name=LM0 path=gone"], ["LM0= 0.5"])
    with pytest.raises(InputError, match=r"moses\.ini: LM0: no such folder gone"):
        Decoder(ini)
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "classes.binary").write_bytes((lm / "classes.binary").read_bytes())
    rows = list(read_lines(lm / "words.tsv"))
    write_lines(tmp_path / "gone" / "words.tsv", rows[:-1])
    with pytest.raises(InputError, match=r"words\.tsv: the probabilities of the words of class"):
        Decoder(ini)
    write_lines(tmp_path / "gone" / "words.tsv", rows)
    (tmp_path / "gone" / "classes.binary").write_bytes(b"mmap lm http://kheafield.com/code")
    with pytest.raises(InputError, match=r"classes\.binary"):
        Decoder(ini)
