"""Back-off n-gram models as a kind of language model."""

from pathlib import Path
from typing import Any, Literal

from nlmt.errors import InputError
from nlmt.lm.kinds import ModelSettings, TrainingData, TrainingResources
from nlmt.ngram.model import NgramModel
from nlmt.ngram.training import train_binary
from nlmt.settings import REQUIRED, setting

MODEL = "model.binary"


class NgramSettings(ModelSettings):
    """A back-off n-gram model with modified Kneser-Ney smoothing, by KenLM's lmplz."""

    kind: Literal["ngram"] = setting(REQUIRED, "What kind of model this is.")
    order: int = setting(REQUIRED, "Length of the longest n-grams.", ge=2, le=6, unit="words")


class NgramKind:
    """See `nlmt.lm.kinds.ModelKind`."""

    settings = NgramSettings
    feature = "LM"

    def files(self, _settings: NgramSettings) -> tuple[str, ...]:
        """The trie."""
        return (MODEL,)

    def curve(self, _settings: NgramSettings) -> str | None:
        """None: it is estimated from counts."""
        return None

    def encoded(self, _settings: NgramSettings) -> int | None:
        """Texts as sentences."""
        return None

    def classes(self, _settings: NgramSettings) -> str | None:
        """None are needed."""
        return None

    def source(self, _settings: NgramSettings) -> str:
        """It sees nothing of the source."""
        return "none"

    def other_models(self, _settings: NgramSettings) -> dict[str, str]:
        """None are needed."""
        return {}

    def resources(self, _settings: NgramSettings) -> TrainingResources:
        """What lmplz takes."""
        return TrainingResources(mem_mb=2000, mem_per_mb=40, runtime=30, runtime_per_mb=1)

    def check(self, _settings: NgramSettings) -> None:
        """All settings go together."""

    def unfit_for_decoder(self, _settings: NgramSettings) -> str:
        """Every one can decode."""
        return ""

    def decoder_feature(self, settings: NgramSettings, folder: str) -> dict[str, Any]:
        """Path and order."""
        return {"path": f"{folder}/{MODEL}", "order": settings.order}

    def remembers(self, settings: NgramSettings) -> int | None:
        """The words before the last one of an n-gram."""
        return settings.order - 1

    def train(
        self, settings: NgramSettings, data: TrainingData, folder: Path, *, threads: int
    ) -> None:
        """Estimate the model; lmplz decides on threads by itself."""
        if len(data.texts) != 1:
            raise InputError("an n-gram model is estimated from one text", hint="join the texts")
        train_binary(data.texts[0], folder / MODEL, order=settings.order)

    def find(self, path: Path) -> Path | None:
        """A folder with a model, or any file."""
        if (path / MODEL).is_file():
            return path / MODEL
        return path if path.is_file() else None

    def load(self, path: Path, *, threads: int = 1) -> NgramModel:
        """Load a file of KenLM, binary or ARPA; queries take one thread."""
        return NgramModel(path)


NGRAM = NgramKind()
