"""The Moses-compatible phrase-based decoder."""

from nlmt.decoder._decoder import BestTranslation
from nlmt.decoder.decoder import Decoder, NbestRequest
from nlmt.decoder.settings import SearchOptions

__all__ = ["BestTranslation", "Decoder", "NbestRequest", "SearchOptions"]
