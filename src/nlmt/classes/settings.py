"""The part `classes` of config.yaml."""

from nlmt.settings import Settings, setting


class ClassSettings(Settings):
    """Word classes."""

    count: int | None = setting(
        None,
        "Number of classes of models that name none; null stands for 3 sqrt(V) with V the size of "
        "the vocabulary.",
        source="OxLM; Baltescu and Blunsom (2015) choose about sqrt(V)",
        ge=1,
    )
