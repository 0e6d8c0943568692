"""The Moses-compatible phrase-based decoder."""

from nlmt.decoder._decoder import BestTranslation
from nlmt.decoder.decoder import Decoder
from nlmt.decoder.requests import GraphRequest, LatticeRequest, NbestRequest
from nlmt.decoder.settings import SearchOptions

__all__ = [
    "BestTranslation",
    "Decoder",
    "GraphRequest",
    "LatticeRequest",
    "NbestRequest",
    "SearchOptions",
]
