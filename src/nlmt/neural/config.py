"""What a neural language model is made of and how it is trained, by names.

A configuration is one flat mapping, as it stands under `language_models` in `config.yaml` or in the
file of `nlmt lm train --config`. Its keys are the fields of `Architecture` and `Training`.
"""

import difflib
from dataclasses import asdict, dataclass, fields
from typing import Any

from nlmt.errors import InputError

PROJECTIONS = ("diagonal", "full", "concatenation")
ACTIVATIONS = ("rectifier", "tanh", "sigmoid")
OUTPUTS = ("class-factored", "full")
OBJECTIVES = ("nce", "likelihood")
OPTIMISERS = ("adagrad", "sgd")
SCHEDULES = ("constant", "linear")
ENGINES = ("auto", "kernel", "torch")

_CHOICES = {
    "projection": PROJECTIONS,
    "activation": ACTIVATIONS,
    "output": OUTPUTS,
    "objective": OBJECTIVES,
    "optimiser": OPTIMISERS,
    "schedule": SCHEDULES,
    "engine": ENGINES,
}
# key: (least, most)
_RANGES: dict[str, tuple[float, float]] = {
    "order": (2, 32),
    "dim": (1, 8192),
    "min_count": (1, 1_000_000),
    "noise": (1, 100_000),
    "dropout": (0.0, 0.9),
    "learning_rate": (1e-8, 100.0),
    "initial_square": (0.0, 1e6),
    "minibatch": (1, 1_000_000),
    "passes": (1, 10_000),
    "patience": (1, 10_000),
    "seed": (0, 2**32 - 1),
}


@dataclass(frozen=True)
class Architecture:
    """The parts of a feed-forward model, from the words before to the word after.

    Attributes:
        order: length of the n-grams; the context is one word shorter.
        dim: size of the word embeddings.
        projection: how the embeddings of the context are joined: `diagonal` or `full`, their sum
            after a matrix for each position (Baltescu and Blunsom 2015), or `concatenation`
            (Schwenk 2007).
        activation: of the sums and of every hidden layer; a concatenation has none.
        hidden: sizes of the hidden layers between projection and output.
        output: `class-factored`, p(class | h) p(word | class, h), or `full`, one softmax.
        min_count: words that occur less often in the training text are `<unk>`.
    """

    order: int = 5
    dim: int = 200
    projection: str = "diagonal"
    activation: str = "rectifier"
    hidden: tuple[int, ...] = ()
    output: str = "class-factored"
    min_count: int = 2

    @property
    def context(self) -> int:
        """Number of words before the one that is predicted."""
        return self.order - 1

    @property
    def hidden_dim(self) -> int:
        """Size of the vector that the output layer sees."""
        if self.hidden:
            return self.hidden[-1]
        return self.dim * (self.context if self.projection == "concatenation" else 1)


@dataclass(frozen=True)
class Training:
    """How the parameters are found.

    Attributes:
        objective: `nce`, noise-contrastive estimation with the normaliser held at 1, or
            `likelihood`, exactly normalised.
        noise: samples an example and layer under `nce`.
        dropout: share of the hidden units that are left out of an example, in steps of 1/256.
        optimiser: `adagrad` (gradients summed over a minibatch) or `sgd` (averaged).
        learning_rate: step size at the start.
        schedule: `constant`, or `linear` down to zero over all passes.
        initial_square: what AdaGrad's sums of squares start from. At zero the first step of a rare
            word is as long in every direction as that of a frequent one, which overfits.
        minibatch: examples a step.
        passes: over the training text, at most.
        patience: passes without a better dev perplexity after which training ends.
        engine: `kernel` compiled, on the CPU; `torch` for every combination and for GPUs; `auto`
            takes the kernel wherever it can.
        seed: of parameters, order of examples, noise and dropout.
    """

    objective: str = "nce"
    noise: int = 10
    dropout: float = 0.4
    optimiser: str = "adagrad"
    learning_rate: float = 0.15
    schedule: str = "linear"
    initial_square: float = 0.3
    minibatch: int = 2000
    passes: int = 10
    patience: int = 2
    engine: str = "auto"
    seed: int = 1


@dataclass(frozen=True)
class NeuralConfig:
    """Architecture and training of one model."""

    architecture: Architecture = Architecture()
    training: Training = Training()

    @classmethod
    def from_dict(cls, settings: dict[str, Any]) -> "NeuralConfig":
        """Read a flat mapping; keys that are left out have their defaults.

        Raises:
            InputError: an unknown key, or a value that is not allowed; says what is.
        """
        known = [field.name for part in (Architecture, Training) for field in fields(part)]
        settings = {key: value for key, value in settings.items() if key != "kind"}
        for key, value in settings.items():
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise InputError(f"unknown key {key!r} (allowed: {', '.join(known)}{hint})")
            settings[key] = _checked(key, value)
        architecture, training = (
            part(**{f.name: settings[f.name] for f in fields(part) if f.name in settings})
            for part in (Architecture, Training)
        )
        assert isinstance(architecture, Architecture)
        assert isinstance(training, Training)
        return cls(architecture, training)

    def to_dict(self) -> dict[str, Any]:
        """The flat mapping that `from_dict` reads, defaults filled in, ready for JSON."""
        both = {**asdict(self.architecture), **asdict(self.training)}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in both.items()}


def _checked(key: str, value: Any) -> Any:
    """The value of a key, as the type that its field has."""
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            raise InputError(f"{key}: {value!r} is not allowed ({', '.join(_CHOICES[key])})")
        return value
    if key == "hidden":
        if not isinstance(value, list | tuple) or not all(
            isinstance(size, int) and not isinstance(size, bool) and size > 0 for size in value
        ):
            raise InputError(
                f"hidden: {value!r} is no list of layer sizes (for example [400, 200])"
            )
        return tuple(value)
    whole = key not in ("dropout", "learning_rate", "initial_square")
    low, high = _RANGES[key]
    fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not fits or not low <= value <= high:
        kind = "whole number" if whole else "number"
        raise InputError(f"{key}: {value!r} is no {kind} from {low:g} to {high:g}")
    return value if whole else float(value)
