"""Training texts of language models, and nested samples of them."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.neural.text.encoded import count_texts
from nlmt.text import Sample, gather_text, prepare_monolingual, share_of
from nlmt.text.sample import ranks_of, sample_lines
from nlmt.vocabulary import UNKNOWN

TEXT = [f"sentence {n}" + " word" * (n % 7) for n in range(1000)]


def drawn(seed: int = 1, lines: list[str] | None = None, **sample: float) -> list[str]:
    text = TEXT if lines is None else lines
    return list(sample_lines(lambda: iter(text), Sample(**sample), seed=seed))  # type: ignore[arg-type]


def test_samples_have_the_size_asked_for_and_the_order_of_the_text() -> None:
    assert drawn() == TEXT
    assert len(drawn(share=0.1)) == 100
    assert len(drawn(sentences=37)) == 37
    assert drawn(sentences=1000) == TEXT
    assert drawn(share=1.0) == TEXT
    for sample in (drawn(share=0.3), drawn(tokens=2000)):
        places = [TEXT.index(line) for line in sample]
        assert places == sorted(places)
    tokens = [len(line.split()) for line in drawn(tokens=2000)]
    assert 2000 <= sum(tokens) < 2000 + 8
    assert len(drawn(tokens=1)) == 1


def test_samples_are_nested_whatever_they_are_measured_by() -> None:
    samples = [drawn(sentences=5), drawn(share=0.01), drawn(tokens=100), drawn(share=0.5)]
    for small, large in pairwise(samples):
        assert set(small) < set(large)


def test_samples_depend_on_the_seed_alone() -> None:
    assert drawn(seed=2, share=0.1) == drawn(seed=2, share=0.1)
    assert drawn(seed=2, share=0.1) != drawn(seed=3, share=0.1)


def test_shares_in_one_pass_are_nested_and_the_same_in_parts() -> None:
    small, large = (list(share_of(TEXT, share=share)) for share in (0.1, 0.4))
    assert [line for line in large if line in small] == small
    assert len(small) == pytest.approx(100, abs=30)  # three deviations of a binomial
    assert len(large) == pytest.approx(400, abs=47)
    parts = [share_of(TEXT[:300], share=0.4), share_of(TEXT[300:], share=0.4, first=300)]
    assert [line for part in parts for line in part] == large
    assert list(share_of(TEXT)) == TEXT


def test_the_beginning_of_a_text_is_sampled_alike() -> None:
    """A sample of the first half is what the sample of the whole has of it."""
    half = set(TEXT[:500])
    ranks = ranks_of(0, 1000, 1)
    highest = np.sort(ranks)[199]
    expected = [line for line, rank in zip(TEXT, ranks, strict=True) if rank <= highest]
    assert drawn(sentences=200) == expected
    assert 70 < len(half & set(expected)) < 130


def test_ranks_differ_and_continue() -> None:
    ranks = ranks_of(0, 100_000, 7)
    assert len(np.unique(ranks)) == 100_000
    assert np.array_equal(ranks[60_000:], ranks_of(60_000, 40_000, 7))
    assert abs(float((ranks >> np.uint64(63)).mean()) - 0.5) < 0.01


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"sentences": 1001}, "a sample of 1001 sentences of a text of 1000"),
        ({"tokens": 10_000}, "a sample of 10000 tokens of a text of"),
    ],
)
def test_too_little_text(sample: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        drawn(**sample)


def test_a_share_of_an_empty_text() -> None:
    with pytest.raises(InputError, match="a sample of 1 sentences of a text of 0"):
        drawn(lines=[], share=0.5)


def test_texts_join_and_lose_unknown_words(tmp_path: Path) -> None:
    one, other, out = (tmp_path / f"{name}.gz" for name in ("one", "other", "out"))
    write_lines(one, ["the cat sat", "the dog"])
    write_lines(other, ["a cat"])
    gather_text([one, other], out, words_of=one)
    assert list(read_lines(out)) == ["the cat sat", "the dog", "<unk> cat"]
    gather_text([one, other], out, min_count=2)
    assert list(read_lines(out)) == ["the cat <unk>", "the <unk>", "<unk> cat"]
    gather_text([one, other], out, words_of=other, min_count=2)
    assert list(read_lines(out)) == ["<unk> cat <unk>", "<unk> <unk>", "<unk> cat"]
    gather_text([one, other], out, words_of=one, most_frequent=1)
    assert list(read_lines(out)) == ["<unk> cat <unk>", "<unk> <unk>", "<unk> cat"]
    gather_text([one, other], out, words_of=one, sample=Sample(sentences=1))
    assert len(list(read_lines(out))) == 1


def test_rare_words_are_those_of_a_network(tmp_path: Path) -> None:
    """Perplexities of n-gram models compare with those of networks with the same `min_count`."""
    bitext, more, plain, without_rare = (tmp_path / name for name in ("bitext", "more", "p", "w"))
    words = np.random.default_rng(1).zipf(1.3, size=2000) % 1000
    write_lines(bitext, (f"a{n} b{n}" for n in words[:500]))
    write_lines(more, (f"a{n} b{n}" for n in words[500:]))
    for out, min_count in ((plain, 1), (without_rare, 2)):
        gather_text(
            [bitext, more], out, words_of=bitext, min_count=min_count, sample=Sample(share=0.5)
        )
    of_network = set(count_texts([plain], 2)[0]) | {UNKNOWN}
    assert {word for line in read_lines(without_rare) for word in line.split()} == of_network
    assert len(of_network) < len(count_texts([plain])[0])


def test_empty_texts(tmp_path: Path) -> None:
    write_lines(tmp_path / "one", [])
    with pytest.raises(InputError, match="out: no sentence to train on"):
        gather_text([tmp_path / "one"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_monolingual_text_is_cleaned(tmp_path: Path) -> None:
    lines = ["The cat.", "", "word " * 30, "\u2028", "A dog"]
    prepare_monolingual(lines, "en", tmp_path / "out.gz", max_length=20)
    assert list(read_lines(tmp_path / "out.gz")) == ["the cat .", "a dog"]
