"""What a neural language model is made of and how it is trained: every key, defined once.

A configuration is one flat mapping, as it stands under `language_models` in `config.yaml` or in the
file of `nlmt lm train --config`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import Field, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from nlmt.classes.methods import METHODS
from nlmt.errors import InputError
from nlmt.lm.kinds import ModelSettings
from nlmt.settings import REQUIRED, NameIn, Settings, read_settings, setting

Network = Literal["feed-forward", "elman", "gru", "lstm", "transformer"]
Source = Literal["none", "window", "lsa", "averaged", "concatenated"]
Output = Literal["class-factored", "tree-factored", "full", "short-list"]
NETWORKS: tuple[Network, ...] = get_args(Network)
SOURCES: tuple[Source, ...] = get_args(Source)
OUTPUTS: tuple[Output, ...] = get_args(Output)
WIDEST = 8192  # layer

BALTESCU = "Baltescu and Blunsom 2015"
SCHWENK = "Schwenk 2010"
AULI = "Auli et al. 2013"
LUONG = "Luong et al. 2015"


@dataclass(frozen=True)
class OnlyWith:
    """A key that has an effect only where another key has one of these values.

    Attributes:
        key: the other key.
        values: of it; none given: any number above 0.
    """

    key: str
    values: tuple[str, ...] = ()

    def holds(self, value: object) -> bool:
        """Whether the key has an effect where the other one has that value."""
        if not self.values:
            return isinstance(value, int) and value > 0
        return value in self.values

    def __str__(self) -> str:
        """As the other key would be written."""
        return f"{self.key}: {' or '.join(self.values) or 'above 0'}"

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Put the rule into the JSON schema."""
        return handler(schema) | {"x-only-with": str(self)}


