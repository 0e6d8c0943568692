"""Recasing of lower-cased text, as by Moses' recaser.

A word is translated into one of its forms in the training text, one by one from left to right, by
the trigram model of that text. It is truecased first: a capital at the beginning of a sentence says
nothing of a word.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from nlmt.decoder import Decoder, SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import read_lines, scratch_folder, write_lines
from nlmt.io.moses_ini import Feature, MosesIni
from nlmt.ngram.training import MEMORY, train_binary
from nlmt.steps import hidden_steps
from nlmt.text import Truecaser

FORMS, MODEL = "forms.gz", "model.binary"
_ORDER = 3
_SEARCH = SearchOptions(distortion_limit=0, beam_threshold=0)


def train_recaser(lines: Iterable[str], forms: Path, model: Path, *, memory: str = MEMORY) -> None:
    """Write the forms of words, as a phrase table, and the trigram model of a text.

    `lines` are tokens with their case; `memory` is for sorting, as lmplz's `-S` takes it.

    Raises:
        InputError: as `train_binary`.
    """
    with scratch_folder(forms) as scratch:
        cased, truecased = scratch / "cased.gz", scratch / "truecased.gz"
        write_lines(cased, lines)
        truecaser = Truecaser.train(read_lines(cased))
        write_lines(truecased, map(truecaser, read_lines(cased)))
        words = {word for line in read_lines(truecased) for word in line.split()}
        write_lines(forms, (f"{word.lower()} ||| {word} ||| 1 ||| 0-0" for word in sorted(words)))
        train_binary(truecased, model, order=_ORDER, memory=memory)


class Recaser:
    """Gives lower-cased tokens of one language the case that they have in a training text."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Load the files that `train_recaser` wrote into a folder."""
        for name in (FORMS, MODEL):
            if not (folder / name).is_file():
                hint = "give the recaser of a pair, such as results/help/fr-en/recaser"
                raise InputError(f"no {name} here", path=folder, hint=hint)
        forms, model = (str(folder.absolute() / name) for name in (FORMS, MODEL))
        features = (
            Feature("PhraseDictionaryMemory", "TM0", {"num-features": "1", "path": forms}),
            Feature("KENLM", "LM0", {"path": model, "order": str(_ORDER)}),
            Feature("UnknownWordPenalty", "UnknownWordPenalty0", {}),
        )
        ini = MosesIni({}, features, {"TM0": [0.0], "LM0": [1.0]})
        with hidden_steps():
            self._decoder = Decoder(folder / MODEL, settings=ini, search=_SEARCH, threads=threads)
        self._known = {line.partition(" ")[0] for line in read_lines(folder / FORMS)}

    def knows(self, word: str) -> bool:
        """Whether a lower-cased word was in the training text."""
        return word in self._known

    def __call__(self, lines: Sequence[str]) -> list[str]:
        """The lines with case; words that were not in the training text stay."""
        with hidden_steps():
            return [best.text for best in self._decoder.translate(lines)]
