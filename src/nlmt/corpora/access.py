"""The workflow's interface to a corpus: parts, files, downloads, the text of one language.

`name` is always the corpus' name in the configuration, `corpus` its checked settings.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nlmt.corpora.network import DownloadSettings
from nlmt.corpora.readers import READERS
from nlmt.corpora.settings import CorpusError, CorpusSettings, check_languages
from nlmt.corpora.sources import SOURCES, Piece
from nlmt.corpora.split import DRAWN
from nlmt.corpora.text_files import PARTS, WHOLE, PartFiles, TextFile, short_names
from nlmt.errors import InputError
from nlmt.io.json_files import write_json


def given_parts(corpus: CorpusSettings) -> tuple[str, ...]:
    """The parts of a corpus: `whole`, or some of train, dev, test and dev2."""
    return SOURCES.get(corpus.kind).parts(corpus)


def read_parts(name: str, corpus: CorpusSettings, wanted: Sequence[str]) -> tuple[str, ...]:
    """The parts to read in order to make the wanted ones.

    A part that the corpus lacks is drawn from `whole`; dev, test and dev2 also from train.

    Raises:
        InputError: a part is neither given nor can be drawn.
    """
    given = given_parts(corpus)
    needed = set()
    for part in wanted:
        if part in given:
            needed.add(part)
        elif WHOLE in given:
            needed.add(WHOLE)
        elif part in PARTS and "train" in given:
            needed.add("train")
        else:
            raise CorpusError(
                f"corpus {name} has no part {part}", corpus=name, hint=f"it has {', '.join(given)}"
            )
    return tuple(part for part in (WHOLE, *PARTS) if part in needed)


def drawn_together(corpus: CorpusSettings, part: str, used: Collection[str]) -> list[str]:
    """A part, after those that are made with it so that they share no sentence.

    They are drawn, unless the corpus has them: then train alone leaves their sentences out. The
    order is fixed, so that dev is the same with and without train.

    dev2 takes sentences from train only if it is among the parts used anywhere.
    """
    given = given_parts(corpus)
    if part in given and part != "train":
        return [part]
    before = DRAWN if part == "train" else DRAWN[: DRAWN.index(part)]
    own = given if part == "train" else ()
    drawn = [name for name in DRAWN if name not in given and (name != "dev2" or name in used)]
    return [*(name for name in before if name in own or name in drawn), part]


def inputs(
    name: str, corpus: CorpusSettings, languages: Sequence[str], wanted: Sequence[str]
) -> list[Path]:
    """The files from which parts are read or drawn for two languages, or for the text of one.

    Raises:
        InputError: the corpus has no such language, pair or part, or its text, which the user has
            to obtain, is missing.
    """
    check_languages(name, corpus, languages)
    source = SOURCES.get(corpus.kind)
    found: list[Path] = []
    for part in read_parts(name, corpus, wanted):
        if len(languages) == 1:
            found += [piece.files.path for piece in source.texts(name, corpus, part, *languages)]
        else:
            for piece in pieces(name, corpus, languages, part):
                found += piece.files.paths()
    return list(dict.fromkeys(found))


def pieces(
    name: str, corpus: CorpusSettings, languages: Sequence[str], part: str
) -> list[Piece[PartFiles]]:
    """The files of a given part for a pair of languages, with their reader.

    Raises:
        InputError: as in `inputs`.
    """
    check_languages(name, corpus, languages)
    source, target = languages
    return SOURCES.get(corpus.kind).pairs(name, corpus, part, source, target)


def reference_count(name: str, corpus: CorpusSettings, languages: Sequence[str], part: str) -> int:
    """Number of translations of each sentence of a part.

    Raises:
        InputError: as in `inputs`, or files of one part have different numbers.
    """
    if part not in given_parts(corpus):
        return 1  # drawn from text that has one
    counts = {
        READERS.get(piece.format.kind).references(piece.format, piece.files)
        for piece in pieces(name, corpus, languages, part)
    }
    if len(counts) > 1:
        raise CorpusError(
            f"corpus {name}: {part} joins sets with different numbers of references", corpus=name
        )
    return counts.pop()


def text_of(name: str, corpus: CorpusSettings, language: str, threads: int = 1) -> Iterator[str]:
    """The training sentences of one language, or those of the text from which all are drawn.

    The result does not depend on the processes to use, at most `threads`.

    Raises:
        InputError: as in `inputs`, or a file is missing, damaged or without a sentence.
    """
    documents = documents_by_file(name, corpus, language, threads)
    return (text for _, of_file in documents for document in of_file for text in document)


def documents_by_file(
    name: str, corpus: CorpusSettings, language: str, threads: int = 1
) -> Iterator[tuple[str, Iterator[Sequence[str]]]]:
    """The names of the files that `text_of` reads, each with the sentences of its documents.

    Raises:
        InputError: as in `text_of`.
    """
    check_languages(name, corpus, [language])
    (part,) = read_parts(name, corpus, ["train"])
    found = SOURCES.get(corpus.kind).texts(name, corpus, part, language)
    names = short_names([piece.files for piece in found])
    for file, piece in zip(names, found, strict=True):
        reader = READERS.get(piece.format.kind)
        documents = reader.documents(piece.format, piece.files, language, threads)
        yield file, _with_text(documents, piece.files)


def _with_text(documents: Iterable[Sequence[str]], file: TextFile) -> Iterator[Sequence[str]]:
    """The documents of a file, of which at least one has a sentence."""
    none = True
    for document in documents:
        none = none and not document
        yield document
    if none:
        raise InputError("no sentence", path=str(file), hint="is it the right file?")


def downloads(corpora: Mapping[str, CorpusSettings]) -> dict[str, dict[str, Any]]:
    """All files that can be downloaded, by their paths below the project's folder.

    Returns:
        The argument of `download` for each: the name of its source, and `request`. It changes only
        if the file does, and is ready for JSON.

    Raises:
        InputError: two corpora have different files with one path.
    """
    found: dict[str, dict[str, Any]] = {}
    for name, corpus in corpora.items():
        for path, request in SOURCES.get(corpus.kind).downloads(name, corpus).items():
            download = {"source": corpus.kind, "request": request}
            if found.setdefault(str(path), download) != download:
                raise CorpusError(
                    f"corpus {name}: {path} is another file in another corpus", corpus=name
                )
    return found


def text_sizes(corpora: Mapping[str, CorpusSettings]) -> dict[str, float]:
    """Bytes of a pair's text in downloads that are mostly something else, by their paths."""
    return {
        str(path): 1e6 * size
        for name, corpus in corpora.items()
        for path, size in SOURCES.get(corpus.kind).text_mb(name, corpus).items()
    }


def download(
    what: Mapping[str, Any],
    destination: Path,
    record: Path,
    settings: DownloadSettings | None = None,
) -> None:
    """Download a file of `downloads`, check it, and write its facts (version, hash ...) as JSON.

    Raises:
        InputError: it cannot be obtained or is not as expected; then nothing is written.
    """
    facts = SOURCES.get(what["source"]).download(
        what["request"], destination, settings or DownloadSettings()
    )
    logging.info("%s: %s", destination, facts)
    write_json(record, facts)
