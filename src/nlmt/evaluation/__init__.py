"""How good translations are, and whether a difference is more than luck."""

from nlmt.evaluation.metric import Metric, Score
from nlmt.evaluation.metrics import (
    BLEU,
    CHRF,
    TER,
    TOKENISED,
    Bleu,
    Chrf,
    Ter,
    detokenised_metrics,
)
from nlmt.evaluation.settings import EvaluationSettings
from nlmt.evaluation.significance import (
    Comparison,
    approximate_randomisation,
    paired_bootstrap,
    sampling_deviation,
)
from nlmt.evaluation.system import EvaluationSet, MetricScores, SystemScores, evaluate_system

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "TOKENISED",
    "Bleu",
    "Chrf",
    "Comparison",
    "EvaluationSet",
    "EvaluationSettings",
    "Metric",
    "MetricScores",
    "Score",
    "SystemScores",
    "Ter",
    "approximate_randomisation",
    "detokenised_metrics",
    "evaluate_system",
    "paired_bootstrap",
    "sampling_deviation",
]
