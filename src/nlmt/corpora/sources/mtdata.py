"""Corpora by their ids in the index of mtdata (github.com/thammegowda/mtdata), an option.

Only the index is used: the address of an id and the meaning of its files. We download, check and
read the files ourselves, and write the sentences as one table with a column for each language.
"""

import fnmatch
import importlib
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field
from typing_extensions import override

from nlmt.corpora.archives import member_names
from nlmt.corpora.lines import parallel_lines
from nlmt.corpora.network import DownloadSettings, RemoteFile, get_file
from nlmt.corpora.readers import READERS
from nlmt.corpora.readers.plain import PlainFormat
from nlmt.corpora.settings import CorpusSettings
from nlmt.corpora.sources import RAW_FOLDER, Piece, Source
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.registry import nearest
from nlmt.settings import REQUIRED, setting

Id: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^[^-\s/]+-[^-\s/]+-[^-\s/]+-[A-Za-z_]+(-[A-Za-z_]+)?$",  # part of a file's name
        examples=["Statmt-europarl-7-fra-eng"],
    ),
]

_FORMATS = {"sgm": "sgm", "tmx": "tmx", "wmt21xml": "wmt-xml"}


class MtdataCorpus(CorpusSettings):
    """A data set of mtdata's index; the package mtdata must be installed to download it."""

    kind: Literal["mtdata"] = setting(REQUIRED, "A data set of mtdata's index.")
    dataset: Id = setting(REQUIRED, "Its id: group, name, version and languages.")
    part: Literal["train", "dev", "test", "dev2", "whole"] = setting("train", "Its part.")


@dataclass(frozen=True)
class IndexEntry:
    """The index's entry of a data set.

    Attributes:
        extension: of the file's name, without the leading dot.
        members: patterns of the members of an archive, in the order of the languages.
        content: format of the members: txt, tsv, tmx, sgm or wmt21xml.
        languages: codes of three letters (ISO 639-3).
    """

    address: str
    extension: str
    members: tuple[str, ...]
    content: str
    columns: tuple[int, ...]
    languages: tuple[str, ...]


class MtdataSource(Source):
    """Makes a compressed table of each data set, with a column per language of the entry."""

    settings = MtdataCorpus

    @override
    def parts(self, corpus: MtdataCorpus) -> tuple[str, ...]:
        return (corpus.part,)

    @override
    def pairs(
        self, name: str, corpus: MtdataCorpus, part: str, source: str, target: str
    ) -> list[Piece[PartFiles]]:
        one, other = (_column(name, corpus, language) for language in (source, target))
        return [Piece(PlainFormat(kind="plain"), PartFiles(one, (other,)))]

    @override
    def texts(
        self, name: str, corpus: MtdataCorpus, part: str, language: str
    ) -> list[Piece[TextFile]]:
        return [Piece(PlainFormat(kind="plain"), _column(name, corpus, language))]

    @override
    def downloads(self, name: str, corpus: MtdataCorpus) -> dict[Path, dict[str, Any]]:
        request = {"dataset": corpus.dataset, "languages": list(corpus.languages)}
        return {_place(name, corpus): request}

    @override
    def download(
        self, request: Mapping[str, Any], destination: Path, settings: DownloadSettings
    ) -> dict[str, Any]:
        entry = look_up(request["dataset"])
        raw = destination.with_name(f".{request['dataset']}.{entry.extension}")
        facts = get_file(RemoteFile(entry.address), raw, settings)
        logging.info("%s: reading it", raw)
        counts: Counter[str] = Counter()
        write_lines(destination, table_rows(entry, raw, request["languages"], counts))
        raw.unlink()
        return {"dataset": request["dataset"], **facts, "counts": dict(counts)}


def _place(name: str, corpus: MtdataCorpus) -> Path:
    return RAW_FOLDER / name / f"{corpus.dataset}.tsv.gz"


def _column(name: str, corpus: MtdataCorpus, language: str) -> TextFile:
    return TextFile(_place(name, corpus), "", list(corpus.languages).index(language))


