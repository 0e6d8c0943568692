"""n-best lists with any language model: rescoring, and the best hypotheses under new weights."""

from nlmt.rescoring.models import load_language_model
from nlmt.rescoring.reranking import rerank
from nlmt.rescoring.rescoring import RequestCounts, rescore

__all__ = ["RequestCounts", "load_language_model", "rerank", "rescore"]
