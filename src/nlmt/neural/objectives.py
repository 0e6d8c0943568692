"""Objectives of training.

An objective is an object that is registered in `nlmt.neural.parts.OBJECTIVES`; its name is a value
of the key `objective`. docs/extending.md is a worked example.
"""

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.settings.training import Training

if TYPE_CHECKING:
    from torch import Tensor

    from nlmt.neural.torch_backend.direct_features import Direct
    from nlmt.neural.torch_backend.noise import Noise, NoiseModel
    from nlmt.neural.torch_backend.output import Output


class Objective(ABC):
    """The loss that training lowers.

    Attributes:
        keys: configuration keys of this objective that not all objectives have.
        contrasts: whether it tells words from noise, of which the key `noise` samples are drawn.
    """

    keys: ClassVar[tuple[str, ...]] = ()
    contrasts: ClassVar[bool] = False

    def suits(self, layout: type[OutputLayout]) -> bool:
        """Whether a model with this output layer can be trained for it."""
        return True

    def in_kernel(self, training: Training) -> tuple[str, float] | None:
        """The kernel's name for it, and the weight of (log Z)^2; None if the kernel lacks it."""
        return None

    def untrained_loss(self, training: Training, layout: OutputLayout) -> float:
        """Approximate loss per token (natural log) of an untrained model: that of log V."""
        return math.log(layout.words)

    @abstractmethod
    def loss(
        self,
        training: Training,
        output: "Output",
        hidden: "Tensor",
        words: "Tensor",
        noise: "tuple[Noise, NoiseModel] | None",
        direct: "Direct | None",
    ) -> "Tensor":
        """The loss in torch, summed over words.

        Args:
            training: the keys.
            output: the output layer.
            hidden: (n, h) vectors that it sees.
            words: (n,) that are predicted after these, best on the CPU.
            noise: drawn for the words, and from what; None unless the objective `contrasts`.
            direct: adds the features of the words before to the activations.
        """


class Likelihood(Objective):
    """The exactly normalised likelihood of each word."""

    @override
    def in_kernel(self, training: Training) -> tuple[str, float]:
        return "likelihood", 0.0

    @override
    def loss(
        self,
        training: Training,
        output: "Output",
        hidden: "Tensor",
        words: "Tensor",
        noise: "tuple[Noise, NoiseModel] | None",
        direct: "Direct | None",
    ) -> "Tensor":
        return output.likelihood_loss(hidden, words, self.in_kernel(training)[1], direct)


class SelfNormalised(Likelihood):
    """Likelihood, and a penalty on the squared logarithms of normalisers (Devlin et al. 2014)."""

    keys = ("alpha",)

    @override
    def suits(self, layout: type[OutputLayout]) -> bool:
        return layout.normalises

    @override
    def in_kernel(self, training: Training) -> tuple[str, float]:
        return "likelihood", training.alpha

    @override
    def untrained_loss(self, training: Training, layout: OutputLayout) -> float:
        loss = super().untrained_loss(training, layout)
        if training.initial_range is not None:  # else biases start from a normalised model
            loss += training.alpha * math.log(layout.words) ** 2
        return loss


class NoiseContrast(Objective):
    """Noise-contrastive estimation with normalisers fixed at 1 (Mnih and Teh 2012)."""

    keys = ("noise",)
    contrasts = True

    @override
    def suits(self, layout: type[OutputLayout]) -> bool:
        return layout.contrasts

    @override
    def in_kernel(self, training: Training) -> tuple[str, float]:
        return "nce", 0.0

    @override
    def untrained_loss(self, training: Training, layout: OutputLayout) -> float:
        # A decision between a word and k samples for each of two layers. The model finds each as
        # likely as the noise does; or, with all scores near 0, up to V times as likely.
        k = training.noise
        ratio = 1 if training.initial_range is None else layout.words
        return 2 * (math.log(k + 1) + k * math.log((k + ratio) / k))

    @override
    def loss(
        self,
        training: Training,
        output: "Output",
        hidden: "Tensor",
        words: "Tensor",
        noise: "tuple[Noise, NoiseModel] | None",
        direct: "Direct | None",
    ) -> "Tensor":
        assert noise is not None
        return output.noise_loss(hidden, words, *noise, direct)


LIKELIHOOD, SELF_NORMALISED, NCE = Likelihood(), SelfNormalised(), NoiseContrast()
