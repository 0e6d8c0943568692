"""Texts with their source, for a model that shows what it was given."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.lm import ConditionedText, SourcePositions, measure_text, perplexity

WORDS = ["<unk>", "a", "b"]
SOURCE_WORDS = ["<unk>", "x", "y", "z"]


class Shows:
    """A word costs 1 and the id of its source word; `</s>` at the end of the source costs 10."""

    needs_source = True

    def __init__(self, needs_alignment: bool = True) -> None:
        self.needs_alignment = needs_alignment

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.array([WORDS.index(w) if w in WORDS else 0 for w in words], np.int32)

    def lookup_source(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.array([SOURCE_WORDS.index(word) for word in words], np.int32)

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        raise AssertionError("it needs a source")

    def score_sentences_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        raise AssertionError("words are asked for")

    def score_words_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        assert len(source.of) == len(source.position) == len(ids) + len(offsets) - 1
        lengths = np.diff(source.offsets)[source.of]
        padded = np.append(source.ids, 0)
        at = np.minimum(source.offsets[source.of] + source.position, len(source.ids))
        return -1.0 - np.where(source.position == lengths, 9, padded[at])


def write(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


@pytest.mark.parametrize("block", [1, 2, 100])
def test_words_get_the_source_words_that_they_are_linked_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(perplexity, "GIVEN_BLOCK", block)
    text, source, links = write(
        tmp_path, text="a b\n\nb c\n", source="x y\nz\nz y x\n", links="1-0 0-1\n\n0-0\n"
    )
    # y, x and an end; an end; z, and the unlinked word z, and an end.
    words = [-3, -2, -10, -10, -4, -4, -10]
    found = measure_text(Shows(), text, [source, links])
    assert found.log_probability == sum(words)
    assert found.log_probability_without_oov == sum(words) + 4
    assert (found.words, found.sentences, found.oov) == (4, 3, 1)
    given = ConditionedText.read(Shows(), text, source, links)
    assert given.begins.tolist() == [0, 3, 4, 7]


def test_words_are_those_that_links_count(tmp_path: Path) -> None:
    text, source, links = write(tmp_path, text="a\fb a\n", source="z\ty\n", links="0-0 1-1\n")
    assert measure_text(Shows(), text, [source, links]).log_probability == -4 - 3 - 10


def test_a_model_of_whole_source_sentences_needs_no_links(tmp_path: Path) -> None:
    text, source = write(tmp_path, text="a\n", source="y x\n")
    assert measure_text(Shows(needs_alignment=False), text, [source]).log_probability == -6


@pytest.mark.parametrize(
    ("lines", "needs_alignment", "message"),
    [
        ({"text": "a\n", "source": "x\n"}, True, "source: the model needs the alignment"),
        ({"text": "a\n", "source": "x\n", "links": "\n"}, False, "links: an alignment has no"),
        ({"text": "", "source": ""}, False, "text: a text without a line"),
        ({"text": "a\n", "source": "x\nx\n"}, False, "source: 2 lines, but the target text has 1"),
        (
            {"text": "a\n", "source": "x\n", "links": "1-0\n"},
            True,
            "links:1: link 1-0 lies outside",
        ),
    ],
)
def test_what_is_refused(
    tmp_path: Path, lines: dict[str, str], needs_alignment: bool, message: str
) -> None:
    text, *source = write(tmp_path, **lines)
    with pytest.raises(InputError) as error:
        measure_text(Shows(needs_alignment), text, source)
    assert message in str(error.value)


def test_a_model_without_a_source_takes_none(tmp_path: Path) -> None:
    class Words:
        pass

    text, source = write(tmp_path, text="a\n", source="x\n")
    with pytest.raises(InputError, match="not conditioned on the source"):
        measure_text(Words(), text, [source])  # type: ignore[arg-type]