class Architecture(Settings):
    """The parts of a model, from the words before to the word after."""

    network: Network = setting(
        "feed-forward",
        "Feed-forward over an n-gram's words; or over all words of the sentence before: elman "
        "(Mikolov et al. 2010), gru, lstm, or a causal transformer.",
        source=f"{BALTESCU}, section 2; {AULI}, section 2",
    )
    order: Annotated[int, OnlyWith("network", ("feed-forward",))] = setting(
        5,
        "Length of the n-grams; the context is one word shorter. Of a network over sentences with "
        "a short-list: of the back-off model, unless that is given.",
        ge=2,
        le=32,
        unit="words",
        source=f"{BALTESCU}, section 3",
    )
    source: Source = setting(
        "none",
        "What is seen of the source sentence: nothing; the window of words around the one that the "
        "predicted word is affiliated with (Devlin et al. 2014); or a vector beside the words "
        "before: of the sentence by latent semantic analysis (lsa), or the averaged or "
        "concatenated embeddings, of another model, of the window's words. A model with a source "
        "learns from bitext alone and rescores; it does not decode.",
        source=f"{LUONG}, section 3.2; {AULI}, section 5.1",
    )
    source_window: Annotated[int, OnlyWith("source", ("window", "averaged", "concatenated"))] = (
        setting(
            5,
            "Source words on each side of the affiliated one; 5 are a window of 11.",
            ge=0,
            le=100,
            unit="words",
            source=f"{LUONG}, section 3.2",
        )
    )
    source_dim: Annotated[int, OnlyWith("source", ("lsa", "averaged", "concatenated"))] = setting(
        100,
        "Numbers in the vector of the source; in that of one of its words, where they are "
        "concatenated.",
        ge=1,
        le=WIDEST,
    )
    dim: int = setting(
        200,
        "Size of the word embeddings; of the hidden layers too, unless feed-forward.",
        ge=1,
        le=WIDEST,
    )
    unroll: Annotated[int, OnlyWith("network", ("elman", "gru", "lstm"))] = setting(
        20,
        "Steps over which gradients flow back through time.",
        ge=1,
        le=10_000,
        unit="words",
        source=f"{AULI}, section 4.1",
    )
    layers: Annotated[int, OnlyWith("network", ("gru", "lstm", "transformer"))] = setting(
        1, "Layers, one above the other.", ge=1, le=64
    )
    heads: Annotated[int, OnlyWith("network", ("transformer",))] = setting(
        4, "Attention heads.", ge=1, le=128
    )
    direct_features: Annotated[int, OnlyWith("network", NETWORKS[1:])] = setting(
        0,
        "Size of the hash table of weights of n-grams that are added to the output activations "
        "(Mikolov et al. 2011); 0 for none.",
        ge=0,
        le=2**30,
        source=f"{AULI}, section 2",
    )
    direct_order: Annotated[int, OnlyWith("direct_features")] = setting(
        3,
        "Length of the longest of these n-grams; those of order 1 are the output biases.",
        ge=2,
        le=8,
        unit="words",
        source=f"{AULI}, section 4.1",
    )
    projection: Annotated[
        Literal["diagonal", "full", "concatenation"], OnlyWith("network", ("feed-forward",))
    ] = setting(
        "diagonal",
        "How the embeddings of the context are joined: their sum after a diagonal or full matrix "
        "for each position, or their concatenation.",
        source=f"{BALTESCU}, sections 2 and 6; {SCHWENK}, section 2",
    )
    activation: Annotated[
        Literal["relu", "tanh", "sigmoid"], OnlyWith("network", ("feed-forward",))
    ] = setting(
        "relu",
        "Of the sums and of every hidden layer; a concatenation has none.",
        source=f"{BALTESCU}, section 2",
        formerly={"rectifier": "relu"},
    )
    hidden: Annotated[
        tuple[Annotated[int, Field(ge=1, le=WIDEST)], ...],
        OnlyWith("network", ("feed-forward",)),
    ] = setting(
        (), "Sizes of the hidden layers between projection and output.", examples=[[400, 200]]
    )
    output: Output = setting(
        "class-factored",
        "p(class | h) p(word | class, h); a sigmoid for each node of a word's path in a binary "
        "tree; one softmax over all words; or one over the most frequent words, while a back-off "
        "model has the others and gives the probability of all of them together.",
        source=f"{BALTESCU}, sections 2.1 and 2.2; {SCHWENK}, section 2",
    )
    tree: Annotated[Literal["huffman", "brown"], OnlyWith("output", ("tree-factored",))] = setting(
        "huffman",
        "Huffman's over the words' counts; or that of the word classes, the words of a class in a "
        "Huffman tree of their own.",
        source=f"{BALTESCU}, section 2.2",
    )
    short_list: Annotated[int, OnlyWith("output", ("short-list",))] = setting(
        1024,
        "Number of words of the short-list.",
        ge=1,
        le=100_000_000,
        unit="words",
        source=f"{SCHWENK}, section 2",
    )
    min_count: Annotated[int, OnlyWith("output", ("class-factored", "tree-factored", "full"))] = (
        setting(
            2,
            "Words that occur less often in the training text are <unk>; likewise of the source.",
            ge=1,
            le=1_000_000,
            source=f"{AULI}, section 4.1",
        )
    )

    @property
    def context(self) -> int:
        """Number of words before the one that is predicted."""
        return self.order - 1

    @property
    def beside(self) -> int:
        """Numbers in the vector of the source that stands beside the words."""
        if not self.takes_vectors:
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
    def last_hidden(self) -> int:
        """Size of the last hidden layer."""
        if self.network != "feed-forward":
            return self.dim
        return self.hidden[-1] if self.hidden else self.projected

    @property
    def hidden_dim(self) -> int:
        """Size of the vector that the output layer sees."""
        return self.last_hidden + self.beside

    @property
    def needs_alignment(self) -> bool:
        """Whether what is seen of the source differs from word to word."""
        return self.source in ("window", "averaged", "concatenated")

    @property
    def takes_vectors(self) -> bool:
        """Whether what is seen of the source is a vector beside the words."""
        return self.source in ("lsa", "averaged", "concatenated")

    @property
    def takes_embeddings(self) -> bool:
        """Whether what is seen of the source is in the embeddings of another model."""
        return self.source in ("averaged", "concatenated")

    @property
    def needs_classes(self) -> bool:
        """Whether the output layer is built from word classes."""
        return self.output == "class-factored" or (
            self.output == "tree-factored" and self.tree == "brown"
        )


