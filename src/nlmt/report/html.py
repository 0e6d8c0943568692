"""Rendering of the templates of pages, for this package and others."""

from collections.abc import Callable, Mapping
from typing import Any

import jinja2

from nlmt.report.changes import matched_words


def render(
    template: str,
    values: Mapping[str, Any],
    package: str = "nlmt.report",
    filters: Mapping[str, Callable[..., str]] | None = None,
) -> str:
    """The text of a template of a package or of `nlmt.report`; it may use the package's filters."""
    loaders = [jinja2.PackageLoader(name) for name in (package, "nlmt.report")]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= filters or {}
    environment.globals["matched_words"] = matched_words
    return environment.get_template(template).render(values)
