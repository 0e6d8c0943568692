"""Filters of prose, and of sentences near held-out ones."""

import random
import unicodedata
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from nlmt.corpora import ProseFilter, read_corpora
from nlmt.corpora.bitext import sentence_key
from nlmt.corpora.held_out import HeldOut, HeldOutPairs
from nlmt.corpora.language import LanguageFilter
from nlmt.corpora.prose import COUNTED, letters, phrase_key
from nlmt.corpora.settings import FilterSettings

ENGLISH = [
    "The wool of this scarf is soft and warm.",
    "Knit the first row, then turn the needle.",
    "You can wash it by hand in cold water.",
    "A pattern tells you where each stitch goes.",
    "Choose a colour that your friends will like.",
]
FRENCH = [
    "La laine de cette écharpe est douce et chaude.",
    "Tricotez le premier rang, puis tournez l'aiguille.",
    "Vous pouvez la laver à la main dans l'eau froide.",
    "Un patron vous dit où va chaque maille.",
    "Choisissez une couleur qui plaira à vos amis.",
]


def test_equal_and_near_sentences() -> None:
    held_out = HeldOut(["Press the button 12 times to knit a row.", "Short one."], 0.7)
    assert held_out.has("press the button 12 times, to knit a row")
    assert held_out.has("SHORT ONE")
    assert not held_out.has("Press the button 13 times to knit a row.")
    # Eight words have seven distinct trigrams; of digits the number counts.
    assert held_out.has_near("Press the button 13 times to knit a row.")
    assert held_out.has_near("Please press the button 12 times to knit a long row.")  # 5 of 7
    assert not held_out.has_near("Press the button 12 times, if you want a row.")  # 3 of 7
    assert not held_out.has_near("Short one, two")
    assert not HeldOut(["Press the button 12 times."], None).has_near("Press the button 12 times.")


def test_the_part_itself_is_enough() -> None:
    words = [f"w{number}" for number in "abcdefghijklmnopqrstuvwxyz" * 4]  # none recurs
    words = [f"{word}{'x' * (place // 26)}" for place, word in enumerate(words)][:102]
    shares_55 = [*words[:57], *(f"other{'x' * place}" for place in range(45))]  # of 100
    assert HeldOut([" ".join(words)], 0.55).has_near(" ".join(shares_55))
    assert not HeldOut([" ".join(words)], 0.56).has_near(" ".join(shares_55))


def test_near_sentences_are_those_of_all_comparisons() -> None:
    draw = random.Random(1)  # noqa: S311
    words = [*"abcde", "\u00e9", "e\u0301", "3", "4", "\u4e2d\u6587", "don't", "\u0130"]
    found = 0
    for _ in range(300):
        held = [" ".join(draw.choices(words, k=draw.randrange(12))) for _ in range(4)]
        changed = draw.choice(held).split()
        for place in range(len(changed)):
            if draw.random() < 0.15:
                changed[place] = draw.choice(words)
        sentence = " ".join(changed + draw.choices(words, k=draw.randrange(3)))
        shared = draw.choice((0.3, 0.5, 0.7, 1.0))
        near = any(_share(sentence, one) >= shared for one in held)
        assert HeldOut(held, shared).has_near(sentence) == near
        found += near
    assert 30 < found < 270


def _share(one: str, other: str) -> float:
    """The part of the shorter sentence's word trigrams that both have, word by word."""
    sides = []
    for sentence in (one, other):
        text = unicodedata.normalize("NFC", sentence).replace("\u0130", "i").replace("'", " ")
        text = text.replace("4", "3").replace("\u4e2d\u6587", "\u4e2d \u6587")
        words = text.split()
        sides.append({tuple(words[place : place + 3]) for place in range(len(words) - 2)})
    least = min(map(len, sides))
    return len(sides[0] & sides[1]) / least if least >= 4 else 0.0


def test_near_sentences_without_spaces() -> None:
    held_out = HeldOut(["\u7e54\u570d\u5dfe\u7528\u7f8a\u6bdb\u7dda3\u5377"], 0.7)  # eight trigrams
    assert held_out.has_near("\u7e54\u570d\u5dfe\u7528\u7f8a\u6bdb\u7dda5\u5377\u5462")
    assert not held_out.has_near("\u7e54\u570d\u5dfe\u7528\u68c9\u7dda\u7dda5\u5377")


# Hindi, Tamil and Thai words that differ in a vowel sign or a tone alone.
SIGNED = [
    ("\u0928\u0926\u0940", "\u0928\u093e\u0926"),
    ("\u0baa\u0bc1\u0bb2\u0bbf", "\u0baa\u0bb2\u0bbf"),
    ("\u0e44\u0e01\u0e48", "\u0e44\u0e01\u0e49"),
]


