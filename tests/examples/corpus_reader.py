"""A format of corpora: one table of all languages, a sentence a row, a language a column."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from nlmt.corpora import READERS, FormatSettings, PartFiles, Reader, SentencePair, TextFile
from nlmt.corpora.lines import lines_of
from nlmt.errors import InputError
from nlmt.settings import REQUIRED, setting


class TableFormat(FormatSettings):
    """Columns separated by one character; the first line has the codes of the languages."""

    kind: Literal["table"] = setting(REQUIRED, "A table with a column for each language.")
    separator: str = setting("\t", "Separator of columns.", min_length=1, max_length=1)


class TableReader(Reader):
    """Reads the columns of two languages, or of one."""

    settings = TableFormat

    def pairs(
        self,
        options: TableFormat,
        files: PartFiles,
        languages: tuple[str, str],
        counts: Counter[str],
        threads: int = 1,
    ) -> Iterator[SentencePair]:
        source, target = (self.texts(options, files.source, code) for code in languages)
        for number, (one, other) in enumerate(zip(source, target, strict=True)):
            counts["rows"] += 1
            yield SentencePair(f"{number:09}", one, other)

    def texts(self, options: TableFormat, file: TextFile, language: str) -> Iterator[str]:
        rows = (line.split(options.separator) for line in lines_of(file))
        columns = next(rows, [])
        if language not in columns:
            raise InputError(f"no column {language!r}", path=file.path, line=1)
        for number, row in enumerate(rows, start=2):
            if len(row) != len(columns):
                raise InputError(f"{len(row)} columns", path=file.path, line=number)
            yield row[columns.index(language)]


READERS.register("table", TableReader())
