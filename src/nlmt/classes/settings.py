"""The part `classes` of config.yaml."""

from typing import Annotated

from nlmt.classes.methods import METHODS
from nlmt.settings import NameIn, Settings, setting


class ClassSettings(Settings):
    """Word classes."""

    method: Annotated[str, NameIn(METHODS)] = setting(
        "brown",
        "How word classes are made: by Brown clustering, by exchange alone, or as bins of equal "
        "frequency or of equal sums of the counts' square roots.",
        source="Brown et al. (1992); Martin, Liermann and Ney (1998); Mikolov et al. (2011)",
    )
    count: int | None = setting(
        None,
        "Number of classes; null stands for 3 sqrt(V) with V the size of the vocabulary.",
        source="OxLM; Baltescu and Blunsom (2015) choose about sqrt(V)",
        ge=1,
    )
