"""Corpora: where they come from (`sources`), how they are read (`readers`), join and split."""

from nlmt.corpora.access import (
    download,
    downloads,
    drawn_together,
    given_parts,
    inputs,
    reference_count,
    text_of,
    text_sizes,
)
from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.catalogue import Corpora, read_corpora
from nlmt.corpora.extract import Extraction
from nlmt.corpora.held_out import HeldOut
from nlmt.corpora.network import DownloadSettings
from nlmt.corpora.prose import ProseFilter
from nlmt.corpora.readers import READERS, FormatSettings, Reader
from nlmt.corpora.sources import SOURCES, Source
from nlmt.corpora.sources.layout import LaidOutSettings, LaidOutSource
from nlmt.corpora.split import Bitext, SplitSettings
from nlmt.corpora.text_files import WHOLE, PartFiles, TextFile

__all__ = [
    "READERS",
    "SOURCES",
    "WHOLE",
    "Bitext",
    "Corpora",
    "DownloadSettings",
    "Extraction",
    "FormatSettings",
    "HeldOut",
    "LaidOutSettings",
    "LaidOutSource",
    "PartFiles",
    "ProseFilter",
    "Reader",
    "SentencePair",
    "Source",
    "SplitSettings",
    "TextFile",
    "download",
    "downloads",
    "drawn_together",
    "given_parts",
    "inputs",
    "read_corpora",
    "reference_count",
    "text_of",
    "text_sizes",
]
