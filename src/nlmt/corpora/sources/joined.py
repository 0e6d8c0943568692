"""Corpora that join others, such as the training, dev and test sets of a shared task."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator
from typing_extensions import override

from nlmt.corpora.settings import CorpusError, CorpusSettings, check_languages
from nlmt.corpora.sources import SOURCES, Piece, Source
from nlmt.corpora.text_files import PARTS, WHOLE, PartFiles, TextFile
from nlmt.settings import REQUIRED, setting

_PARTS = (*PARTS, WHOLE)
_OTHERWISE = {"train": WHOLE, WHOLE: "train"}

Member: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_.-]+(/(train|dev|test|dev2|whole))?$",
        examples=["newstest2013/test"],
    ),
]


class JoinedCorpus(CorpusSettings):
    """Concatenated parts of other corpora.

    A corpus contributes its part of that name, if it has one; otherwise its whole text for train,
    its training text for whole, its test set for the others. `newstest2013/test` names a part
    explicitly. Text of one language is that of the corpora that have it. The keys `split` and
    `filters` of this entry count, not theirs.
    """

    kind: Literal["joined"] = setting(REQUIRED, "Corpora put together.")
    train: tuple[Member, ...] = setting((), "Corpora to train on.")
    dev: tuple[Member, ...] = setting((), "Corpora to tune on.")
    test: tuple[Member, ...] = setting((), "Corpora to test on.")
    dev2: tuple[Member, ...] = setting((), "Corpora to tune reranking on.")
    whole: tuple[Member, ...] = setting(
        (), "Corpora from which train is drawn, and so is each part that no other key names."
    )

    @model_validator(mode="after")
    def _check(self) -> "JoinedCorpus":
        if not any(getattr(self, part) for part in _PARTS):
            raise ValueError(f"one of {', '.join(_PARTS)} is needed")
        if self.train and self.whole:
            raise ValueError(f"train is drawn from {WHOLE}: leave one of them out")
        return self

    @override
    def joins(self) -> tuple[str, ...]:
        entries = (entry for part in _PARTS for entry in getattr(self, part))
        return tuple(dict.fromkeys(entry.partition("/")[0] for entry in entries))


class JoinedSource(Source):
    """Delegates to the sources of the joined corpora, which have downloads of their own."""

    settings = JoinedCorpus

    @override
    def parts(self, corpus: JoinedCorpus) -> tuple[str, ...]:
        return tuple(part for part in _PARTS if getattr(corpus, part))

    @override
    def pairs(
        self, name: str, corpus: JoinedCorpus, part: str, source: str, target: str
    ) -> list[Piece[PartFiles]]:
        found: list[Piece[PartFiles]] = []
        for member, settings, its_part in _members(name, corpus, part):
            check_languages(member, settings, (source, target))
            origin = SOURCES.get(settings.kind)
            found += origin.pairs(member, settings, its_part, source, target)
        return found

    @override
    def texts(
        self, name: str, corpus: JoinedCorpus, part: str, language: str
    ) -> list[Piece[TextFile]]:
        members = _members(name, corpus, part)
        if not any(language in settings.languages for _, settings, _ in members):
            check_languages(members[0][0], members[0][1], [language])
        found: list[Piece[TextFile]] = []
        for member, settings, its_part in members:
            if language in settings.languages:
                found += SOURCES.get(settings.kind).texts(member, settings, its_part, language)
        return found


def _members(name: str, corpus: JoinedCorpus, part: str) -> list[tuple[str, CorpusSettings, str]]:
    """Name, settings and part of each corpus that a part joins."""
    found = []
    for entry in getattr(corpus, part):
        member, _, wanted = entry.partition("/")
        settings = corpus.members()[member]
        given = SOURCES.get(settings.kind).parts(settings)
        choices = [wanted] if wanted else [part, _OTHERWISE.get(part, "test")]
        chosen = next((choice for choice in choices if choice in given), None)
        if chosen is None:
            raise CorpusError(
                f"corpus {name}: {part}: {member} has no part {' or '.join(choices)}",
                corpus=name,
                hint=f"it has {', '.join(given)}",
            )
        found.append((member, settings, chosen))
    return found


JOINED = JoinedSource()
