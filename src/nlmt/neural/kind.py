"""Neural models as a kind of language model."""

from pathlib import Path

from nlmt.neural.model import NeuralLM

MODEL = "model.safetensors"


class NeuralKind:
    """See `nlmt.lm.kinds.ModelKind`."""

    feature = "NLM"
    form = f"a folder with {MODEL}"

    def find(self, path: Path) -> Path | None:
        """A folder with a model, or its file of parameters."""
        if path.name == MODEL and path.is_file():
            path = path.parent
        return path if (path / MODEL).is_file() else None

    def load(self, path: Path, *, threads: int = 1) -> NeuralLM:
        """Load a model's folder."""
        return NeuralLM.load(path, threads=threads)


NEURAL = NeuralKind()