class Training(Settings):
    """How the parameters are found."""

    formerly: ClassVar[Mapping[str, str]] = {"passes": "epochs", "halving_pass": "halving_epoch"}

    objective: Literal["nce", "likelihood", "self-normalised"] = setting(
        "nce",
        "Noise-contrastive estimation with the normaliser held at 1 (Mnih and Teh 2012); exactly "
        "normalised likelihood; or likelihood that draws the normalisers towards 1 (Devlin et al. "
        "2014).",
        source=f"{BALTESCU}, section 2.3; {LUONG}, equation 3",
    )
    alpha: Annotated[float, OnlyWith("objective", ("self-normalised",))] = setting(
        0.1,
        "Weight of (log Z)^2 beside -log p.",
        ge=0,
        le=1000,
        source=f"{LUONG}, section 3.2",
    )
    noise: Annotated[int, OnlyWith("objective", ("nce",))] = setting(
        10,
        "Noise samples of each layer of the output.",
        ge=1,
        le=100_000,
        unit="samples",
        source=f"{BALTESCU}, section 3",
    )
    noise_sharing: Annotated[Literal["example", "batch"], OnlyWith("objective", ("nce",))] = (
        setting(
            "example",
            "Whether each example has samples of its own, or all of a minibatch the same (of words "
            "within a class: all of the minibatch with that class).",
        )
    )
    dropout: float = setting(
        0.4,
        "Share of the hidden units that are left out of an example, in steps of 1/256; unless "
        "feed-forward, of the embeddings and of what each layer gives.",
        ge=0,
        le=0.9,
    )
    optimiser: Literal["adagrad", "sgd", "adam"] = setting(
        "adagrad",
        "AdaGrad along gradients summed over a minibatch; plain descent or Adam along their mean "
        "(Adam keeps the moments of words that a minibatch does not touch).",
    )
    learning_rate: float = setting(0.15, "Step size at the start.", gt=0, le=100)
    schedule: Literal["constant", "linear", "halving", "plateau"] = setting(
        "linear",
        "The learning rate stays; falls to zero over all epochs; halves every half epoch from "
        "halving_epoch on; or halves after an evaluation that hardly lowered the dev perplexity "
        "(Mikolov et al. 2010; Devlin et al. 2014).",
        source=f"{LUONG}, section 3.2 (halving)",
        formerly={"stalled": "plateau"},
    )
    halving_epoch: Annotated[int, OnlyWith("schedule", ("halving",))] = setting(
        5,
        "Epochs at the full rate.",
        ge=1,
        le=10_000,
        unit="epochs",
        source=f"{LUONG}, section 3.2 (2 of 4 epochs)",
    )
    initial_square: Annotated[float, OnlyWith("optimiser", ("adagrad",))] = setting(
        0.3,
        "What AdaGrad's sums of squares start from. At zero the first step of a rare word is as "
        "long in every direction as that of a frequent one, which overfits. Those of hidden layers "
        "start from minibatch times as much.",
        ge=0,
        le=1e6,
    )
    weight_decay: float = setting(
        0.0,
        "L2 penalty on weights, not on biases, over an epoch; the rows of a large weight take "
        "their share in turn.",
        ge=0,
        le=1e6,
        source=f"{BALTESCU}, section 2; OxLM (Baltescu et al. 2014)",
    )
    clip: float = setting(
        0.0,
        "Largest size of an element of a minibatch's gradient (its sum under adagrad, else its "
        "mean; no norms are taken); 0 for none.",
        ge=0,
        le=1e6,
    )
    minibatch: int = setting(
        2000,
        "Examples (words and sentence ends) a step; unless feed-forward, as many sentences of "
        "about one length.",
        ge=1,
        le=1_000_000,
        unit="words",
    )
    resampling: tuple[Annotated[float, Field(gt=0, le=1)], ...] = setting(
        (),
        "Share of each training text, in their order, that an epoch samples; empty for all of "
        "them.",
        examples=[[1, 0.25]],
        source=f"{SCHWENK}, section 4",
    )
    epochs: int = setting(
        10, "Passes over the training text, at most.", ge=1, le=10_000, unit="epochs"
    )
    evaluations: int = setting(
        1,
        "Evaluations of the dev text an epoch, evenly spaced, the last at its end: each may give a "
        "new best model, ends training or, under plateau, lowers the rate.",
        ge=1,
        le=10_000,
    )
    patience: int = setting(
        2,
        "Evaluations without a better dev perplexity after which training ends.",
        ge=1,
        le=10_000,
        unit="evaluations",
    )
    engine: Literal["auto", "kernel", "torch"] = setting(
        "auto",
        "kernel: compiled, on the CPU; torch: for every combination and for GPUs; auto: the kernel "
        "wherever it can, so that a model does not depend on whether there is a GPU.",
    )
    device: Literal["auto", "cpu", "gpu"] = setting(
        "auto",
        "Of torch; auto takes a GPU where there is one. gpu keeps engine: auto from taking the "
        "kernel.",
    )
    precision: Literal["float32", "bfloat16"] = setting(
        "float32",
        "Of torch's products; with bfloat16 parameters, normalisers and the loss keep single "
        "precision.",
    )
    seed: int = setting(
        1, "Seed of parameters, order of examples, noise and dropout.", ge=0, le=2**32 - 1
    )

    @property
    def needs_torch(self) -> bool:
        """Whether the kernel cannot do what is asked for."""
        return self.device == "gpu" or self.precision != "float32"