@pytest.mark.parametrize(("word", "other"), SIGNED)
def test_signs_are_parts_of_words(word: str, other: str) -> None:
    assert letters(f"{word} {other}") == 1
    assert phrase_key(f"{word} 1.") == phrase_key(f"{word} 2.") != phrase_key(f"{other} 1.")
    held_out = HeldOut([f"{word}!"], 0.7)
    assert held_out.has(f"\u201c{word}\u201d")
    assert not held_out.has(other)


def test_near_sentences_with_signs() -> None:
    sentence = "\u0915\u0940 \u0928\u093e \u0926\u0947 \u0938\u0947 \u0939\u0948 \u0925\u0940"
    words = sentence.split()
    held_out = HeldOut([sentence], 0.7)
    assert held_out.has_near(" ".join([*words, words[0]]))  # 4 of 4
    assert not held_out.has_near(" ".join(word[0] + "\u0942" for word in words))


# Sentences with accents or points apart, their words without them, and the same, otherwise encoded.
APART = [
    ("Ti\u1ebfng Vi\u1ec7t r\u1ea5t kh\u00f3", "Tieng Viet rat kho"),
    ("\u1eccj\u1ecd\u0301 k\u1eb9\u0301ta n\u00ed \u1ecd\u0300la", "Ojo keta ni ola"),
    ("\u0434\u043e\u0301\u043c \u0438\u0439", "\u0434\u043e\u043c \u0438\u0438"),
]
POINTED = [
    (
        "\u0645\u064e\u0631\u0652\u062d\u064e\u0628\u064b\u0627 \u0628\u0650\u0643\u064e",
        "\u0645\u0631\u062d\u0628\u0627 \u0628\u0643",
    ),
    (
        "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd \u05dc\u05b8\u05da",
        "\u05e9\u05dc\u05d5\u05dd \u05dc\u05da",
    ),
]


@pytest.mark.parametrize(("text", "bare"), APART)
def test_accents_apart_are_parts_of_words(text: str, bare: str) -> None:
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert letters(composed) == letters(apart) == 1
    assert letters(f"{apart} =") == (len(apart) + 1) / (len(apart) + 2)
    for form in (composed, apart):
        assert sentence_key(f"{form}!") == sentence_key(composed.upper()) != sentence_key(bare)
        assert phrase_key(f"{form} 1.") == phrase_key(f"{composed} 2.") != phrase_key(f"{bare} 1.")
    long = HeldOut([" ".join(f"{word}{n} {apart}" for n, word in enumerate(apart.split()))], 0.7)
    assert long.has_near(" ".join(f"{word}{n} {text}" for n, word in enumerate(text.split())))
    assert not long.has_near(" ".join(f"{word}{n} {bare}" for n, word in enumerate(bare.split())))


@pytest.mark.parametrize(("pointed", "plain"), POINTED)
def test_points_are_letters_that_texts_may_leave_out(pointed: str, plain: str) -> None:
    assert letters(pointed) == letters(plain) == 1
    assert sentence_key(pointed) == sentence_key(plain) == plain.replace(" ", "")
    assert phrase_key(f"{pointed}.") == plain
    sentence = f"{pointed} {pointed} {plain} a b c"
    assert HeldOut([sentence], 1).has_near(f"{plain} {plain} {plain} a b c d")


def test_hamza_is_no_point() -> None:
    assert sentence_key("\u0627\u0654\u0628") == sentence_key("\u0623\u0628") == "\u0623\u0628"


def test_symbols_stay_symbols_with_marks_that_are_no_letters() -> None:
    assert letters("\u26a0\ufe0f 1\u20e3") == 1 / 5
    assert sentence_key("\u4e2d\ufe00\u6587 a_b") == "\u4e2d\u6587ab"


@pytest.mark.parametrize(
    ("text", "other"),
    [("\u0130zmir", "izmir"), ("e\u0301'\u03a3", "e\u0301'\u03c3"), ("e\u034f\u0301", "\u00e9")],
)
def test_sentences_share_a_key_however_case_is_lost(text: str, other: str) -> None:
    assert sentence_key(text) == sentence_key(other)


def test_pairs_by_either_side() -> None:
    pairs = HeldOutPairs([("Un rang de mailles.", "A row of stitches.", "A stitch row.")], 0.7)
    assert pairs.reason(("Autre chose", "a stitch row")) == "in_held_out"
    assert pairs.reason(("un rang de mailles", "Other")) == "in_held_out"
    assert pairs.reason(("Autre chose", "Something else")) is None


def test_language() -> None:
    accepted = LanguageFilter(ENGLISH, FRENCH).accepts(
        ["The colour of the wool is warm.", "La couleur de la laine est chaude.", ""]
    )
    assert list(accepted) == [True, False, True]


def test_what_is_unlike_both_languages() -> None:
    words = [sentence.split() for sentence in ENGLISH]
    mixed = [" ".join(row) for row in product(*words) if len(set(row)) == 5][:2000]
    language = LanguageFilter(mixed, FRENCH)
    assert list(language.accepts([*mixed[:2], "漢字漢字漢字", "xq zzkw vvj"])) == [
        *(True, True),
        *(False, False),
    ]


