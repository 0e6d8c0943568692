"""Quality metrics of translations, and the significance of differences."""

from nlmt.evaluation.bleu import Bleu
from nlmt.evaluation.chrf import Chrf
from nlmt.evaluation.difference import Difference, compare_perplexities, compare_systems
from nlmt.evaluation.evaluation_set import EvaluationSet, read_evaluation_set
from nlmt.evaluation.metric import Metric, Score
from nlmt.evaluation.other_tests import TESTS, approximate_randomisation, paired_bootstrap
from nlmt.evaluation.segment_metric import SEGMENT_METRICS, SegmentMetric
from nlmt.evaluation.standard import BLEU, CHRF, TER, TER_BLEU, TOKENISED, detokenised_metrics
from nlmt.evaluation.system import (
    METRICS,
    MetricScores,
    SystemComparison,
    SystemScores,
    evaluate_system,
)
from nlmt.evaluation.ter import Ter
from nlmt.evaluation.ter_bleu import TerBleu

__all__ = [
    "BLEU",
    "CHRF",
    "METRICS",
    "SEGMENT_METRICS",
    "TER",
    "TER_BLEU",
    "TESTS",
    "TOKENISED",
    "Bleu",
    "Chrf",
    "Difference",
    "EvaluationSet",
    "Metric",
    "MetricScores",
    "Score",
    "SegmentMetric",
    "SystemComparison",
    "SystemScores",
    "Ter",
    "TerBleu",
    "approximate_randomisation",
    "compare_perplexities",
    "compare_systems",
    "detokenised_metrics",
    "evaluate_system",
    "paired_bootstrap",
    "read_evaluation_set",
]
