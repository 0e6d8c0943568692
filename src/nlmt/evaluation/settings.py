"""The section `evaluation` of config.yaml."""

from typing import Annotated, Literal

from nlmt.evaluation.segment_metric import SEGMENT_METRICS
from nlmt.settings import REQUIRED, NameIn, Settings, setting


class EvaluationSettings(Settings):
    """Scores and significance."""

    baseline: str = setting(
        REQUIRED, "The system with which others are compared, for gain and significance."
    )
    resamples: int = setting(
        1000,
        "Draws of the test sentences (bootstrap), for intervals and p-values of systems. In papers "
        "those of perplexities, |log Z|, cosines and searches always have 1,000, by seed 1.",
        source="Koehn (2004), section 3",
        ge=2,
    )
    metrics: tuple[Annotated[str, NameIn(SEGMENT_METRICS)], ...] = setting(
        (),
        "Metrics of plugins, of translations as text (docs/extending.md), beside BLEU, TER, chrF "
        "and (TER - BLEU) / 2.",
    )
    mixed_code: Literal["mark", "refuse"] = setting(
        "mark",
        "Treatment of tables with results from before and after a change of nlmt's code: mark, a "
        "warning in report and papers; refuse, an error instead of the table.",
    )
