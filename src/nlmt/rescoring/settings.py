"""Configuration keys of lattice rescoring."""

from typing import ClassVar

from nlmt.settings import REQUIRED, Settings, setting


class LatticeSettings(Settings):
    """A system that rescores lattices in place of n-best lists."""

    states: int | None = setting(
        REQUIRED,
        "States kept at a node of a lattice, each with its own history of the language models. "
        "null: all, which is exact, for models of n-grams (feed-forward or back-off) only.",
        ge=1,
        source="Auli et al. (2013), section 3: k",
        examples=[10],
    )
    formerly: ClassVar = {"items": "states"}
