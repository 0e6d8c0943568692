"""What a neural language model is made of and how it is trained, by names.

A configuration is one flat mapping, as it stands under `language_models` in `config.yaml` or in the
file of `nlmt lm train --config`. Its keys are the fields of `Architecture` and `Training`.
"""

import difflib
import re
from dataclasses import asdict, dataclass, fields
from typing import Any

from nlmt.errors import InputError

NETWORKS = ("feed-forward", "elman", "gru", "lstm", "transformer")
SOURCES = ("none", "window", "lsa", "averaged", "concatenated")
PROJECTIONS = ("diagonal", "full", "concatenation")
ACTIVATIONS = ("relu", "tanh", "sigmoid")
OUTPUTS = ("class-factored", "tree-factored", "full", "short-list")
TREES = ("huffman", "brown")
OBJECTIVES = ("nce", "likelihood", "self-normalised")
SHARINGS = ("example", "batch")
OPTIMISERS = ("adagrad", "sgd", "adam")
SCHEDULES = ("constant", "linear", "halving", "plateau")
ENGINES = ("auto", "kernel", "torch")
DEVICES = ("auto", "cpu", "gpu")
PRECISIONS = ("float32", "bfloat16")

_CHOICES = {
    "network": NETWORKS,
    "source": SOURCES,
    "projection": PROJECTIONS,
    "activation": ACTIVATIONS,
    "output": OUTPUTS,
    "tree": TREES,
    "objective": OBJECTIVES,
    "noise_sharing": SHARINGS,
    "optimiser": OPTIMISERS,
    "schedule": SCHEDULES,
    "engine": ENGINES,
    "device": DEVICES,
    "precision": PRECISIONS,
}
# key: (least, most)
_RANGES: dict[str, tuple[float, float]] = {
    "order": (2, 32),
    "source_window": (0, 100),
    "source_dim": (1, 8192),
    "dim": (1, 8192),
    "unroll": (1, 10_000),
    "layers": (1, 64),
    "heads": (1, 128),
    "direct_features": (0, 2**30),
    "direct_order": (2, 8),
    "short_list": (1, 100_000_000),
    "min_count": (1, 1_000_000),
    "alpha": (0.0, 1000.0),
    "noise": (1, 100_000),
    "dropout": (0.0, 0.9),
    "learning_rate": (1e-8, 100.0),
    "halving_epoch": (1, 10_000),
    "initial_square": (0.0, 1e6),
    "weight_decay": (0.0, 1e6),
    "clip": (0.0, 1e6),
    "minibatch": (1, 1_000_000),
    "epochs": (1, 10_000),
    "evaluations": (1, 10_000),
    "patience": (1, 10_000),
    "seed": (0, 2**32 - 1),
}
_NUMBERS = (
    "alpha",
    "dropout",
    "learning_rate",
    "initial_square",
    "weight_decay",
    "clip",
)
_FEED_FORWARD = ("feed-forward",)
_POSITIVE = range(1, 2**31)
# key: (the key that it belongs to, the values under which it has an effect)
_BELONGS: dict[str, tuple[str, tuple[str, ...] | range]] = {
    "order": ("network", _FEED_FORWARD),
    "source_window": ("source", ("window", "averaged", "concatenated")),
    "source_dim": ("source", SOURCES[2:]),
    "projection": ("network", _FEED_FORWARD),
    "activation": ("network", _FEED_FORWARD),
    "hidden": ("network", _FEED_FORWARD),
    "unroll": ("network", ("elman", "gru", "lstm")),
    "layers": ("network", ("gru", "lstm", "transformer")),
    "heads": ("network", ("transformer",)),
    "direct_features": ("network", NETWORKS[1:]),
    "direct_order": ("direct_features", _POSITIVE),
    "tree": ("output", ("tree-factored",)),
    "short_list": ("output", ("short-list",)),
    "min_count": ("output", ("class-factored", "tree-factored", "full")),
    "alpha": ("objective", ("self-normalised",)),
    "noise": ("objective", ("nce",)),
    "noise_sharing": ("objective", ("nce",)),
    "halving_epoch": ("schedule", ("halving",)),
    "initial_square": ("optimiser", ("adagrad",)),
}


