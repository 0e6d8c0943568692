"""Training in torch: every combination of parts, on the CPU or the first GPU."""

import numpy as np
import torch
from numpy.typing import NDArray

from nlmt.neural.config import NeuralConfig, Training
from nlmt.neural.network import ClassOutput, Network
from nlmt.neural.objectives import NoiseModel, likelihood_loss, nce_loss
from nlmt.neural.parameters import Parameters
from nlmt.neural.scoring import Scorer, make_scorer
from nlmt.neural.word_classes import WordClasses

# Added to the root of AdaGrad's sums, so that a parameter without gradient stays; the kernel's too.
TINY = 1e-8


class TorchEngine:
    """Every combination of parts, on the CPU or the first GPU."""

    def __init__(
        self,
        config: NeuralConfig,
        classes: WordClasses,
        counts: NDArray[np.float64],
        parameters: Parameters,
        squares: Parameters,
        threads: int,
    ) -> None:
        self._architecture = config.architecture
        self._training: Training = config.training
        self._classes = classes
        self._threads = threads
        torch.set_num_threads(threads)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        noise_classes = classes
        if config.architecture.output == "full":
            noise_classes = WordClasses.single(len(classes.of))
        self._noise = NoiseModel.from_counts(counts, noise_classes)
        self._network = Network(config.architecture, classes)
        self._network.load_parameters(parameters)
        self._network.to(self._device)
        self._squares = {
            name: torch.from_numpy(values).to(self._device) for name, values in squares.items()
        }

    def train(
        self, windows: NDArray[np.int32], first: int, key: int, rate: float, decline: float
    ) -> float:
        """See `Engine`."""
        total = 0.0
        for begin in range(0, len(windows), self._training.minibatch):
            batch = torch.from_numpy(windows[begin : begin + self._training.minibatch]).long()
            seed = np.random.SeedSequence([key, first + begin]).generate_state(1, np.uint64)[0]
            random = torch.Generator().manual_seed(int(seed >> np.uint64(1)))
            loss = self._loss(batch, random)
            self._network.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self._step(rate - decline * (first + begin), len(batch))
            total += float(loss.detach())
        return total

    def _loss(self, batch: torch.Tensor, random: torch.Generator) -> torch.Tensor:
        """Sum of the objective over a batch (n, order)."""
        mask = None
        if self._training.dropout > 0:
            keep = 1 - self._training.dropout
            shape = (len(batch), self._architecture.hidden_dim)
            mask = (torch.rand(shape, generator=random) < keep).float().div(keep).to(self._device)
        words = batch[:, -1]
        hidden = self._network.hidden(batch[:, :-1].to(self._device), mask)
        if self._training.objective == "likelihood":
            return likelihood_loss(self._network, hidden, words.to(self._device))
        output = self._network.output
        if isinstance(output, ClassOutput):
            noise_classes, noise_words = self._noise.draw(
                output.class_of.cpu()[words], output.members.cpu(), self._training.noise, random
            )
        else:
            shape = (len(words), self._training.noise)
            probabilities = self._noise.log_class.exp()
            drawn = torch.multinomial(
                probabilities, shape[0] * shape[1], replacement=True, generator=random
            )
            noise_classes = noise_words = drawn.view(shape)
        noise = NoiseModel(
            self._noise.log_class.float().to(self._device),
            self._noise.log_word.float().to(self._device),
        )
        return nce_loss(
            self._network,
            hidden,
            words.to(self._device),
            noise_classes.to(self._device),
            noise_words.to(self._device),
            noise,
        )

    def _step(self, rate: float, examples: int) -> None:
        """AdaGrad (Duchi et al. 2011) on the sum of gradients, or descent along their mean."""
        with torch.no_grad():
            for name, parameter in self._network.named().items():
                gradient = parameter.grad
                assert gradient is not None
                if self._training.optimiser == "adagrad":
                    squares = self._squares[name].addcmul_(gradient, gradient)
                    parameter.addcdiv_(gradient, squares.sqrt().add_(TINY), value=-rate)
                else:
                    parameter.add_(gradient, alpha=-rate / examples)

    def scorer(self) -> Scorer:
        """See `Engine`."""
        return make_scorer(self._architecture, self._classes, self.parameters(), self._threads)

    def parameters(self) -> Parameters:
        """See `Engine`."""
        return self._network.parameters_as_arrays()

    def squares(self) -> Parameters:
        """See `Engine`."""
        return {name: values.cpu().numpy().copy() for name, values in self._squares.items()}
