import random

import pytest
from splitting import split_by_document

from nlmt.corpora import Bitext, SplitSettings
from nlmt.corpora.bitext import Paragraph, SentencePair, join_bitext, sentence_key
from nlmt.corpora.held_out import HeldOut
from nlmt.errors import InputError
from nlmt.text import Tokeniser


def count(text: str) -> int:
    return len(text.split())


def corpus(seed: int = 0) -> list[SentencePair]:
    """Documents with boilerplate, repeats, and sentences that differ in case alone."""
    draw = random.Random(seed)  # noqa: S311
    words = [f"w{n}" for n in range(40)]
    boiler = [" ".join(draw.choices(words, k=5)) for _ in range(30)]
    pairs = []
    for document in range(60):
        for _ in range(draw.randint(3, 25)):
            text = (
                draw.choice(boiler)
                if draw.random() < 0.4
                else " ".join(draw.choices(words, k=draw.randint(1, 12)))
            )
            if draw.random() < 0.1:
                text = text.upper()
            target = text[::-1] if draw.random() < 0.9 else "another way " + text
            pairs.append(SentencePair(f"doc{document}", text, target))
    return pairs


HELD_OUT = ["train", "dev", "test"]
COUNT = (count, count)
CONFIG = SplitSettings(dev=60, test=50, min_tokens=4, max_tokens=10)


def split(pairs: list[SentencePair], seed: int = 3) -> Bitext:
    return split_by_document(pairs, HELD_OUT, CONFIG, COUNT, seed=seed)


def test_nothing_of_one_part_stands_in_another():
    bitext = split(corpus())
    parts = [bitext.parts["train"], bitext.parts["dev"], bitext.parts["test"]]
    for side in (0, 1):
        keys = [{sentence_key(pair[side]) for pair in part} for part in parts]
        assert not keys[0] & keys[1]
        assert not keys[0] & keys[2]
        assert not keys[1] & keys[2]
        assert len(keys[1]) == len(bitext.parts["dev"])
        assert len(keys[2]) == len(bitext.parts["test"])


def test_a_second_tuning_set_leaves_test_and_dev_as_they_are():
    pairs = corpus()
    without = split(pairs)
    settings = CONFIG.model_copy(update={"dev2": 40})
    bitext = split_by_document(pairs, [*HELD_OUT, "dev2"], settings, COUNT, seed=3)
    assert (bitext.parts["test"], bitext.parts["dev"]) == (
        without.parts["test"],
        without.parts["dev"],
    )
    assert "dev2" not in without.parts
    assert len(bitext.parts["dev2"]) >= 40
    for side in (0, 1):
        held = {sentence_key(pair[side]) for pair in bitext.parts["dev2"]}
        for part in (bitext.parts["train"], bitext.parts["dev"], bitext.parts["test"]):
            assert not held & {sentence_key(pair[side]) for pair in part}


def test_sizes_lengths_and_whole_documents():
    pairs = corpus()
    bitext = split(pairs)
    assert 60 <= len(bitext.parts["dev"]) < 60 + 25
    assert 50 <= len(bitext.parts["test"]) < 50 + 25
    for pair in bitext.parts["dev"] + bitext.parts["test"]:
        assert all(4 <= count(side) <= 10 for side in pair)
    homes = {}
    for pair in pairs:
        homes.setdefault((pair.source, pair.target), set()).add(pair.document)
    dev, test = (
        {next(iter(homes[pair])) for pair in part}
        for part in (bitext.parts["dev"], bitext.parts["test"])
    )
    assert not dev & test
    for pair in bitext.parts["train"]:
        assert homes[pair] - dev - test
    assert len(set(bitext.parts["train"])) == len(bitext.parts["train"])


def test_every_pair_is_accounted_for():
    pairs = corpus(4)
    counts = split(pairs).counts
    held = {"held_out_length", "held_out_seen", "repeated"}
    assert counts.keys() == held
    bitext = split(pairs)
    assert sum(counts.values()) + sum(map(len, bitext.parts.values())) == len(pairs)


def test_the_split_depends_on_the_seed_alone():
    pairs = corpus()
    bitext = split(pairs)
    assert split(list(pairs)) == bitext
    assert split(pairs, seed=4).parts["dev"] != bitext.parts["dev"]


def test_too_little_text_is_an_error():
    with pytest.raises(InputError, match="not enough text for 5000 test sentences"):
        split_by_document(corpus(), HELD_OUT, SplitSettings(test=5000, min_tokens=1), COUNT)


@pytest.mark.parametrize("language", ["fr", "en"])
def test_sentences_equal_once_tokenised_have_equal_keys(language):
    tokeniser = Tokeniser(language)
    variants = [
        ["Cliquez sur « OK ».", "cliquez sur “OK” .", 'Cliquez sur "OK".'],
        ["It\u2019s 1\u202f000 %", "it's 1\u00a0000%"],
        ["Soft\u00adhyphen … here", "softhyphen ... here"],
    ]
    for group in variants:
        assert len({sentence_key(text) for text in group}) == 1
        assert {sentence_key(tokeniser(text)) for text in group} == {sentence_key(group[0])}
    assert sentence_key("+ -") == "+-"


def test_join_is_by_page_and_id_and_counts_what_it_drops():
    source = [
        Paragraph("a", "par_1", "un"),
        Paragraph("a", "par_2", "deux"),
        Paragraph("b", "par_1", "LibreOffice"),
        Paragraph("b", "par_2", "seul"),
    ]
    target = [
        Paragraph("b", "par_1", "LibreOffice"),
        Paragraph("a", "par_2", "two"),
        Paragraph("a", "par_1", "one"),
        Paragraph("c", "par_1", "more"),
        Paragraph("c", "par_2", "again"),
    ]
    pairs, counts = join_bitext(source, target)
    assert pairs == [SentencePair("a", "un", "one"), SentencePair("a", "deux", "two")]
    assert counts == {
        "source_paragraphs": 4,
        "target_paragraphs": 5,
        "without_source": 2,
        "without_target": 1,
        "untranslated": 1,
        "joined": 2,
    }


def test_what_is_held_out_is_left_out_of_texts():
    texts = ["One.", "Two", "One.", "Three"]
    held_out = HeldOut(["two !"])
    assert list(held_out.others(texts)) == ["One.", "One.", "Three"]
    assert list(held_out.others(["two", "2"])) == ["2"]
    assert list(HeldOut([]).others(texts)) == texts
