"""Corpora: where they come from (`sources`), how they are read (`readers`), join and split."""

from nlmt.corpora.access import (
    download,
    downloads,
    drawn_together,
    given_parts,
    inputs,
    missing_mb,
    references,
    text_of,
)
from nlmt.corpora.bitext import Paragraph, SentencePair, join_bitext, monolingual_text, sentence_key
from nlmt.corpora.catalogue import Corpora, entries_for, read_corpora
from nlmt.corpora.extract import Extraction
from nlmt.corpora.network import DownloadSettings
from nlmt.corpora.prose import ProseFilter
from nlmt.corpora.readers import READERS, FormatSettings, Reader
from nlmt.corpora.settings import CorpusSettings
from nlmt.corpora.sources import SOURCES, Piece, Source
from nlmt.corpora.sources.layout import LaidOutSettings, LaidOutSource
from nlmt.corpora.split import Bitext, SplitSettings
from nlmt.corpora.text_files import PARTS, WHOLE, PartFiles, TextFile

__all__ = [
    "PARTS",
    "READERS",
    "SOURCES",
    "WHOLE",
    "Bitext",
    "Corpora",
    "CorpusSettings",
    "DownloadSettings",
    "Extraction",
    "FormatSettings",
    "LaidOutSettings",
    "LaidOutSource",
    "Paragraph",
    "PartFiles",
    "Piece",
    "ProseFilter",
    "Reader",
    "SentencePair",
    "Source",
    "SplitSettings",
    "TextFile",
    "download",
    "downloads",
    "drawn_together",
    "entries_for",
    "given_parts",
    "inputs",
    "join_bitext",
    "missing_mb",
    "monolingual_text",
    "read_corpora",
    "references",
    "sentence_key",
    "text_of",
]
