"""The Moses-compatible phrase-based decoder."""

from nlmt.decoder._decoder import BestTranslation
from nlmt.decoder.binary_tables import binarise_tables
from nlmt.decoder.decoder import Decoder
from nlmt.decoder.engine import ENGINES, DecoderEngine, TranslationEngine, open_engine
from nlmt.decoder.minimum_risk import MinimumRisk
from nlmt.decoder.outputs import GraphRequest, LatticeRequest, NbestRequest
from nlmt.decoder.search_options import SearchOptions
from nlmt.decoder.settings import DecoderSettings, translation_settings

__all__ = [
    "ENGINES",
    "BestTranslation",
    "Decoder",
    "DecoderEngine",
    "DecoderSettings",
    "GraphRequest",
    "LatticeRequest",
    "MinimumRisk",
    "NbestRequest",
    "SearchOptions",
    "TranslationEngine",
    "binarise_tables",
    "open_engine",
    "translation_settings",
]
