"""Back-off n-gram models as a kind of language model."""

from pathlib import Path
from typing import Any, Literal

from typing_extensions import override

from nlmt.errors import InputError
from nlmt.lm.kinds import ModelKind, ModelSettings, TrainingData, TrainingResources
from nlmt.ngram.files import is_kenlm
from nlmt.ngram.model import NgramModel
from nlmt.ngram.training import train_binary
from nlmt.settings import REQUIRED, setting

MODEL = "model.binary"


class NgramSettings(ModelSettings):
    """A back-off n-gram model with modified Kneser-Ney smoothing, by KenLM's lmplz."""

    kind: Literal["ngram"] = setting(REQUIRED, "What kind of model this is.")
    order: int = setting(REQUIRED, "Length of the longest n-grams.", ge=2, le=6, unit="words")


class NgramKind(ModelKind):
    """Models that lmplz estimates, as KenLM tries."""

    settings = NgramSettings
    feature = "LM"
    form = f"a file of KenLM, binary or ARPA, or a folder with {MODEL}"

    @override
    def files(self, settings: NgramSettings) -> tuple[str, ...]:
        return (MODEL,)

    @override
    def resources(self, settings: NgramSettings) -> TrainingResources:
        return TrainingResources(mem_mb=2000, mem_per_mb=40, runtime=30, runtime_per_mb=1)

    @override
    def unfit_for_decoder(self, settings: NgramSettings) -> str:
        return ""

    @override
    def decoder_feature(self, settings: NgramSettings, folder: str) -> dict[str, Any]:
        return {"path": f"{folder}/{MODEL}", "order": settings.order}

    @override
    def remembers(self, settings: NgramSettings) -> int | None:
        return settings.order - 1

    @override
    def train(
        self, settings: NgramSettings, data: TrainingData, folder: Path, *, threads: int
    ) -> None:
        if len(data.texts) != 1:
            raise InputError("an n-gram model is estimated from one text", hint="join the texts")
        train_binary(data.texts[0], folder / MODEL, order=settings.order)

    @override
    def find(self, path: Path) -> Path | None:
        if (path / MODEL).is_file():
            return path / MODEL
        return path if path.is_file() and is_kenlm(path) else None

    @override
    def load(self, path: Path, *, threads: int = 1) -> NgramModel:
        return NgramModel(path)


NGRAM = NgramKind()
