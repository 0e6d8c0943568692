"""Plain text, one sentence per line: line i of one file translates line i of the other."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

from typing_extensions import override

from nlmt.characters import has_word
from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.lines import parallel_lines, sentences_of
from nlmt.corpora.readers import FormatSettings, Reader
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError
from nlmt.settings import REQUIRED, setting


class PlainFormat(FormatSettings):
    """UTF-8 text, one sentence per line; a pair with an empty side is dropped and counted."""

    kind: Literal["plain"] = setting(REQUIRED, "One sentence per line.")


class PlainReader(Reader):
    """Reads line by line; each line is a document of its own."""

    settings = PlainFormat

    @override
    def pairs(
        self,
        options: Any,
        files: PartFiles,
        languages: tuple[str, str],
        counts: Counter[str],
        threads: int = 1,
    ) -> Iterator[SentencePair]:
        counts["empty"] += 0
        found, equal = False, list(enumerate(files.references, start=1))
        for number, sides in enumerate(parallel_lines(files.source, *files.references)):
            if all(map(has_word, sides)):
                found = True
                equal = [(place, file) for place, file in equal if sides[place] == sides[0]]
                yield SentencePair(numbered(number), sides[0], sides[1], sides[2:])
            else:
                counts["empty"] += 1
        if found and equal:
            what = f"has the same sentences as {equal[0][1]}"
            hint = "give the text of each language"
            raise InputError(what, path=str(files.source), hint=hint)

    @override
    def texts(self, options: Any, file: TextFile, language: str) -> Iterator[str]:
        return (line for line in sentences_of(file) if has_word(line))


def numbered(line: int) -> str:
    """Name of a line as a document, if there are no other documents.

    Names of equal width sort like their numbers, so that a text drawn by document keeps its order.
    """
    return f"{line:012}"


PLAIN = PlainReader()
