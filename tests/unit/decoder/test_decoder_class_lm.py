"""Class n-gram models inside the search: scores are the library's own."""

from pathlib import Path

import pytest
from decoder_models import check_scores, write_model

from nlmt.decoder import Decoder, SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.lm import TrainingData, number_words
from nlmt.ngram import ClassNgramModel
from nlmt.ngram.class_kind import CLASS_NGRAM, ClassNgramSettings
from nlmt.settings_check import read_settings


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
    model = ClassNgramModel.load(lm)
    texts = check_scores(
        ini,
        search,
        "LM1",
        lambda texts: model.score_sentences(*number_words(model, texts)),
        abs=1e-3,
        rel=1e-5,
    )
    assert any("city" in text for text in texts)


def test_a_missing_or_damaged_model_is_refused(lm: Path, golden: Path, tmp_path: Path) -> None:
    ini = write_model(tmp_path, golden, ["ClassLM name=LM0 path=gone"], ["LM0= 0.5"])
    with pytest.raises(InputError, match=r"moses\.ini:\d+: LM0: no such folder gone"):
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
