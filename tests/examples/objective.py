"""An objective: likelihood in which words that are well predicted count less (Lin et al. 2017)."""

from torch import Tensor

from nlmt.neural.objectives import Objective
from nlmt.neural.parts import OBJECTIVES
from nlmt.neural.settings.training import Training
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.noise import Noise, NoiseModel
from nlmt.neural.torch_backend.output import Output


class Focal(Objective):
    """-(1 - p)^2 log p, summed over words."""

    def loss(
        self,
        training: Training,
        output: Output,
        hidden: Tensor,
        words: Tensor,
        noise: tuple[Noise, NoiseModel] | None,
        direct: Direct | None,
    ) -> Tensor:
        log_p = output.log_probabilities(hidden, words, direct)
        return -((1 - log_p.exp()) ** 2 * log_p).sum()


OBJECTIVES.register("focal", Focal())
