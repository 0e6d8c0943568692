"""n-best lists and lattices: rescoring with any language model, and what to choose from them."""

from nlmt.rescoring.lattices import LatticeCounts, LatticeRescorer, first_weights
from nlmt.rescoring.minimum_risk import minimum_risk
from nlmt.rescoring.oracle import Candidates, Oracle, oracle, read_candidates
from nlmt.rescoring.rescoring import RequestCounts, TupleModel, rescore
from nlmt.rescoring.search_study import Search, study_search
from nlmt.rescoring.selection import one_line_a_sentence, rerank
from nlmt.rescoring.spread import Spread, measure_spread

__all__ = [
    "Candidates",
    "LatticeCounts",
    "LatticeRescorer",
    "Oracle",
    "RequestCounts",
    "Search",
    "Spread",
    "TupleModel",
    "first_weights",
    "measure_spread",
    "minimum_risk",
    "one_line_a_sentence",
    "oracle",
    "read_candidates",
    "rerank",
    "rescore",
    "study_search",
]
