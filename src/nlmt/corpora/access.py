"""What the workflow asks of a corpus: its parts and files, downloads, the text of one language.

`name` is always the corpus' name in the configuration, `corpus` its checked settings.
"""

import json
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nlmt.corpora.network import DownloadSettings
from nlmt.corpora.readers import READERS
from nlmt.corpora.settings import CorpusSettings, check_languages
from nlmt.corpora.sources import SOURCES, Download, Piece
from nlmt.corpora.split import DRAWN
from nlmt.corpora.text_files import PARTS, WHOLE, PartFiles
from nlmt.errors import InputError
from nlmt.io.files import write_text


def given_parts(corpus: CorpusSettings) -> tuple[str, ...]:
    """The parts that a corpus has: `whole`, or some of train, dev, test and dev2."""
    return SOURCES.get(corpus.kind).parts(corpus)


def read_parts(name: str, corpus: CorpusSettings, wanted: Sequence[str]) -> tuple[str, ...]:
    """The parts that must be read to have the wanted ones.

    A part that the corpus does not have is drawn from `whole`; dev, test and dev2 also from train.

    Raises:
        InputError: a part is neither given nor can it be drawn.
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
            raise InputError(f"corpus {name} has no part {part}", hint=f"it has {', '.join(given)}")
    return tuple(part for part in (WHOLE, *PARTS) if part in needed)


def drawn_together(corpus: CorpusSettings, part: str, used: Collection[str]) -> list[str]:
    """The parts that are drawn at once to have one of them: none has a sentence of another.

    Those that the corpus gives are not drawn. Parts are drawn in one order, so that dev is the same
    with and without train.

    Args:
        corpus: its settings.
        part: the one that is wanted.
        used: parts of the corpus that are used anywhere. dev2 takes sentences from train only if it
            is.
    """
    given = given_parts(corpus)
    if part in given and part != "train":
        return [part]
    before = DRAWN if part == "train" else DRAWN[: DRAWN.index(part)]
    drawn = [name for name in before if name not in given and (name != "dev2" or name in used)]
    return [*drawn, part]


def inputs(
    name: str, corpus: CorpusSettings, languages: Sequence[str], wanted: Sequence[str]
) -> list[Path]:
    """The files that the wanted parts are read or drawn from.

    Args:
        name: of the corpus.
        corpus: its settings.
        languages: source and target, or one language whose text alone is wanted.
        wanted: names of parts.

    Raises:
        InputError: the corpus has no such language, pair or part, or is of text that the user has
            to obtain and is not there.
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
    """The files of a given part for a pair of languages, and how they are read.

    Raises:
        InputError: as `inputs`.
    """
    check_languages(name, corpus, languages)
    source, target = languages
    return SOURCES.get(corpus.kind).pairs(name, corpus, part, source, target)


def references(name: str, corpus: CorpusSettings, languages: Sequence[str], part: str) -> int:
    """How many translations each sentence of a part has.

    Raises:
        InputError: as `inputs`, or files of one part have different numbers.
    """
    if part not in given_parts(corpus):
        return 1  # drawn from text that has one
    counts = {
        READERS.get(piece.format.kind).references(piece.format, piece.files)
        for piece in pieces(name, corpus, languages, part)
    }
    if len(counts) > 1:
        raise InputError(f"corpus {name}: {part} joins sets with different numbers of references")
    return counts.pop()


def text_of(name: str, corpus: CorpusSettings, language: str, part: str = "train") -> Iterator[str]:
    """The sentences of one language of a part, or of the whole from which it would be drawn.

    Raises:
        InputError: as `inputs`, or a file is missing or damaged.
    """
    check_languages(name, corpus, [language])
    (part,) = read_parts(name, corpus, [part])
    for piece in SOURCES.get(corpus.kind).texts(name, corpus, part, language):
        yield from READERS.get(piece.format.kind).texts(piece.format, piece.files, language)


def downloads(corpora: Mapping[str, CorpusSettings]) -> dict[str, dict[str, Any]]:
    """All files that can be downloaded, by their places below the project's folder.

    Returns:
        What `download` needs to know of each: the name of its source, and `request`. It changes
        only where the file does, and is ready for JSON.

    Raises:
        InputError: two corpora have different files at one place.
    """
    found: dict[Path, Download] = {}
    for name, corpus in corpora.items():
        for path, download in SOURCES.get(corpus.kind).downloads(name, corpus).items():
            if found.setdefault(path, download) != download:
                raise InputError(f"corpus {name}: {path} is another file in another corpus")
    return {
        str(path): {"source": download.source, "request": dict(download.request)}
        for path, download in found.items()
    }


def download(
    what: Mapping[str, Any],
    destination: Path,
    record: Path,
    settings: DownloadSettings | None = None,
) -> None:
    """Get a file, checked, as `destination`, and what is known of it as `record`.

    Args:
        what: what `downloads` says of it.
        destination: where it is to lie.
        record: JSON: version, hash, and so on, as its source has them.
        settings: mirrors, retries and limits.

    Raises:
        InputError: it cannot be got or is not what was expected; nothing is written then.
    """
    facts = SOURCES.get(what["source"]).download(
        what["request"], destination, settings or DownloadSettings()
    )
    logging.info("%s: %s", destination, facts)
    write_text(record, json.dumps(facts, indent=2) + "\n")
