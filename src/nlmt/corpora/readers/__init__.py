"""Readers of corpus files: one module per format, registered here by its name."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any, Protocol

from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError
from nlmt.registry import Registry
from nlmt.settings import REQUIRED, Settings, setting


class FormatSettings(Settings):
    """Keys of every format."""

    kind: str = setting(REQUIRED, "Name of the format.")


class Reader(Protocol):
    """One format.

    `options` of the methods are always checked ones of the class `self.settings`.

    Attributes:
        settings: keys of the format; its name alone means all defaults.
    """

    settings: type[FormatSettings]

    def pairs(
        self,
        options: Any,
        files: PartFiles,
        languages: tuple[str, str],
        counts: Counter[str],
        threads: int = 1,
    ) -> Iterator[SentencePair]:
        """Yield sentences with their translations, in the order of the source.

        Args:
            options: of the format.
            files: of the text.
            languages: codes of source and target.
            counts: gets the numbers of items read and dropped, completed with the last pair.
            threads: processes to use, at most; the result does not depend on it.

        Raises:
            InputError: a file is missing or damaged, or does not fit the other.
        """
        ...

    def references(self, options: Any, files: PartFiles) -> int:
        """Number of translations of each sentence of a part.

        Raises:
            InputError: files and options do not fit each other.
        """
        return len(files.references)

    def texts(self, options: Any, file: TextFile, language: str) -> Iterator[str]:
        """Yield the sentences of one language."""
        ...

    def documents(
        self, options: Any, file: TextFile, language: str, threads: int = 1
    ) -> Iterator[Sequence[str]]:
        """Yield the sentences of `texts` by document; each alone where documents are unknown.

        The result does not depend on the processes to use, at most `threads`.
        """
        return ((sentence,) for sentence in self.texts(options, file, language))


def check_found(languages: Iterable[str], found: Set[str], file: TextFile) -> None:
    """Raise InputError where a language is not among those found in a file, if any were."""
    for language in languages:
        if found and language not in found:
            hint = f"its languages are {', '.join(sorted(found - {''})) or 'not named'}"
            raise InputError(f"no text in {language!r}", path=str(file), hint=hint)


READERS: Registry[Reader] = Registry(
    "format of a corpus",
    {
        "plain": "nlmt.corpora.readers.plain:PLAIN",
        "sgm": "nlmt.corpora.readers.sgm:SGM",
        "tmx": "nlmt.corpora.readers.tmx:TMX",
        "wmt-xml": "nlmt.corpora.readers.wmt_xml:WMT_XML",
        "pages": "nlmt.corpora.readers.pages:PAGES",
        "libreoffice-help": "nlmt.corpora.readers.libreoffice_help:LIBREOFFICE_HELP",
    },
)
