"""n-best lists and lattices: rescoring with any language model, and what to choose from them."""

from nlmt.rescoring.lattices import LatticeCounts, LatticeRescorer
from nlmt.rescoring.minimum_risk import minimum_risk
from nlmt.rescoring.models import load_language_model
from nlmt.rescoring.oracle import Candidates, Oracle, oracle, read_candidates
from nlmt.rescoring.rescoring import RequestCounts, TupleModel, rescore
from nlmt.rescoring.selection import one_line_a_sentence, rerank
from nlmt.rescoring.spread import Spread, measure_spread

__all__ = [
    "Candidates",
    "LatticeCounts",
    "LatticeRescorer",
    "Oracle",
    "RequestCounts",
    "Spread",
    "TupleModel",
    "load_language_model",
    "measure_spread",
    "minimum_risk",
    "one_line_a_sentence",
    "oracle",
    "read_candidates",
    "rerank",
    "rescore",
]
