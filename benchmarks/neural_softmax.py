"""One softmax over 40,000 words (Luong et al. 2015, section 3.2), beside a model written in torch.

Embeddings of 256 numbers for 4 words of the target and 11 of the source, layers of 512 rectifiers,
minibatches of 128, plain gradient descent, squared log Z beside the likelihood. The kernel,
`engine: torch` and a model of torch.nn train in turn, and the best of three turns counts. Words are
drawn by Zipf's law.
"""

import numpy as np
import torch
from torch import nn

from benchmarks.frames import Row
from benchmarks.neural_gpu import (
    DEEP,
    THREADS,
    Words,
    make_layout,
    pace_of,
    training_pace,
    zipf_counts,
)
from nlmt.neural import NeuralConfig

WORDS = 40_000
UNITS = 512
TURNS = 3


def run() -> list[Row]:
    """Rows of step, figure, unit, reference_tool, reference_figure and note."""
    torch.set_num_threads(THREADS)
    return [row for layers in (1, 4) for row in measure(layers)]


def measure(layers: int) -> list[Row]:
    """Tokens a second of each engine, beside the model of torch.nn."""
    counts = zipf_counts(WORDS)
    engines = ("kernel", "torch")
    configs = [
        NeuralConfig.from_dict({**DEEP, "hidden": [UNITS] * layers, "engine": engine})
        for engine in engines
    ]
    layout, _ = make_layout(configs[0], counts)
    paces, reference = [0.0] * len(engines), 0.0
    for _ in range(TURNS):
        for i, config in enumerate(configs):
            paces[i] = max(paces[i], training_pace(config, layout, counts))
        reference = max(reference, torch_pace(configs[0], counts))
    return [
        {
            "step": f"softmax over {WORDS:,} words, {engine}",
            "setting": f"hidden layers: {layers}",
            "figure": round(pace),
            "unit": "tokens/s",
            "reference_tool": "torch.nn, in the same run",
            "reference_figure": round(reference),
            "note": f"{pace / reference:.2f} times as fast on {THREADS} threads",
        }
        for engine, pace in zip(engines, paces, strict=True)
    ]


class TorchModel(nn.Module):
    """A model of the same shape, of the layers of torch."""

    def __init__(self, context: int, dim: int, layers: int) -> None:
        """Layers for `context` words of context."""
        super().__init__()
        self.embeddings = nn.Embedding(WORDS, dim, sparse=True)
        sizes = [context * dim, *[UNITS] * layers]
        self.hidden = nn.Sequential(
            *(
                part
                for i in range(layers)
                for part in (nn.Linear(sizes[i], sizes[i + 1]), nn.ReLU())
            )
        )
        self.output = nn.Linear(UNITS, WORDS)

    def loss(self, rows: torch.Tensor, alpha: float) -> torch.Tensor:
        """Mean of -ln p + alpha ln^2 Z; `rows` are (batch, context + 1)."""
        vectors = self.embeddings(rows[:, :-1]).flatten(1)  # (batch, context * dim)
        scores = self.output(self.hidden(vectors))  # (batch, V)
        normaliser = torch.logsumexp(scores, dim=1)
        score = scores.gather(1, rows[:, -1:]).squeeze(1)
        loss: torch.Tensor = (normaliser - score + alpha * normaliser**2).mean()
        return loss


def torch_pace(config: NeuralConfig, counts: np.ndarray) -> float:
    """Tokens a second of training the model of torch.nn."""
    torch.manual_seed(1)
    words = Words(counts)
    model = TorchModel(config.order - 1, config.dim, len(config.hidden))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)

    def minibatch() -> tuple[torch.Tensor, int]:
        rows = words.draw(config.minibatch, config.order)
        return torch.from_numpy(rows).long(), len(rows)

    def train(rows: torch.Tensor, _: int) -> None:
        optimiser.zero_grad()
        torch.autograd.backward(model.loss(rows, config.alpha))
        optimiser.step()

    return pace_of(minibatch, train)
