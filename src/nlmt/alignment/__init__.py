"""Word alignment of sentence pairs in both directions, and their symmetrisation."""

from nlmt.alignment.eflomal_engine import align
from nlmt.alignment.priors import AlignedText
from nlmt.alignment.symmetrisation import METHODS, symmetrise

__all__ = ["METHODS", "AlignedText", "align", "symmetrise"]