# Fields come in the reverse order of the bases: Architecture's first.
class _Keys(Training, Architecture):
    """All keys of `nlmt lm train`."""


class NeuralSettings(_Keys, ModelSettings):
    """A neural language model, put together from parts; most keys are those of `nlmt lm train`."""

    kind: Literal["neural"] = setting(REQUIRED, "What kind of model this is.")
    classes: Annotated[str, NameIn(METHODS)] = setting(
        "brown",
        "How its word classes are made: by Brown clustering, by exchange alone, or as bins of "
        "equal frequency or of equal sums of the counts' square roots.",
        source=f"{BALTESCU}, section 4 and table 7",
    )
    class_count: int | None = setting(
        None,
        "Number of its word classes; null: 3 sqrt(V).",
        ge=2,
        unit="classes",
        source=f"OxLM's default; {BALTESCU}, section 2.1, have about sqrt(V)",
    )
    source_embeddings: Annotated[str | None, OnlyWith("source", ("averaged", "concatenated"))] = (
        setting(None, "The neural model with units: source whose embeddings are taken.")
    )
    start_from: str | None = setting(
        None,
        "Name of the model whose parameters, words and classes training starts from. Its parts "
        "have to be the same.",
        source=f"{LUONG}, section 3.5",
    )
    processes: int = setting(
        1,
        "Processes that train it together, in torch; each takes a GPU, if there are some.",
        ge=1,
        le=1024,
    )

    @property
    def config(self) -> "NeuralConfig":
        """Architecture and training."""
        return _split(self)

    def starting_from(self, other: "NeuralSettings") -> "NeuralSettings":
        """With the parts of the model that `start_from` names, where they were left out.

        Raises:
            InputError: a part that differs.
        """
        parts = {key: getattr(other, key) for key in Architecture.model_fields}
        for key, value in parts.items():
            if key in self.model_fields_set and getattr(self, key) != value:
                what = f"{key}: {getattr(self, key)!r}, but {self.start_from} has {value!r}"
                raise InputError(what, hint=f"leave {key} out")
        given = {key: value for key, value in parts.items() if key in other.model_fields_set}
        return self.model_copy(update=given)


