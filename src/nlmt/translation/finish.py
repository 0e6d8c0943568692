"""From the tokens of translations to text: case, unknown words, spaces."""

from collections.abc import Collection, Sequence

from nlmt.text import Casing, Detokeniser, begins_small, capitalise
from nlmt.translation.recase import Recaser


class Finisher:
    """Makes text of translations by systems whose words have one casing.

    Lower-cased words get the case that they have in the training text, others keep theirs. Words
    that are not in it are those of the source, if they are there. Sentences begin with capitals,
    the first one of a line unless its source does not.
    """

    def __init__(self, language: str, casing: Casing, recaser: Recaser | None) -> None:
        """Prepare for a target language; the casing `lower` needs a recaser."""
        self._detokenise = Detokeniser(language)
        self._casing: Casing = casing
        self._recaser = recaser

    def __call__(
        self,
        sources: Sequence[str],
        translations: Sequence[str],
        marked: Sequence[Collection[str]] | None = None,
    ) -> list[str]:
        """The text of each translation.

        Texts are tokens; those of a translation that are `marked` get brackets.
        """
        recaser = self._recaser
        cased = translations if recaser is None else recaser(translations)
        none: Sequence[Collection[str]] = [()] * len(sources)
        return list(map(self._text, sources, cased, none if marked is None else marked))

    def _text(self, source: str, line: str, marked: Collection[str]) -> str:
        words = line.split()
        if self._recaser is not None:
            known = self._recaser.knows
            written = {word.lower(): word for word in reversed(source.split())}
            words = [word if known(word.lower()) else written.get(word, word) for word in words]
            marked = {written.get(word, word) for word in marked}
        line = " ".join(f"[{word}]" if word in marked else word for word in words)
        if self._casing != "keep":
            line = capitalise(line, first=not begins_small(source))
        return self._detokenise(line)
