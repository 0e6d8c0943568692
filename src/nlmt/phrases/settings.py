"""The section `translation_model` of config.yaml."""

from typing import Annotated

from nlmt.alignment import METHODS
from nlmt.phrases._phrases import LONGEST_PHRASE
from nlmt.settings import NameIn, Settings, setting


class TranslationModelSettings(Settings):
    """Alignment and phrase extraction."""

    symmetrisation: Annotated[str, NameIn(METHODS)] = setting(
        "grow-diag-final-and",
        "Symmetrisation of the alignments of both directions.",
        source="Koehn, Och and Marcu (2003)",
    )
    max_phrase_length: int = setting(
        LONGEST_PHRASE,
        "Longest phrase on either side.",
        unit="words",
        source="Moses' -max-phrase-length",
        ge=1,
        le=LONGEST_PHRASE,
    )
