"""Corpora by name, from any source.

`AnyCorpus` is the type of one entry of config/corpora.yaml, `Corpora` the type of all of them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator

from nlmt.corpora.settings import CorpusSettings, settings_of
from nlmt.corpora.sources import SOURCES
from nlmt.registry import nearest
from nlmt.settings import REQUIRED, FolderName, OneOf, Settings, setting
from nlmt.settings_check import read_settings


def _join(corpora: dict[str, CorpusSettings]) -> dict[str, CorpusSettings]:
    """Let corpora that join others find them."""
    for name, corpus in corpora.items():
        for member in corpus.joins():
            if member not in corpora:
                known = nearest(member, tuple(corpora))
                raise ValueError(f"{name}: unknown corpus {member!r} ({known})")
            if corpora[member].joins():
                raise ValueError(f"{name}: {member} joins corpora itself")
            corpus.members()[member] = corpora[member]
    return corpora


AnyCorpus: TypeAlias = Annotated[CorpusSettings, OneOf(SOURCES, settings_of)]
Corpora: TypeAlias = Annotated[dict[FolderName, AnyCorpus], AfterValidator(_join)]


class Catalogue(Settings):
    """All corpora that a configuration can name, by name."""

    corpora: Corpora = setting(
        REQUIRED, "Corpora by name, which is also the name of the folder below data/raw/."
    )


def read_corpora(values: Mapping[str, Any]) -> dict[str, CorpusSettings]:
    """Check corpora and fill in defaults.

    `values` is the key `corpora` of the configuration.

    Raises:
        InputError: a line for each fault.
    """
    return dict(read_settings(Catalogue, {"corpora": values}).corpora)
