"""The section `classes` of config.yaml."""

from collections.abc import Mapping
from typing import Annotated, Any

from nlmt.classes.methods import METHODS, class_options
from nlmt.settings import OptionsByName, Settings, setting


class ClassSettings(Settings):
    """Word classes."""

    count: int | None = setting(
        None,
        "Number of classes for models that name none; null means 3 sqrt(V), where V is the size of "
        "the vocabulary.",
        source="OxLM; Baltescu and Blunsom (2015) choose about sqrt(V)",
        ge=1,
    )
    options: Annotated[
        Mapping[str, Mapping[str, Any]],
        OptionsByName(METHODS, lambda method: method.options_type, class_options),
    ] = setting(
        {},
        "Options of methods by name, each with keys of its own (docs/classes.md).",
        examples=[{"speed-regularised": {"weight": 1}}],
    )
