"""A kind of language model: unigrams, smoothed by adding a constant to every count."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nlmt.io.files import read_lines, write_text
from nlmt.io.json_files import read_json
from nlmt.kinds import KINDS
from nlmt.lm import (
    ModelKind,
    ModelPlan,
    ModelSettings,
    TrainingData,
    TrainingResources,
    WordModel,
    find_file,
)
from nlmt.settings import REQUIRED, setting
from nlmt.vocabulary import SPECIAL, Vocabulary, count_words

MODEL = "unigrams.json"


class UnigramSettings(ModelSettings):
    """Unigrams with additive smoothing."""

    kind: Literal["unigram"] = setting(REQUIRED, "A unigram model.")
    added: float = setting(1.0, "Constant added to the count of every word.", gt=0)


class UnigramModel(WordModel):
    """The probability of a word does not depend on the words before it."""

    def __init__(self, counts: dict[str, float]) -> None:
        self.vocabulary = Vocabulary((*SPECIAL, *(w for w in counts if w not in SPECIAL)))
        numbers = np.array([counts.get(word, 0.0) for word in self.vocabulary.words])
        with np.errstate(divide="ignore"):  # nothing predicts <s>
            self._scores = np.log(numbers / numbers.sum())

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return self.vocabulary.lookup(words)

    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return self._scores[np.insert(ids, offsets[1:], self.vocabulary.end)]

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        words = self.score_words(ids, offsets)
        ends = np.cumsum(np.diff(offsets) + 1)
        return np.array([part.sum() for part in np.split(words, ends)[:-1]])


class UnigramKind(ModelKind[UnigramSettings]):
    """Counts in a JSON file."""

    settings = UnigramSettings
    feature = "ULM"
    form = f"a folder with {MODEL}"

    def plan(self, settings: UnigramSettings) -> ModelPlan:
        resources = TrainingResources(mem_mb=500, mem_per_mb=20, runtime=10, runtime_per_mb=0.1)
        return ModelPlan(files=(MODEL,), resources=resources, remembers=0)

    def train(
        self, settings: UnigramSettings, data: TrainingData, folder: Path, *, threads: int
    ) -> None:
        lines = [line for text in data.texts for line in read_lines(text)]
        counts = count_words(lines) | {"<unk>": 0, "</s>": len(lines)}
        smoothed = {word: count + settings.added for word, count in sorted(counts.items())}
        write_text(folder / MODEL, json.dumps(smoothed, indent=0) + "\n")

    def find(self, path: Path) -> Path | None:
        return find_file(path, MODEL)

    def load(self, path: Path, *, threads: int = 1) -> UnigramModel:
        return UnigramModel(read_json(path))


KINDS.register("unigram", UnigramKind())
