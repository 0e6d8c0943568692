"""The keys of a corpus in config/corpora.yaml that every source has, and its formats."""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import Field, PrivateAttr
from pydantic_core import CoreSchema, core_schema

from nlmt.corpora.readers import READERS, FormatSettings
from nlmt.corpora.split import SplitSettings
from nlmt.errors import InputError
from nlmt.registry import plugin_files
from nlmt.settings import REQUIRED, OneOf, Settings, partial, setting, to_plain

Language: TypeAlias = Annotated[str, Field(pattern=r"^[a-z]{2,3}$", examples=["fr"])]

SplitOverrides = partial(
    SplitSettings, "SplitOverrides", "Keys of `split` in config.yaml, for one corpus."
)


_BY_NAME = "by name: "


class _NamedOneOf(OneOf):
    """Settings by the key `kind`; the kind's name alone is allowed, too."""

    def __get_pydantic_core_schema__(
        self, _source: object, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        kinds = self._registry.loaded()
        choices: dict[str, CoreSchema] = {}
        for kind in kinds:
            group = self.group(kind)
            choices[kind] = handler(group)
            choices[_BY_NAME + kind] = core_schema.no_info_after_validator_function(
                _defaults_of(group), core_schema.literal_schema([kind])
            )

        def choice(value: Any) -> str | None:
            """The kind of a value of the configuration, or of checked settings."""
            if isinstance(value, str):
                return _BY_NAME + value if value in kinds else value
            kind = value.get("kind") if isinstance(value, Mapping) else getattr(value, "kind", None)
            return kind if isinstance(kind, str) else None

        return core_schema.tagged_union_schema(choices=choices, discriminator=choice)


def _defaults_of(group: type[Settings]) -> Callable[[str], Settings]:
    """A function that makes settings from a kind's name."""
    return lambda kind: group.model_validate({"kind": kind})


def settings_of(part: Any) -> type[Settings]:
    """The keys of a source or format, made again because plugins may have added to their kinds."""
    group: type[Settings] = part.settings
    if plugin_files():
        group.model_rebuild(force=True)
    return group


Format: TypeAlias = Annotated[FormatSettings, _NamedOneOf(READERS, settings_of)]


class FilterSettings(Settings):
    """Filters of documentation, which holds code, tables and repeated phrases beside prose."""

    min_words: int = setting(
        5,
        "Shorter sentences are left out of text for language models. In Chinese, Japanese, Thai "
        "and other scripts without spaces, characters are words.",
        ge=1,
        unit="words",
    )
    letters: float = setting(
        0.8,
        "Sentences with a smaller share of letters and spaces among their characters are left out "
        "of text for language models.",
        ge=0,
        le=1,
    )
    near_duplicates: float | None = setting(
        0.7,
        "Training sentences, of bitext too, are left out that share this part of the distinct word "
        "trigrams of the shorter one with a held-out sentence, if both have at least four, and so "
        "six words; null: only equal ones.",
        gt=0,
        le=1,
    )


class CorpusSettings(Settings):
    """Keys of corpora of every source."""

    kind: str = setting(REQUIRED, "Source of the corpus.")
    description: str = setting("", "Description in one line.")
    licence: str = setting("", "Licence of the text.")
    citation: str = setting("", "Reference to cite when using the corpus.")
    languages: dict[Language, str] = setting(
        REQUIRED, "Codes and names of the corpus' languages.", min_length=1
    )
    split: SplitOverrides | None = setting(  # type: ignore[valid-type]
        None, "Keys of `split` in config.yaml that differ for this corpus."
    )
    filters: FilterSettings | None = setting(
        None,
        "Filters of its training text. Text for language models then also loses sentences of other "
        "languages, and what repeats the bitext or itself but for numbers and names of code.",
    )

    _members: dict[str, "CorpusSettings"] = PrivateAttr(default_factory=dict)

    def own_split(self, general: SplitSettings) -> SplitSettings:
        """The settings of its split: its own keys over the general ones."""
        own: dict[str, Any] = {} if self.split is None else to_plain(self.split)
        given = {key: value for key, value in own.items() if value is not None}
        return general.model_copy(update=given)

    def joins(self) -> tuple[str, ...]:
        """Names of the corpora that this one joins."""
        return ()

    def members(self) -> dict[str, "CorpusSettings"]:
        """The corpora that this one joins, by name."""
        return self._members


class CorpusError(InputError):
    """A corpus lacks what is wanted of it, or contradicts itself.

    Attributes:
        corpus: its name in the configuration.
    """

    def __init__(self, what: str, *, corpus: str, hint: str = "") -> None:
        super().__init__(what, hint=hint)
        self.corpus = corpus


def check_languages(name: str, corpus: CorpusSettings, languages: Iterable[str]) -> None:
    """Raise CorpusError, naming the available ones, if a corpus lacks a language."""
    for language in languages:
        if language not in corpus.languages:
            raise CorpusError(
                f"corpus {name} has no language {language!r}",
                corpus=name,
                hint=f"it has {', '.join(corpus.languages)}",
            )