@pytest.mark.parametrize("sizes", [[5], [2, 3], [1, 1, 1, 1, 1]])
def test_language_of_sentences_does_not_depend_on_the_others(sizes: list[int]) -> None:
    language = LanguageFilter(ENGLISH, FRENCH)
    parts, begin = [], 0
    for size in sizes:
        parts.append(language.accepts([*ENGLISH[:2], *FRENCH[:2], ""][begin : begin + size]))
        begin += size
    assert list(np.concatenate(parts)) == [True, True, False, False, True]


def test_a_page_in_a_third_language_is_left_out_whole(tmp_path: Path) -> None:
    soft = "The scarf is soft and the scarf is warm."
    pages = {
        "own": ENGLISH[:3],
        "mixed": [ENGLISH[3], *FRENCH],
        "third": ["織 圍 巾 用 羊 毛 線", "Wool.", soft, ENGLISH[4]],
        "empty": [],
    }
    for name, sentences in pages.items():
        text = "".join(f"<p>{sentence}</p>" for sentence in sentences)
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    corpus = {
        "kind": "file",
        "languages": {"en": "English"},
        "files": {"train": {"en": str(tmp_path)}},
        "format": {"kind": "pages", "markup": "html", "paths": ["{page}.html"]},
        "filters": {},
    }
    corpora = read_corpora({"pages": corpus})
    folder = tmp_path / "scratch"
    folder.mkdir()
    prose = ProseFilter(FilterSettings(), [], (4 * ENGLISH, 4 * FRENCH))
    texts, counts = prose.read("pages", corpora["pages"], "en", [], folder)
    found = set(texts)
    assert ENGLISH[3] in found
    assert not found & set(pages["third"])
    (count,) = counts.values()
    assert (count["documents"], count["documents_empty"], count["short"]) == (4, 1, 1)
    assert count["other_language"] == 13 - 1 - len(found)  # all but one that is short


def test_letters_and_phrases() -> None:
    assert letters("ab c-") == 4 / 5
    assert phrase_key("See the foo_bar() of 12 files.") == phrase_key("See the Qux::a of 7 files")
    assert phrase_key("See the wool.") != phrase_key("See the yarn.")


def test_characters_are_words_in_scripts_without_spaces(tmp_path: Path) -> None:
    lines = ["这条羊毛围巾又软又暖和。", "很暖和", "编织 scarf 围巾"]
    (tmp_path / "a.zh").write_text("\n".join(lines) + "\n", encoding="utf-8")
    entry = {
        "kind": "file",
        "languages": {"zh": "Chinese"},
        "files": {"train": {"zh": str(tmp_path / "a.zh")}},
    }
    corpus = read_corpora({"a": entry})["a"]
    prose = ProseFilter(FilterSettings(), [], (lines, ENGLISH))
    texts, counts = prose.read("a", corpus, "zh", [], tmp_path)
    assert list(texts) == [lines[0], lines[2]]
    assert (counts["a.zh"]["short"], counts["a.zh"]["kept_words"]) == (1, 12 + 5)


def test_counts_by_file(tmp_path: Path) -> None:
    lines = [
        "Too short.",
        "x = y + z * 3 ; }}} { } [ 1 ]",
        FRENCH[0],
        "You can wash it by hand in cold water!",
        "First turn the needle, then knit the first row, then turn the needle.",
        ENGLISH[0],
        "Here the scarf is soft and warm in row 1.",
        "Here the scarf is soft and warm in row 2.",
    ]
    (tmp_path / "a.en").write_text("\n".join(lines) + "\n")
    (tmp_path / "b.en").write_text("Here the scarf is soft and warm in row 3.\nWool is soft.\n")
    corpus = {
        "kind": "file",
        "languages": {"en": "English"},
        "files": {"train": {"en": str(tmp_path / "a.en")}},
    }
    other = {**corpus, "files": {"train": {"en": str(tmp_path / "b.en")}}}
    both = {"kind": "joined", "languages": {"en": "English"}, "train": ["a", "b"], "filters": {}}
    corpora = read_corpora({"a": corpus, "b": other, "both": both})
    prose = ProseFilter(
        FilterSettings(),
        ["You can wash it by hand in cold water.", "Knit the first row, then turn the needle."],
        (ENGLISH, FRENCH),
    )
    folder = tmp_path / "scratch"
    folder.mkdir()
    texts, counts = prose.read("both", corpora["both"], "en", [ENGLISH[0]], folder)
    assert list(texts) == ["Here the scarf is soft and warm in row 1."]
    found = {file: [count[name] for name in COUNTED] for file, count in counts.items()}
    assert found == {"a.en": [8, 1, 1, 1, 1, 1, 2, 1], "b.en": [2, 1, 0, 0, 0, 0, 1, 0]}
    assert counts["a.en"]["kept_words"] == 10
    assert (
        sum(counts["a.en"][f"{name}_words"] for name in COUNTED[1:])
        == (counts["a.en"]["read_words"])
    )