@dataclass(frozen=True)
class Architecture:
    """The parts of a model, from the words before to the word after.

    Attributes:
        network: `feed-forward`, over an n-gram's words; or over all words of the sentence before:
            `elman` (Mikolov et al. 2010), `gru`, `lstm`, or a causal `transformer`.
        order: length of the n-grams; the context is one word shorter. Of a network over sentences
            with a short-list: of the back-off model, unless that is given.
        source: what is seen of the source sentence: `none`; the `window` of words around the one
            that the predicted word is affiliated with (Devlin et al. 2014); or a vector beside the
            words before (Auli et al. 2013): of the sentence by latent semantic analysis (`lsa`), or
            the `averaged` or `concatenated` embeddings, of another model, of the window's words.
        source_window: words on each side of it; 5 are a window of 11.
        source_dim: numbers of a vector, of a word's where they are concatenated.
        dim: size of the word embeddings; of the hidden layers too, unless feed-forward.
        unroll: steps over which gradients flow back through time.
        layers: of `gru`, `lstm` and `transformer`, one above the other.
        heads: of attention.
        direct_features: size of the hash table of weights of n-grams that are added to the output
            activations (Mikolov et al. 2011); 0 for none.
        direct_order: length of the longest of them; those of order 1 are the output biases.
        projection: how the embeddings of the context are joined: `diagonal` or `full`, their sum
            after a matrix for each position (Baltescu and Blunsom 2015), or `concatenation`
            (Schwenk 2007).
        activation: of the sums and of every hidden layer; a concatenation has none.
        hidden: sizes of the hidden layers between projection and output.
        output: `class-factored`, p(class | h) p(word | class, h) (Goodman 2001); `tree-factored`, a
            sigmoid for each node of a word's path in a binary tree (Morin and Bengio 2005);
            `full`, one softmax; `short-list`, one over the most frequent words, while a back-off
            model has the others and says how much these have together (Schwenk 2010).
        tree: `huffman`, over the words' counts; `brown`, that of the class file, the words of a
            class in a Huffman tree of their own. A class file of one word a class gives any tree.
        short_list: number of words of the short-list.
        min_count: words that occur less often in the training text are `<unk>`; the same of the
            source.
    """

    network: str = "feed-forward"
    order: int = 5
    source: str = "none"
    source_window: int = 5
    source_dim: int = 100
    dim: int = 200
    unroll: int = 20
    layers: int = 1
    heads: int = 4
    direct_features: int = 0
    direct_order: int = 3
    projection: str = "diagonal"
    activation: str = "relu"
    hidden: tuple[int, ...] = ()
    output: str = "class-factored"
    tree: str = "huffman"
    short_list: int = 1024
    min_count: int = 2

    @property
    def context(self) -> int:
        """Number of words before the one that is predicted."""
        return self.order - 1

    @property
    def beside(self) -> int:
        """Numbers in the vector of the source that stands beside the words."""
        if self.source not in SOURCES[2:]:
            return 0
        words = 2 * self.source_window + 1 if self.source == "concatenated" else 1
        return words * self.source_dim

    @property
    def positions(self) -> int:
        """Number of words whose embeddings are joined: of the context, then of the source."""
        return self.context + (2 * self.source_window + 1 if self.source == "window" else 0)

    @property
    def projected(self) -> int:
        """Size of the joined embeddings of a feed-forward model's words."""
        return self.dim * (self.positions if self.projection == "concatenation" else 1)

    @property
    def units(self) -> int:
        """Size of the last hidden layer."""
        if self.network != "feed-forward":
            return self.dim
        return self.hidden[-1] if self.hidden else self.projected

    @property
    def hidden_dim(self) -> int:
        """Size of the vector that the output layer sees."""
        return self.units + self.beside

    @property
    def needs_alignment(self) -> bool:
        """Whether what is seen of the source differs from word to word."""
        return self.source in ("window", "averaged", "concatenated")

    @property
    def takes_embeddings(self) -> bool:
        """Whether what is seen of the source is in the embeddings of another model."""
        return self.source in ("averaged", "concatenated")


