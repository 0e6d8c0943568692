"""N-best lists and lattices: rescoring with any language model, selection, and studies."""

from nlmt.rescoring.lattices import LatticeCounts, LatticeRescorer, first_weights, open_rescorer
from nlmt.rescoring.nbest import TupleModel, rescore, score_nbest
from nlmt.rescoring.nbest_risk import minimum_risk
from nlmt.rescoring.oracle import Candidates, Oracle, oracle, read_candidates
from nlmt.rescoring.request_counts import RequestCounts
from nlmt.rescoring.search_study import SearchResult, study_search
from nlmt.rescoring.selection import one_line_a_sentence, rerank
from nlmt.rescoring.settings import LatticeSettings
from nlmt.rescoring.spread import Spread, measure_spread
from nlmt.rescoring.units import check_units

__all__ = [
    "Candidates",
    "LatticeCounts",
    "LatticeRescorer",
    "LatticeSettings",
    "Oracle",
    "RequestCounts",
    "SearchResult",
    "Spread",
    "TupleModel",
    "check_units",
    "first_weights",
    "measure_spread",
    "minimum_risk",
    "one_line_a_sentence",
    "open_rescorer",
    "oracle",
    "read_candidates",
    "rerank",
    "rescore",
    "score_nbest",
    "study_search",
]
