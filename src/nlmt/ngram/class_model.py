"""Class n-gram models: p(w | h) = p(w | class of w) p(class of w | classes of h).

Brown et al. 1992, Class-based n-gram models of natural language, equation 1.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.io.files import check_file
from nlmt.lm.context_stepper import ContextStepper
from nlmt.lm.protocol import SteppingModel, WordModel
from nlmt.ngram.class_table import HINT, ClassTable
from nlmt.ngram.files import read_vocabulary
from nlmt.ngram.model import BEGIN_ID, END_ID, UNKNOWN_ID, NgramModel
from nlmt.vocabulary import SPECIAL, Vocabulary

WORDS = "words.tsv"
CLASSES = "classes.binary"


class ClassNgramModel(WordModel, SteppingModel):
    """A model of the words of a `ClassTable`; `<unk>` is a class of its own."""

    def __init__(self, classes: NgramModel, table: ClassTable) -> None:
        """Combine a model of classes and a table of words.

        `classes` is a model over the names of the classes of the table.
        """
        self._classes = classes
        self.vocabulary = Vocabulary((*SPECIAL, *table.members))
        names = [member.name for member in table.members.values()]
        # By the id of a word: `<unk>` is unknown to both models, `<s>` is never requested.
        special = UNKNOWN_ID, UNKNOWN_ID, END_ID
        self._class_of = np.array([*special, *classes.lookup(names)], np.int32)
        self._log_p = np.array([0.0] * len(SPECIAL) + [m.log_p for m in table.members.values()])

    @classmethod
    def load(cls, folder: Path) -> "ClassNgramModel":
        """Load a folder with a table of words and a KenLM model of their classes.

        Raises:
            InputError: a missing or damaged file; files that do not belong together.
        """
        table = load_table(folder)
        return cls(NgramModel(folder / CLASSES), table)

    @property
    @override
    def order(self) -> int:
        return self._classes.order

    @override
    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return self.vocabulary.lookup(words)

    @override
    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        inside: NDArray[np.float64] = np.insert(self._log_p[ids], offsets[1:], 0.0)
        return self._classes.score_words(self._class_of[ids], offsets) + inside

    @override
    def stepper(self) -> ContextStepper:
        classes, class_of, log_p = self._classes, self._class_of, self._log_p
        return ContextStepper(
            self.order,
            BEGIN_ID,
            self.vocabulary.end,
            lambda contexts, words, _: (
                classes.score_after(contexts, class_of[words]) + log_p[words]
            ),
            class_of,
        )


def load_table(folder: Path) -> ClassTable:
    """The words of a model's folder, checked against its model of classes.

    Raises:
        InputError: a missing or damaged file; files that do not belong together.
    """
    table = ClassTable.read(folder / WORDS)
    own = read_vocabulary(check_file(folder / CLASSES))
    if own is not None and set(own.words).difference(SPECIAL) != set(table.masses()):
        what = f"its classes differ from those of {CLASSES}"
        raise InputError(what, path=folder / WORDS, hint=HINT)
    return table
