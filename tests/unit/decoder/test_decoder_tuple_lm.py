"""Tuple models inside the search: a hypothesis has the library's score of its phrases' tuples."""

from pathlib import Path

import pytest
from decoder_models import write_model
from decoder_neural import make_neural

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.links import parse_links
from nlmt.kinds import load_language_model
from nlmt.lm import LanguageModel, number_words
from nlmt.ngram import train_binary
from nlmt.tuples import encode, extract_tuples, unfold

# "zzz" and "xxx" are copied; "_" and "=" have another spelling in tuples.
LINES = [
    "le chien ne cherche pas cette zzz près de ce temps .",
    "ma ville prend la lettre lente près de ma table blanche .",
    "a_b= traduit %",
    "",
    "la ville le livre",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, golden: Path) -> Path:
    """An n-gram and a neural model of the tuples of the golden bitext."""
    folder = tmp_path_factory.mktemp("tuples")
    alignment = golden / "aligned.grow-diag-final-and"
    extract_tuples(golden / "train.fr", golden / "train.en", alignment, folder / "tuples")
    train_binary(folder / "tuples", folder / "model.binary", order=4)
    words = sorted({word for line in read_lines(folder / "tuples") for word in line.split()})
    make_neural(folder / "neural", words[::2], order=4)
    return folder


def tuples_of(source: str, target: str, links: list[tuple[int, int]]) -> str:
    sides = encode([source]), encode([target])
    text = " ".join(f"{s}-{t}" for s, t in links)
    found = parse_links([text], *(side.lengths for side in sides), path="links")
    return next(iter(unfold(*sides, found).lines()))


def span(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def tuples_of_phrases(source: str, target: str, phrases: str, links: list[tuple[int, int]]) -> str:
    """The tuples of each phrase pair by itself, one pair after the other."""
    found = []
    for phrase in phrases.split():
        s, t = map(span, phrase.split("="))
        inside = [(a - s.start, b - t.start) for a, b in links if a in s and b in t]
        words = [" ".join(side.split()[r.start : r.stop]) for side, r in ((source, s), (target, t))]
        found.append(tuples_of(words[0], words[1], inside))
    return " ".join(found)


class Hypothesis:
    """A line of an n-best list with segmentation and alignment."""

    def __init__(self, line: str, label: str) -> None:
        number, words, features, _, phrases, links = line.split(" ||| ")
        self.source, self.target = LINES[int(number)], words.strip()
        self.links = [(int(a), int(b)) for a, b in (x.split("-") for x in links.split())]
        self.of_phrases = tuples_of_phrases(self.source, self.target, phrases, self.links)
        self.whole = tuples_of(self.source, self.target, self.links)
        values = features.split()
        self.score = float(values[values.index(f"{label}=") + 1])


def hypotheses(ini: Path, label: str, *, cube_pruning: bool) -> list[Hypothesis]:
    search = SearchOptions(cube_pruning, stack=60, pop_limit=60, distortion_limit=6)
    path = ini.with_name("list")
    request = NbestRequest(path, 30, segmentation=True, alignment=True)
    best = Decoder(ini, search=search).decode(LINES, nbest=request)
    found = [line for line in read_lines(path) if not line.startswith("3 |||")]  # an empty sentence
    tops = [next(line for line in found if line.startswith(f"{i} |||")) for i in (0, 1, 2, 4)]
    totals = [float(line.split(" ||| ")[3]) for line in tops]
    scores = [translation.score for i, translation in enumerate(best) if i != 3]
    assert totals == pytest.approx(scores, rel=1e-4)
    return [Hypothesis(line, label) for line in found]


def scores(model: LanguageModel, texts: list[str]) -> list[float]:
    return model.score_sentences(*number_words(model, texts)).tolist()


@pytest.mark.parametrize("cube_pruning", [False, True])
@pytest.mark.parametrize(
    ("feature", "path", "label"),
    [
        ("KENLM name=TM0 path={}/model.binary order=4 units=tuples", "model.binary", "TM0"),
        ("NeuralLM name=NTM0 path={}/neural units=tuples", "neural", "NTM0"),
    ],
)
def test_a_hypothesis_has_the_librarys_score_of_its_tuples(
    feature: str,
    path: str,
    label: str,
    cube_pruning: bool,
    folder: Path,
    golden: Path,
    tmp_path: Path,
) -> None:
    ini = write_model(tmp_path, golden, [feature.format(folder)], [f"{label}= 0.3"], beside=True)
    found = hypotheses(ini, label, cube_pruning=cube_pruning)
    assert len(found) >= 60
    model = load_language_model(folder / path)
    expected = scores(model, [one.of_phrases for one in found])
    assert [one.score for one in found] == pytest.approx(expected, abs=2e-3, rel=1e-5)
    # Those of the whole sentence pair, unless words without links stand at borders of phrases.
    same = [one for one in found if one.whole == one.of_phrases]
    assert len(same) > len(found) / 2
    for one in found:
        linked = [{pair[side] for pair in one.links} for side in (0, 1)]
        words = one.source.split(), one.target.split()
        if all(len(a) == len(b) for a, b in zip(linked, words, strict=True)):
            assert one in same


def test_equal_words_of_one_sentence_may_have_other_tuples(
    folder: Path, golden: Path, tmp_path: Path
) -> None:
    feature = f"KENLM name=TM0 path={folder}/model.binary order=4 units=tuples"
    ini = write_model(tmp_path, golden, [feature], ["TM0= 0.3"], beside=True)
    found = hypotheses(ini, "TM0", cube_pruning=True)
    both = [one for one in found if {"la=the", "le=the"} <= set(one.of_phrases.split())]
    assert both
    expected = scores(load_language_model(folder / "model.binary"), [o.of_phrases for o in both])
    assert [one.score for one in both] == pytest.approx(expected, abs=2e-3, rel=1e-5)


def test_both_units_in_one_search(folder: Path, golden: Path, tmp_path: Path) -> None:
    features = [
        f"KENLM name=TM0 path={folder}/model.binary order=4 units=tuples",
        f"NeuralLM name=NTM0 path={folder}/neural units=tuples",
    ]
    make_neural(tmp_path / "words", ["the", "my", "letter"], order=3)
    features.append(f"NeuralLM name=NLM0 path={tmp_path}/words units=words")
    ini = write_model(
        tmp_path, golden, features, ["TM0= 0.2", "NTM0= 0.1", "NLM0= 0.1"], beside=True
    )
    for label, path in (("TM0", folder / "model.binary"), ("NTM0", folder / "neural")):
        found = hypotheses(ini, label, cube_pruning=True)
        expected = scores(load_language_model(path), [one.of_phrases for one in found])
        assert [one.score for one in found] == pytest.approx(expected, abs=2e-3, rel=1e-5)
    found = hypotheses(ini, "NLM0", cube_pruning=True)
    expected = scores(load_language_model(tmp_path / "words"), [one.target for one in found])
    assert [one.score for one in found] == pytest.approx(expected, abs=2e-3, rel=1e-5)


def test_other_units_are_refused(folder: Path, golden: Path, tmp_path: Path) -> None:
    feature = f"KENLM name=TM0 path={folder}/model.binary units=classes"
    ini = write_model(tmp_path, golden, [feature], ["TM0= 0.3"], beside=True)
    with pytest.raises(InputError, match="TM0: units=classes"):
        Decoder(ini)
