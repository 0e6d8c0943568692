"""Phrase-based translation models: extraction, scoring, reordering, filtering, configuration."""

from nlmt.phrases.filtering import filter_table, source_phrases
from nlmt.phrases.moses_model import (
    ClassFeature,
    KenlmFeature,
    NeuralFeature,
    language_model_feature,
    moses_model,
)
from nlmt.phrases.settings import TranslationModelSettings
from nlmt.phrases.tables import LONGEST_PHRASE, TablePaths, build_tables

__all__ = [
    "LONGEST_PHRASE",
    "ClassFeature",
    "KenlmFeature",
    "NeuralFeature",
    "TablePaths",
    "TranslationModelSettings",
    "build_tables",
    "filter_table",
    "language_model_feature",
    "moses_model",
    "source_phrases",
]
