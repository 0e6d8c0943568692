"""A kind of language model: an n-gram model that reads sentences from their end."""

import json
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nlmt.io.files import read_lines, scratch_folder, write_lines, write_text
from nlmt.kinds import KINDS
from nlmt.lm import ModelKind, ModelPlan, ModelSettings, TrainingData, TrainingResources, find_file
from nlmt.lm.protocol import WordModel
from nlmt.ngram import NgramModel, train_binary
from nlmt.settings import REQUIRED, setting

FACTS, MODEL = "right-to-left.json", "reversed.binary"


class RightToLeftSettings(ModelSettings):
    """An n-gram model of the reversed sentences."""

    kind: Literal["right-to-left"] = setting(REQUIRED, "A model of reversed sentences.")
    order: int = setting(5, "Length of the longest n-grams.", ge=2, le=6, unit="words")


class RightToLeftModel(WordModel):
    """The probability of a word given those after it."""

    def __init__(self, path: Path) -> None:
        self._reversed = NgramModel(path)
        self.vocabulary = self._reversed.vocabulary
        self.lookup = self._reversed.lookup

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        # All words in reverse are the sentences in reverse, each of them reversed.
        return self._reversed.score_sentences(ids[::-1], len(ids) - offsets[::-1])[::-1]

    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        scores = self._reversed.score_words(ids[::-1], len(ids) - offsets[::-1])[::-1]
        # The end of a reversed sentence stands before its words; here it belongs behind them.
        ends = offsets[:-1] + np.arange(len(offsets) - 1)
        return np.insert(np.delete(scores, ends), offsets[1:], scores[ends])


class RightToLeftKind(ModelKind[RightToLeftSettings]):
    """Trained by lmplz on the reversed text."""

    settings = RightToLeftSettings
    feature = "RLM"
    form = f"a folder with {FACTS}"

    def plan(self, settings: RightToLeftSettings) -> ModelPlan:
        return ModelPlan(
            files=(FACTS, MODEL),  # the first one tells this kind from others
            resources=TrainingResources(mem_mb=2000, mem_per_mb=40, runtime=30, runtime_per_mb=1),
            remembers=None,  # a word depends on those after it: not for lattices
        )

    def train(
        self, settings: RightToLeftSettings, data: TrainingData, folder: Path, *, threads: int
    ) -> None:
        with scratch_folder(folder / FACTS) as scratch:
            lines = (line for text in data.texts for line in read_lines(text))
            write_lines(scratch / "text", (" ".join(line.split()[::-1]) for line in lines))
            train_binary(scratch / "text", folder / MODEL, order=settings.order)
        write_text(folder / FACTS, json.dumps({"order": settings.order}) + "\n")

    def find(self, path: Path) -> Path | None:
        return find_file(path, FACTS)

    def load(self, path: Path, *, threads: int = 1) -> RightToLeftModel:
        return RightToLeftModel(path.with_name(MODEL))


KINDS.register("right-to-left", RightToLeftKind())
