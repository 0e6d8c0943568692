"""Rendering of the templates of pages, for this package and others."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import jinja2

from nlmt.report.changes import matched_words


def render(
    template: str,
    values: Mapping[str, Any],
    packages: Sequence[str] = (),
    filters: Mapping[str, Callable[..., str]] = MappingProxyType({}),
) -> str:
    """The text of a template of `nlmt.report` or of other packages, whose filters it may use."""
    loaders = [jinja2.PackageLoader(package) for package in (*packages, "nlmt.report")]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= filters
    environment.globals["matched_words"] = matched_words
    return environment.get_template(template).render(values)