@dataclass(frozen=True)
class Training:
    """How the parameters are found.

    Attributes:
        objective: `nce`, noise-contrastive estimation with the normaliser held at 1 (Mnih and Teh
            2012); `likelihood`, exactly normalised; `self-normalised`, likelihood that draws the
            normalisers towards 1 (Devlin et al. 2014).
        alpha: weight of (log Z)^2 beside -log p under `self-normalised`.
        noise: samples a layer under `nce`.
        noise_sharing: whether each `example` has samples of its own, or all of a `batch` the same
            (words within a class: all of the batch with that class).
        dropout: share of the hidden units that are left out of an example, in steps of 1/256;
            unless feed-forward, of the embeddings and of what each layer gives.
        optimiser: `adagrad` (gradients summed over a minibatch), `sgd` or `adam` (averaged; words
            that a minibatch does not touch keep their moments).
        learning_rate: step size at the start.
        schedule: `constant`; `linear` down to zero over all epochs; `halving`, every half epoch
            from `halving_epoch` on (Luong et al. 2015); `plateau`, halved after an evaluation that
            hardly lowered the dev perplexity (Mikolov et al. 2010; Devlin et al. 2014).
        halving_epoch: epochs at the full rate under `halving`.
        initial_square: what AdaGrad's sums of squares start from. At zero the first step of a rare
            word is as long in every direction as that of a frequent one, which overfits. Those of
            hidden layers start from `minibatch` times as much.
        weight_decay: L2 penalty on weights, not on biases, over an epoch (Baltescu et al. 2014,
            OxLM): the rows of a large weight take their share in turn.
        clip: largest size of an element of a minibatch's gradient (its sum under `adagrad`, else
            its mean; no norms are taken), 0 for none.
        minibatch: examples (words and sentence ends) a step; unless feed-forward, as many sentences
            of about one length.
        resampling: share of each training text that an epoch draws anew, above 0 and up to 1; empty
            for all of them (Schwenk 2007).
        epochs: over the training text, at most.
        evaluations: of the dev text an epoch, evenly spaced, the last at its end: each may give a
            new best model, ends training or, under `plateau`, lowers the rate.
        patience: evaluations without a better dev perplexity after which training ends.
        engine: `kernel` compiled, on the CPU; `torch` for every combination and for GPUs; `auto`
            takes the kernel wherever it can, so that a model does not depend on whether there is a
            GPU.
        device: of torch; `auto` takes a GPU where there is one. `gpu` keeps `engine: auto` from
            taking the kernel.
        precision: of torch's products; with `bfloat16` parameters, normalisers and the loss keep
            single precision.
        seed: of parameters, order of examples, noise and dropout.
    """

    objective: str = "nce"
    alpha: float = 0.1
    noise: int = 10
    noise_sharing: str = "example"
    dropout: float = 0.4
    optimiser: str = "adagrad"
    learning_rate: float = 0.15
    schedule: str = "linear"
    halving_epoch: int = 5
    initial_square: float = 0.3
    weight_decay: float = 0.0
    clip: float = 0.0
    minibatch: int = 2000
    resampling: tuple[float, ...] = ()
    epochs: int = 10
    evaluations: int = 1
    patience: int = 2
    engine: str = "auto"
    device: str = "auto"
    precision: str = "float32"
    seed: int = 1

    @property
    def needs_torch(self) -> bool:
        """Whether the kernel cannot do what is asked for."""
        return self.device == "gpu" or self.precision != "float32"


@dataclass(frozen=True)
class NeuralConfig:
    """Architecture and training of one model."""

    architecture: Architecture = Architecture()
    training: Training = Training()

    @classmethod
    def from_dict(cls, settings: dict[str, Any]) -> "NeuralConfig":
        """Read a flat mapping; keys that are left out have their defaults.

        Raises:
            InputError: an unknown key, a value that is not allowed, or settings that make no sense
                together; says what does.
        """
        known = list(cls.keys())
        if settings.get("kind", "neural") != "neural":
            raise InputError(f"kind: {settings['kind']!r} is no neural model", hint="kind: neural")
        settings = {key: value for key, value in settings.items() if key != "kind"}
        for key, value in settings.items():
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise InputError(f"unknown key {key!r}", hint=f"{hint}nlmt lm train --help has all")
            settings[key] = _checked(key, value)
        architecture, training = (
            part(**{f.name: settings[f.name] for f in fields(part) if f.name in settings})
            for part in (Architecture, Training)
        )
        assert isinstance(architecture, Architecture)
        assert isinstance(training, Training)
        config = cls(architecture, training)
        config._check(settings)
        return config

    @staticmethod
    def keys() -> tuple[str, ...]:
        """All keys."""
        return tuple(field.name for part in (Architecture, Training) for field in fields(part))

    def to_dict(self) -> dict[str, Any]:
        """The flat mapping that `from_dict` reads, ready for JSON: all keys that have an effect."""
        both = {**asdict(self.architecture), **asdict(self.training)}
        return {
            key: list(v) if isinstance(v, tuple) else v
            for key, v in both.items()
            if _has_effect(key, both)
        }

    def parts(self) -> dict[str, Any]:
        """What `to_dict` gives of the architecture."""
        return {k: v for k, v in self.to_dict().items() if hasattr(self.architecture, k)}

    def _check(self, given: dict[str, Any]) -> None:
        """Refuse settings that make no sense together."""
        both = {**asdict(self.architecture), **asdict(self.training)}
        for key in given:
            if not _has_effect(key, both):
                owner, values = _BELONGS[key]
                raise InputError(
                    f"{key} has no effect with {owner}: {both[owner]}",
                    hint=f"leave {key} out, or set {owner}: {_listed(values)}",
                )
        if self.training.engine == "kernel" and self.training.needs_torch:
            raise InputError(
                "engine: kernel trains on the CPU and in single precision",
                hint="engine: torch, or leave device and precision out",
            )
        if self.architecture.output == "tree-factored" and self.training.objective != "likelihood":
            raise InputError(
                f"objective: {self.training.objective} is for outputs with a normaliser; a tree is "
                "normalised as it is",
                hint="objective: likelihood",
            )
        network = self.architecture.network
        if network == "feed-forward":
            return
        if network == "transformer" and self.training.engine == "kernel":
            what = "engine: kernel is not for network: transformer"
            raise InputError(what, hint="engine: auto or torch")
        if self.architecture.source == "window":
            what = f"source: window is for network: feed-forward, not for {network}"
            hint = f"leave source out, or set source: {_listed(SOURCES[2:])}"
            raise InputError(what, hint=hint)
        if network == "transformer" and self.architecture.dim % (2 * self.architecture.heads):
            what = f"dim: {self.architecture.dim} is no multiple of twice the heads"
            raise InputError(what, hint=f"for example dim: {16 * self.architecture.heads}")


