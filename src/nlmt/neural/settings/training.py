"""The keys of a model's training."""

from typing import Annotated, Literal

from pydantic import Field

from nlmt.neural.parts import OBJECTIVES
from nlmt.neural.settings.rules import AULI, BALTESCU, LUONG, SCHWENK, OnlyWith, only_with
from nlmt.settings import NameIn, Settings, setting


def for_objective(key: str) -> OnlyWith:
    """The rule for a key that only some objectives have."""
    return only_with("objective", OBJECTIVES, key)


class Training(Settings):
    """Objective, optimiser, schedule and engine of training."""

    objective: Annotated[str, NameIn(OBJECTIVES)] = setting(
        "nce",
        "Noise-contrastive estimation with the normaliser held at 1 (Mnih and Teh 2012); exactly "
        "normalised likelihood; or likelihood that draws the normalisers towards 1 (Devlin et al. "
        "2014).",
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
        "Noise samples of each layer of the output.",
        ge=1,
        le=100_000,
        unit="samples",
        source=f"{BALTESCU}, section 3",
    )
    dropout: float = setting(
        0.4,
        "Share of hidden units dropped for an example, in steps of 1/256; unless "
        "feed-forward, of the embeddings and of each layer's output.",
        ge=0,
        le=0.9,
    )
    optimiser: Literal["adagrad", "sgd", "adam"] = setting(
        "adagrad",
        "AdaGrad along gradients summed over a minibatch; plain descent or Adam along their mean "
        "(Adam keeps the moments of words that a minibatch does not touch).",
    )
    initial_range: float | None = setting(
        None,
        "All weights and biases start evenly distributed between minus and plus this number; null: "
        "from normal distributions as wide as suits each layer, with the logarithms of the words' "
        "frequencies as output biases.",
        gt=0,
        le=1,
        source=f"{LUONG}, section 3.2 (0.01)",
    )
    learning_rate: float = setting(0.15, "Step size at the start.", gt=0, le=100)
    other_rates: tuple[Annotated[float, Field(gt=0, le=100)], ...] = setting(
        (),
        "Further learning rates: a model is trained with each, one after the other, and that with "
        "the lowest dev perplexity is kept.",
        examples=[[0.02, 0.1]],
    )
    schedule: Literal["constant", "linear", "halving", "plateau", "first-stall"] = setting(
        "linear",
        "The learning rate is constant; falls to zero over all epochs; halves every half epoch "
        "from halving_epoch on; halves after an evaluation that hardly lowered the dev perplexity "
        "(Devlin et al. 2014); or halves after every evaluation from the first that hardly lowered "
        "the dev entropy, until a second one ends training (the toolkit of Mikolov et al. 2011).",
        source=f"{LUONG}, section 3.2 (halving); {AULI}, section 4.1 (first-stall)",
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
        "Initial value of AdaGrad's sums of squares. At zero the first step of a rare word is as "
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
        source=f"{BALTESCU}, section 2; {SCHWENK}, equation 6; OxLM (Baltescu et al. 2014)",
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
        "Examples (words and sentence ends) per step; unless feed-forward, as many sentences of "
        "about one length.",
        ge=1,
        le=1_000_000,
        unit="words",
    )
    resampling: tuple[Annotated[float, Field(gt=0, le=1)], ...] = setting(
        (),
        "Share of each training text, in order, that an epoch samples; empty for all of them.",
        examples=[[1, 0.25]],
        source=f"{SCHWENK}, section 4",
    )
    shortest: int = setting(
        0,
        "Training sentences with fewer words are left out.",
        ge=0,
        le=1000,
        unit="words",
        source=f"{LUONG}, section 2 (3)",
    )
    epochs: int = setting(
        10, "Passes over the training text, at most.", ge=1, le=10_000, unit="epochs"
    )
    evaluations: int = setting(
        1,
        "Evaluations of the dev text per epoch, evenly spaced, the last at its end: each may give "
        "a new best model, ends training or, under plateau, lowers the rate.",
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
    transform_rates: Annotated[
        tuple[Annotated[float, Field(gt=0, lt=2)], ...], OnlyWith("source", ("transform",))
    ] = setting(
        (0.1, 0.3, 1.0),
        "Constant rates to try for the transform of the source; the squared error on the "
        "dev text chooses among them.",
        min_length=1,
        examples=[[0.1, 0.3]],
        source=f"{AULI}, section 5.4",
    )
    transform_epochs: Annotated[int, OnlyWith("source", ("transform",))] = setting(
        10,
        "Passes over the training text for the transform of the source, at most; it ends with the "
        "first that does not lower the error on the dev text.",
        ge=1,
        le=10_000,
        unit="epochs",
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
    precision: Literal["float32", "tf32", "bfloat16"] = setting(
        "float32",
        "Of torch's products: tf32 rounds their factors to 10 bits on a GPU, bfloat16 to 7 bits; "
        "parameters, normalisers and the loss keep single precision.",
    )
    seed: int = setting(
        1, "Seed of parameters, order of examples, noise and dropout.", ge=0, le=2**32 - 1
    )

    @property
    def needs_torch(self) -> bool:
        """Whether these settings are beyond the kernel."""
        return self.device == "gpu" or self.precision != "float32"
