"""The section `evaluation` of config.yaml."""

from typing import Literal

from nlmt.settings import REQUIRED, Settings, setting


class EvaluationSettings(Settings):
    """Scores and significance."""

    baseline: str = setting(
        REQUIRED, "The system with which others are compared, for gain and significance."
    )
    resamples: int = setting(
        1000,
        "Draws of the test sentences (bootstrap), for intervals and p-values.",
        source="Koehn (2004), section 3",
        ge=2,
    )
    mixed_code: Literal["mark", "refuse"] = setting(
        "mark",
        "What becomes of tables of results some of which were made before, some after a change of "
        "nlmt's code: a warning in report and papers, or an error in place of them.",
    )