@dataclass(frozen=True)
class NeuralConfig:
    """Architecture and training of one model."""

    architecture: Architecture = field(default_factory=Architecture)
    training: Training = field(default_factory=Training)

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> "NeuralConfig":
        """Read a flat mapping; keys that are left out have their defaults.

        Raises:
            InputError: an unknown key, a value that is not allowed, or settings that make no sense
                together; says what does.
        """
        if settings.get("kind", "neural") != "neural":
            raise InputError(f"kind: {settings['kind']!r} is no neural model", hint="kind: neural")
        keys = read_settings(_Keys, {k: v for k, v in settings.items() if k != "kind"})
        refuse_without_effect(keys)
        config = _split(keys)
        config.check()
        return config

    @staticmethod
    def keys() -> tuple[str, ...]:
        """All keys."""
        return tuple(_Keys.model_fields)

    def to_dict(self) -> dict[str, Any]:
        """The flat mapping that `from_dict` reads, ready for JSON: all keys that have an effect."""
        keys = _Keys(**{**dict(self.architecture), **dict(self.training)})
        plain = keys.model_dump(mode="json")
        return {key: value for key, value in plain.items() if _obstacle(key, keys) is None}

    def parts(self) -> dict[str, Any]:
        """What `to_dict` gives of the architecture."""
        return {k: v for k, v in self.to_dict().items() if k in Architecture.model_fields}

    def check(self) -> None:
        """Refuse settings that make no sense together.

        Raises:
            InputError: says which keys, and what to do.
        """
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
            hint = f"leave source out, or set source: {' or '.join(SOURCES[2:])}"
            raise InputError(what, hint=hint)
        if network == "transformer" and self.architecture.dim % (2 * self.architecture.heads):
            what = f"dim: {self.architecture.dim} is no multiple of twice the heads"
            raise InputError(what, hint=f"for example dim: {16 * self.architecture.heads}")


def refuse_without_effect(settings: Settings) -> None:
    """Refuse keys that were given and have no effect beside the others.

    Raises:
        InputError: one of them; says with what it would have one.
    """
    for key in type(settings).model_fields:  # in their order
        rule = _obstacle(key, settings) if key in settings.model_fields_set else None
        if rule is not None:
            raise InputError(
                f"{key} has no effect with {rule.key}: {getattr(settings, rule.key)}",
                hint=f"leave {key} out, or set {rule}",
            )


def describe_keys() -> str:
    """All keys of `nlmt lm train`: the default of each, what else is allowed, what it is."""
    lines = []
    for key, definition in _Keys.model_fields.items():
        default = definition.default
        default = list(default) if isinstance(default, tuple) else default
        rules = [f"with {rule}" for rule in definition.metadata if isinstance(rule, OnlyWith)]
        if key == "order":
            rules.append("or output: short-list")
        allowed = "; ".join([_allowed(definition), ", ".join(rules)]).strip("; ")
        lines.append(f"  {key + ': ' + str(default):28}{allowed}\n")
    return "".join(lines)


def _split(keys: _Keys) -> NeuralConfig:
    """The two groups of a flat one."""
    architecture, training = (
        {name: getattr(keys, name) for name in group.model_fields}
        for group in (Architecture, Training)
    )
    return NeuralConfig(Architecture(**architecture), Training(**training))


def _obstacle(key: str, settings: Settings) -> OnlyWith | None:
    """The rule by which a key has no effect, if there is one."""
    # The back-off model of a short-list has an order, too.
    if key == "order" and getattr(settings, "output", None) == "short-list":
        return None
    rules = type(settings).model_fields[key].metadata
    broken = (
        rule
        for rule in rules
        if isinstance(rule, OnlyWith) and not rule.holds(getattr(settings, rule.key))
    )
    return next(broken, None)


def _allowed(field: FieldInfo) -> str:
    """The values of a field, in words."""
    if get_origin(field.annotation) is Literal:
        return ", ".join(get_args(field.annotation))
    if field.examples:
        return f"for example {field.examples[0]}"
    words = []
    for limit in field.metadata:
        if isinstance(limit, Ge):
            words.append(f"{limit.ge:.10g}")
        elif isinstance(limit, Gt):
            words.append(f"above {limit.gt:.10g}")
        elif isinstance(limit, Le):
            words.append(f"to {limit.le:.10g}")
    return " ".join(words)
