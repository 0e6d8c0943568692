"""The Moses-compatible phrase-based decoder."""

from nlmt.decoder._decoder import BestTranslation
from nlmt.decoder.binary_tables import binarise_tables
from nlmt.decoder.decoder import Decoder
from nlmt.decoder.engine import TranslationEngine, check_engine, open_engine
from nlmt.decoder.minimum_risk import MinimumRisk
from nlmt.decoder.requests import GraphRequest, LatticeRequest, NbestRequest
from nlmt.decoder.settings import SearchOptions

__all__ = [
    "BestTranslation",
    "Decoder",
    "GraphRequest",
    "LatticeRequest",
    "MinimumRisk",
    "NbestRequest",
    "SearchOptions",
    "TranslationEngine",
    "binarise_tables",
    "check_engine",
    "open_engine",
]
