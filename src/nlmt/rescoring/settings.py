"""Configuration keys of lattice rescoring."""

from nlmt.settings import REQUIRED, Settings, setting


class LatticeSettings(Settings):
    """Settings of a system that rescores lattices instead of n-best lists."""

    states: int | None = setting(
        REQUIRED,
        "States kept at a node of a lattice, each with its own history of the language models. "
        "null: all, which is exact, but only for n-gram models (feed-forward or back-off).",
        ge=1,
        source="Auli et al. (2013), section 3: k",
        examples=[10],
    )
