"""How good translations are, and whether a difference is more than luck."""

from nlmt.evaluation.bleu import (
    Score,
    bleu_of_sums,
    corpus_bleu,
    nbest_statistics,
    sentence_statistics,
)
from nlmt.evaluation.significance import Comparison, paired_bootstrap
from nlmt.evaluation.system import SystemScores, evaluate_system

__all__ = [
    "Comparison",
    "Score",
    "SystemScores",
    "bleu_of_sums",
    "corpus_bleu",
    "evaluate_system",
    "nbest_statistics",
    "paired_bootstrap",
    "sentence_statistics",
]
