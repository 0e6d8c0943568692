"""The keys of a model's training."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from nlmt.errors import InputError
from nlmt.neural.parts import OBJECTIVES
from nlmt.neural.settings.rules import AULI, BALTESCU, LUONG, SCHWENK, OnlyWith, only_with
from nlmt.settings import NameIn, Settings, setting

# The rule for a key that only some objectives have.
for_objective = partial(only_with, "objective", OBJECTIVES)


class Training(Settings):
    """Objective, optimiser, schedule and engine of training."""

    objective: Annotated[str, NameIn(OBJECTIVES)] = setting(
        "nce",
        "Objective of training. nce: noise-contrastive estimation with the normaliser fixed at 1 "
        "(Mnih and Teh 2012); likelihood: exactly normalised; self-normalised: likelihood with a "
        "penalty that draws normalisers towards 1 (Devlin et al. 2014).",
        source=f"{BALTESCU}, section 2.3; {LUONG}, equation 3",
    )
    alpha: Annotated[float, for_objective("alpha")] = setting(
        0.1,
        "Weight of (log Z)^2 relative to -log p.",
        ge=0,
        le=1000,
        source=f"{LUONG}, section 3.2",
    )
    noise: Annotated[int, for_objective("noise")] = setting(
        10,
        "Noise samples for each layer of the output.",
        ge=1,
        le=2000,  # with a million examples, the kernel numbers them in 32 bits
        unit="samples",
        source=f"{BALTESCU}, section 3",
    )
    dropout: float = setting(
        0.4,
        "Share of units dropped for each example, in steps of 1/256: of the last hidden layer "
        "alone, or of the projection if there is none; in networks over sentences, of the "
        "embeddings and of each layer's output.",
        ge=0,
        le=0.9,
    )
    optimiser: Literal["adagrad", "sgd", "adam"] = setting(
        "adagrad",
        "Optimiser: AdaGrad with gradients summed over a minibatch; plain gradient descent or Adam "
        "with their mean (Adam keeps the moments of words that a minibatch does not touch).",
    )
    initial_range: float | None = setting(
        None,
        "Weights and biases start from a uniform distribution between minus and plus this number; "
        "null: from normal distributions with a width for each layer, and output biases from the "
        "logarithms of word frequencies.",
        gt=0,
        le=1,
        source=f"{LUONG}, section 3.2 (0.01)",
    )
    learning_rate: float = setting(0.15, "Initial learning rate.", gt=0, le=100)
    search: Mapping[str, tuple[int | float | str | None, ...]] = setting(
        {},
        "Alternatives for keys of training, in place of their values. A model starts to train with "
        "each combination; at the first evaluations after an eighth, a quarter and half of the "
        "epochs the better half by dev perplexity goes on, two of them to their end, and the best "
        "is kept. In the workflow the first run searches; the others train with what it chose, and "
        "search for themselves only if that diverges.",
        examples=[{"learning_rate": [0.02, 0.1], "dropout": [0.1, 0.4]}],
        source="Jamieson and Talwalkar 2016 (successive halving)",
    )
    schedule: Literal["constant", "linear", "halving", "plateau", "first-stall"] = setting(
        "linear",
        "Schedule of the learning rate. constant; linear: falls to zero over all epochs; halving: "
        "halves four times, from halving_start on, evenly over what is left; plateau: halves after "
        "each evaluation that hardly lowers the dev perplexity (Devlin et al. 2014); first-stall: "
        "halves after every evaluation from the first that hardly lowers the dev entropy, until a "
        "second one ends training (as in the toolkit of Mikolov et al. 2011).",
        source=f"{LUONG}, section 3.2 (halving); {AULI}, section 4.1 (first-stall)",
    )
    halving_start: Annotated[float, OnlyWith("schedule", ("halving",))] = setting(
        0.5,
        "Share of the epochs at the initial rate.",
        ge=0,
        lt=1,
        source=f"{LUONG}, section 3.2 (2 of 4 epochs)",
    )
    initial_square: Annotated[float, OnlyWith("optimiser", ("adagrad",))] = setting(
        0.3,
        "Initial value of AdaGrad's sums of squares. Those of biases start from 0; those of hidden "
        "layers and full matrices of feed-forward networks, from minibatch times as much. From "
        "zero, the first step of a rare word would be as long as that of a frequent one, which "
        "overfits.",
        ge=0,
        le=1e6,
    )
    weight_decay: float = setting(
        0.0,
        "L2 penalty on weights, not on biases. It shrinks weights in proportion to the learning "
        "rate, without the scaling of AdaGrad and Adam; rows of a large weight in turn.",
        ge=0,
        le=1e6,
        source=f"{BALTESCU}, section 2; {SCHWENK}, equation 6; OxLM (Baltescu et al. 2014)",
    )
    weight_decay_per: Annotated[Literal["epoch", "word"], OnlyWith("weight_decay")] = setting(
        "epoch",
        "Unit of the penalty. epoch: weight_decay times each weight is added to the gradients over "
        "an epoch; word: weight_decay times the squares of all weights is added to the error of "
        "each word.",
        source=f"OxLM (Baltescu et al. 2014) (epoch); {SCHWENK}, equation 6 (word)",
    )
    clip: float = setting(
        0.0,
        "Bound of each element of a minibatch's gradient (the sum over examples under adagrad, "
        "else the mean; not its norm); 0 for none.",
        ge=0,
        le=1e6,
    )
    minibatch: int = setting(
        2000,
        "Examples (words and sentence ends) per step; in networks over sentences, whole sentences "
        "of similar length with about so many words.",
        ge=1,
        le=1_000_000,
        unit="words",
    )
    resampling: tuple[Annotated[float, Field(gt=0, le=1)], ...] = setting(
        (),
        "Share of each training text that an epoch samples, in the order of the texts; empty: all "
        "of each text.",
        examples=[[1, 0.25]],
        source=f"{SCHWENK}, section 4",
    )
    shortest: int = setting(
        0,
        "Shortest training sentence; shorter ones are left out.",
        ge=0,
        le=1000,
        unit="words",
        source=f"{LUONG}, section 2 (3)",
    )
    epochs: int = setting(
        10, "Maximum number of passes over the training text.", ge=1, le=10_000, unit="epochs"
    )
    evaluations: int = setting(
        1,
        "Evaluations on dev per epoch, evenly spaced, the last at its end. Each may give a new "
        "best model, end training or, under plateau and first-stall, lower the rate.",
        ge=1,
        le=10_000,
    )
    patience: int = setting(
        2,
        "Number of evaluations without a better dev perplexity after which training ends.",
        ge=1,
        le=10_000,
        unit="evaluations",
    )
    transform_rates: Annotated[
        tuple[Annotated[float, Field(gt=0, lt=2)], ...], OnlyWith("source", ("transform",))
    ] = setting(
        (0.01, 0.03, 0.1, 0.3),
        "Learning rates to try for the transform of the source; the one with the smallest "
        "squared error on dev is kept.",
        min_length=1,
        examples=[[0.1, 0.3]],
        source=f"{AULI}, section 5.4",
    )
    transform_schedule: Annotated[
        Literal["constant", "decay", "reduce"], OnlyWith("source", ("transform",))
    ] = setting(
        "constant",
        "The rate of the transform is constant; lower by a tenth after each epoch; or halved after "
        "each one that does not lower the error on the dev text.",
        source=f"{AULI}, section 5.4",
    )
    transform_epochs: Annotated[int, OnlyWith("source", ("transform",))] = setting(
        10,
        "Maximum number of passes over the training text for the transform of the source. Except "
        "under transform_schedule: reduce, its training ends with the first pass that does not "
        "lower the error on dev.",
        ge=1,
        le=10_000,
        unit="epochs",
    )
    engine: Literal["auto", "kernel", "torch"] = setting(
        "auto",
        "Engine of training. kernel: compiled, on the CPU; torch: every combination, also on GPUs; "
        "auto: the kernel if it has the combination, whether there is a GPU or not.",
    )
    device: Literal["auto", "cpu", "gpu"] = setting(
        "auto",
        "Device of torch: auto takes a GPU if there is one; gpu needs one, and makes engine: auto "
        "choose torch.",
    )
    precision: Literal["float32", "tf32", "bfloat16"] = setting(
        "float32",
        "Precision of torch's matrix products: tf32 rounds their factors to 10 bits on a GPU, "
        "bfloat16 to 7 bits; parameters, normalisers and the loss stay in single precision.",
    )
    seed: int = setting(
        1, "Seed of parameters, order of examples, noise and dropout.", ge=0, le=2**32 - 1
    )

    def shares(self, texts: int) -> tuple[float, ...]:
        """The share of each of so many training texts in an epoch.

        Raises:
            InputError: `resampling` has another number of shares.
        """
        shares = self.resampling or (1.0,) * texts
        if len(shares) != texts:
            what = f"resampling: {len(shares)} shares for {texts} training texts"
            raise InputError(what, hint="give one share for each text, in their order")
        return shares

    def decay_of_example(self, epoch: float) -> float:
        """Share by which one of an epoch's examples shrinks a weight at a learning rate of 1."""
        if self.weight_decay_per == "epoch":
            return self.weight_decay / epoch
        gradient = 2 * self.weight_decay
        return gradient if self.optimiser == "adagrad" else gradient / self.minibatch

    @property
    def needs_torch(self) -> bool:
        """Whether these settings are beyond the kernel."""
        return self.device == "gpu" or self.precision != "float32"