def look_up(dataset: str) -> IndexEntry:
    """The entry of an id in mtdata's index.

    Raises:
        InputError: mtdata is not installed, has no such id, or has it in an unsupported format.
    """
    try:
        index = importlib.import_module("mtdata.index").Index()
        entries = importlib.import_module("mtdata.entry")
    except ImportError as error:
        raise InputError(
            "corpora of kind mtdata need the package mtdata",
            hint="make mtdata, or: pip install nlmt[mtdata]",
        ) from error
    index.load_all()  # not get_instance, which keeps a pickle in the home folder
    try:
        found = index.entries.get(entries.DatasetId.parse(dataset))
    except Exception as error:  # whatever mtdata raises for codes that it does not know
        raise InputError(f"mtdata: {dataset}: {error}") from error
    if found is None:
        group = dataset.partition("-")[0]
        known = tuple(str(one) for one in index.entries if one.group == group)
        if not known:
            known = tuple(sorted({one.group for one in index.entries}))
        near = nearest(dataset, known[:2000])
        raise InputError(f"mtdata has no {dataset!r}", hint=near)
    content = found.in_ext or found.ext.split(".")[0]
    if not isinstance(found.url, str) or content not in ("txt", "raw", "tsv", *_FORMATS):
        raise InputError(f"mtdata's {dataset} has an unsupported format: {content}")
    return IndexEntry(
        found.url,
        found.ext,
        tuple(found.in_paths or ()),
        content,
        tuple(found.cols or ()),
        tuple(str(language.lang) for language in found.did.langs),
    )


def table_rows(
    entry: IndexEntry, raw: Path, languages: Sequence[str], counts: Counter[str]
) -> Iterator[str]:
    """The sentences of a downloaded data set, one per row, with a column for each language.

    The counts get what the reader of the format counts, completed with the last row; the source is
    the first of the languages.

    Raises:
        InputError: the data set lacks these languages, or the file differs from the index.
    """
    places = [_index(entry, language) for language in languages]
    files = _files(entry, raw)
    if entry.content in _FORMATS:
        pairs = [PartFiles(file, (file,)) for file in files]
        if entry.content == "sgm":
            pairs = [PartFiles(files[places[0]], (files[places[-1]],))]
        return _parsed(_FORMATS[entry.content], pairs, languages, counts)
    if entry.content == "tsv":
        columns = entry.columns or (0, 1)
        files = [TextFile(files[0].path, files[0].member, columns[place]) for place in places]
    else:
        files = [files[place] for place in places]
    return (_row(texts) for texts in parallel_lines(*files))


def _parsed(
    kind: str, pairs: Sequence[PartFiles], languages: Sequence[str], counts: Counter[str]
) -> Iterator[str]:
    """The rows of pairs of files, one after another, parsed by our reader of the format `kind`."""
    reader = READERS.get(kind)
    options = reader.settings.model_validate({"kind": kind})
    for files in pairs:
        for found in reader.pairs(options, files, (languages[0], languages[1]), counts):
            yield _row((found.source, found.target))


def _row(texts: Sequence[str]) -> str:
    return "\t".join(text.replace("\t", " ") for text in texts)


def _index(entry: IndexEntry, language: str) -> int:
    """Index, among a data set's languages, of a code of two or three letters."""
    tag = importlib.import_module("mtdata.iso.bcp47").bcp47(language)
    if tag.lang not in entry.languages:
        raise InputError(
            f"{entry.address} has no language {language!r}",
            hint=f"it has {', '.join(entry.languages)}",
        )
    return entry.languages.index(tag.lang)


def _files(entry: IndexEntry, raw: Path) -> list[TextFile]:
    """The files of an entry, in the index's order: a translation memory may have several.

    Raises:
        InputError: their number is not that of the format, or a pattern has not one file.
    """
    count = len(entry.members) or 1
    expected = 1 if entry.content in ("tsv", "wmt21xml") else len(entry.languages)
    if entry.content != "tmx" and count != expected:
        what = f"mtdata: {entry.address} has {count} files of {entry.content}"
        raise InputError(what, hint=f"{expected} expected")
    if not entry.members:
        return [TextFile(raw)]
    found: list[TextFile] = []
    for pattern in entry.members:
        expression = re.compile(fnmatch.translate(pattern))
        names = [name for name in member_names(raw) if expression.match(name)]
        if len(names) != 1:
            raise InputError(
                f"{len(names)} members match {pattern!r}", path=raw, hint="one is expected"
            )
        found.append(TextFile(raw, names[0]))
    return found


MTDATA = MtdataSource()