def _has_effect(key: str, both: dict[str, Any]) -> bool:
    """Whether a key has one beside the values of all; a short-list's back-off has an order, too."""
    if key == "order" and both["output"] == "short-list":
        return True
    return key not in _BELONGS or both[_BELONGS[key][0]] in _BELONGS[key][1]


def _listed(values: tuple[str, ...] | range) -> str:
    """The values under which a key has an effect, in words."""
    return "above 0" if isinstance(values, range) else " or ".join(values)


def _checked(key: str, value: Any) -> Any:
    """The value of a key, as the type that its field has."""
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            raise InputError(f"{key}: {value!r} is not allowed ({', '.join(_CHOICES[key])})")
        return value
    if key == "resampling":
        if not isinstance(value, list | tuple) or not all(
            isinstance(share, int | float) and not isinstance(share, bool) and 0 < share <= 1
            for share in value
        ):
            what = f"resampling: {value!r} is no list of shares above 0 and up to 1"
            raise InputError(what, hint="for example [1, 0.25]")
        return tuple(float(share) for share in value)
    if key == "hidden":
        least, most = _RANGES["dim"]
        if not isinstance(value, list | tuple) or not all(
            isinstance(size, int) and not isinstance(size, bool) and least <= size <= most
            for size in value
        ):
            what = f"hidden: {value!r} is no list of layer sizes up to {most}"
            raise InputError(what, hint="for example [400, 200]")
        return tuple(value)
    whole = key not in _NUMBERS
    low, high = _RANGES[key]
    fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not fits or not low <= value <= high:
        kind = "whole number" if whole else "number"
        what = f"{key}: {value!r} is no {kind} from {low:.10g} to {high:.10g}"
        exponent = isinstance(value, str) and re.fullmatch(r"\d+e-?\d+", value)
        # YAML 1.1, which most readers know, wants a point and a sign there.
        raise InputError(what, hint="YAML takes it for a word: write 1.0e-3" if exponent else "")
    return value if whole else float(value)


def describe_keys() -> str:
    """A line for each key: its default and what else is allowed."""
    lines = []
    for part in (Architecture(), Training()):
        for key, value in asdict(part).items():
            allowed = {"hidden": "layer sizes", "resampling": "shares"}.get(key, "")
            if key in _CHOICES:
                allowed = ", ".join(_CHOICES[key])
            elif key in _RANGES:
                allowed = " to ".join(f"{border:.10g}" for border in _RANGES[key])
            if key in _BELONGS:
                owner, values = _BELONGS[key]
                allowed += f"; with {owner}: {_listed(values)}"
            if key == "order":
                allowed += ", or output: short-list"
            default = list(value) if isinstance(value, tuple) else value
            lines.append(f"  {key + ': ' + str(default):28}{allowed}\n")
    return "".join(lines)
