"""Texts with their source sides, as files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io.affiliation import Positions, read_affiliation
from nlmt.io.files import read_lines
from nlmt.neural.config import Architecture
from nlmt.neural.data import Corpus, Source, encode
from nlmt.neural.model import NO_SOURCE, NeuralLM
from nlmt.neural.text_files import TextFiles
from nlmt.vocabulary import Vocabulary


@dataclass(frozen=True)
class SourceFiles:
    """The source side of a text.

    Attributes:
        text: the source sentences, line for line, or encoded.
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
    return with_sources([target], TextFiles([files.text]), [files], vocabulary)[0]


def with_sources(
    targets: Sequence[Corpus],
    texts: TextFiles,
    files: Sequence[SourceFiles],
    vocabulary: Vocabulary,
) -> list[Corpus]:
    """The same of several texts, whose source texts have been opened.

    Beside an encoded source the places that words belong to are mapped, too.
    """
    result = []
    sources = texts.corpora(vocabulary, at_least=1)
    for target, source, one in zip(targets, sources, files, strict=True):
        if source.sentences != target.sentences:
            what = f"{source.sentences} lines, but the target text has {target.sentences}"
            raise InputError(what, path=one.text, hint="give texts that are line for line")
        mapped = one.text in texts.encoded
        position: Positions = np.zeros(target.events, dtype=np.uint16)
        if one.alignment is not None:
            position = read_affiliation(one.alignment, source.begins, target.begins, mapped=mapped)
        result.append(replace(target, source=Source(source, position)))
    return result


def check_alignment(architecture: Architecture, files: Iterable[SourceFiles]) -> None:
    """Refuse sources whose alignment is missing, or has no effect.

    Raises:
        InputError: either.
    """
    source = architecture.source
    for one in files:
        if architecture.needs_alignment and one.alignment is None:
            what = f"source: {source} needs the alignment of this text"
            raise InputError(what, path=one.text, hint="give links 0-0 1-2, line for line")
        if not architecture.needs_alignment and one.alignment is not None:
            what = f"an alignment has no effect with source: {source}"
            raise InputError(what, path=one.alignment, hint="leave alignments out")


def read_with_source(text: Path | str, files: SourceFiles, model: NeuralLM) -> Corpus:
    """A text with its source side, for a model that is conditioned on it.

    Raises:
        InputError: the model is not, or a text without a line; or as `with_source` and
            `check_alignment`.
    """
    if model.source_vocabulary is None:
        raise InputError(NO_SOURCE, hint="leave source and alignment out")
    check_alignment(model.config.architecture, [files])
    corpus = encode(read_lines(text), model.vocabulary)
    if not corpus.sentences:
        raise InputError("a text without a line", path=text, hint="give a longer text")
    return with_source(corpus, files, model.source_vocabulary)
