"""Phrase-based translation models: extraction, scoring, reordering, filtering, configuration."""

from nlmt.phrases.filtering import filter_table, source_phrases
from nlmt.phrases.moses_model import moses_model
from nlmt.phrases.settings import TranslationModelSettings
from nlmt.phrases.tables import TablePaths, build_tables

__all__ = [
    "TablePaths",
    "TranslationModelSettings",
    "build_tables",
    "filter_table",
    "moses_model",
    "source_phrases",
]
