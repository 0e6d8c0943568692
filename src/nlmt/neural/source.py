"""Texts with their source sides, as files."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.neural.affiliation import read_affiliation
from nlmt.neural.config import Architecture
from nlmt.neural.data import Corpus, Source, encode
from nlmt.neural.encoded import is_encoded
from nlmt.neural.model import NO_SOURCE, NeuralLM
from nlmt.neural.reading import read_corpus
from nlmt.vocabulary import Vocabulary


@dataclass(frozen=True)
class SourceFiles:
    """The source side of a text.

    Attributes:
        text: the source sentences, line for line.
        alignment: the links `0-0 1-2` of each sentence pair, source-target; None where no place in
            the source matters, as for `source: lsa`.
    """

    text: Path | str
    alignment: Path | str | None = None


def with_source(target: Corpus, files: SourceFiles, vocabulary: Vocabulary) -> Corpus:
    """A text with its source side, whose words have a vocabulary of their own.

    Raises:
        InputError: another number of lines than the text has; a bad link, with its line.
    """
    if is_encoded(files.text):
        what = "an encoded text, but a source is numbered with the words of its own model"
        raise InputError(what, path=files.text, mend="give the text itself")
    text = read_corpus(files.text, vocabulary, at_least=1)
    if text.sentences != target.sentences:
        what = f"{text.sentences} lines, but the target text has {target.sentences}"
        raise InputError(what, path=files.text, mend="give texts that are line for line")
    position = np.zeros(target.events, dtype=np.int32)
    if files.alignment is not None:
        lengths = (np.diff(one.begins) - 1 for one in (text, target))
        position = read_affiliation(files.alignment, *lengths)
    return replace(target, source=Source(text, position))


def check_alignment(architecture: Architecture, files: Iterable[SourceFiles]) -> None:
    """Refuse sources whose alignment is missing, or has no effect.

    Raises:
        InputError: either.
    """
    source = architecture.source
    for one in files:
        if architecture.needs_alignment and one.alignment is None:
            what = f"source: {source} needs the alignment of this text"
            raise InputError(what, path=one.text, mend="give links 0-0 1-2, line for line")
        if not architecture.needs_alignment and one.alignment is not None:
            what = f"an alignment has no effect with source: {source}"
            raise InputError(what, path=one.alignment, mend="leave alignments out")


def read_with_source(text: Path | str, files: SourceFiles, model: NeuralLM) -> Corpus:
    """A text with its source side, for a model that is conditioned on it.

    Raises:
        InputError: the model is not, or a text without a line; or as `with_source` and
            `check_alignment`.
    """
    if model.source_vocabulary is None:
        raise InputError(NO_SOURCE, mend="leave source and alignment out")
    check_alignment(model.config.architecture, [files])
    corpus = encode(read_lines(text), model.vocabulary)
    if not corpus.sentences:
        raise InputError("a text without a line", path=text, mend="give a longer text")
    return with_source(corpus, files, model.source_vocabulary)
