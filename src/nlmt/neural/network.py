"""The models in torch: the readable reference, and what trains on GPUs and in every combination.

Input, projection, hidden layers and output layer are parts that `Architecture` names. Baltescu and
Blunsom 2015, section 2, for sums with context matrices and class-factored output; Schwenk 2007 for
concatenation.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from nlmt.neural.config import Architecture
from nlmt.neural.parameters import Parameters, shapes
from nlmt.neural.word_classes import WordClasses

ACTIVATIONS = {"rectifier": torch.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid}


class FullOutput(nn.Module):
    """One softmax over the vocabulary."""

    def __init__(self, words: int, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(words, dim))
        self.bias = nn.Parameter(torch.zeros(words))

    def log_probabilities(self, hidden: Tensor, words: Tensor) -> Tensor:
        """Natural-log probability (batch,) of each of `words` (batch,)."""
        logits = functional.linear(hidden, self.weight, self.bias)  # (batch, V)
        return functional.log_softmax(logits, dim=-1).gather(1, words[:, None]).squeeze(1)


class ClassOutput(nn.Module):
    """p(class | h) p(word | class, h), each a softmax."""

    class_of: Tensor
    members: Tensor

    def __init__(self, classes: WordClasses, dim: int) -> None:
        super().__init__()
        words = len(classes.of)
        self.class_weight = nn.Parameter(torch.zeros(classes.count, dim))
        self.class_bias = nn.Parameter(torch.zeros(classes.count))
        self.word_weight = nn.Parameter(torch.zeros(words, dim))
        self.word_bias = nn.Parameter(torch.zeros(words))
        self.register_buffer("class_of", torch.from_numpy(classes.of.astype(np.int64)))
        sizes = np.bincount(classes.of, minlength=classes.count)
        members = np.full((classes.count, sizes.max()), -1, dtype=np.int64)
        order = np.argsort(classes.of, kind="stable")
        place = np.arange(words) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        members[classes.of[order], place] = order
        self.register_buffer("members", torch.from_numpy(members))  # (K, largest), -1 is padding

    def log_probabilities(self, hidden: Tensor, words: Tensor) -> Tensor:
        """Natural-log probability (batch,) of each of `words` (batch,)."""
        classes = self.class_of[words]
        logits = functional.linear(hidden, self.class_weight, self.class_bias)  # (batch, K)
        of_class = functional.log_softmax(logits, dim=-1).gather(1, classes[:, None]).squeeze(1)
        members = self.members[classes]  # (batch, largest)
        rows = members.clamp(min=0)
        within = torch.einsum("bd,bmd->bm", hidden, self.word_weight[rows]) + self.word_bias[rows]
        within = within.masked_fill(members < 0, -torch.inf)
        own = (hidden * self.word_weight[words]).sum(1) + self.word_bias[words]
        return of_class + own - torch.logsumexp(within, dim=-1)


class Network(nn.Module):
    """A feed-forward language model."""

    def __init__(self, architecture: Architecture, classes: WordClasses) -> None:
        super().__init__()
        self.architecture = architecture
        self._names = shapes(architecture, len(classes.of), classes.count)
        self.embeddings = nn.Parameter(torch.zeros(self._names["embeddings"]))
        if "context" in self._names:
            self.context = nn.Parameter(torch.zeros(self._names["context"]))
        sizes = [self._names[f"hidden.{i}.weight"] for i in range(len(architecture.hidden))]
        self.hidden_layers = nn.ModuleList(nn.Linear(size, out) for out, size in sizes)
        dim = architecture.hidden_dim
        self.output: FullOutput | ClassOutput
        if architecture.output == "full":
            self.output = FullOutput(len(classes.of), dim)
        else:
            self.output = ClassOutput(classes, dim)

    def hidden(self, contexts: Tensor, mask: Tensor | None = None) -> Tensor:
        """What the output layer sees: (batch, h) for contexts (batch, order - 1).

        `mask` (batch, h) multiplies it: dropout.
        """
        activate = ACTIVATIONS[self.architecture.activation]
        q = self.embeddings[contexts]  # (batch, order - 1, dim)
        if self.architecture.projection == "diagonal":
            h = activate((q * self.context).sum(1))
        elif self.architecture.projection == "full":
            h = activate(torch.einsum("bji,joi->bo", q, self.context))
        else:
            h = q.flatten(1)
        for layer in self.hidden_layers:
            h = activate(layer(h))
        return h if mask is None else h * mask

    def hidden_arrays(self, contexts: NDArray[np.int32]) -> NDArray[np.float32]:
        """The same from arrays to arrays, without gradients."""
        with torch.no_grad():
            hidden = self.hidden(torch.from_numpy(contexts).long().to(self.embeddings.device))
        return np.ascontiguousarray(hidden.float().cpu().numpy())

    def log_probabilities(self, contexts: Tensor, words: Tensor) -> Tensor:
        """Natural-log probability (batch,) of words (batch,) after contexts (batch, order - 1)."""
        return self.output.log_probabilities(self.hidden(contexts), words)

    def named(self) -> dict[str, nn.Parameter]:
        """The parameters under their names in the files."""
        own = dict(self.named_parameters())
        result = {}
        for name in self._names:
            inside = name.replace("hidden.", "hidden_layers.")
            if inside not in own:
                inside = "output." + name.removeprefix("output_")
            result[name] = own[inside]
        return result

    def load_parameters(self, parameters: Parameters) -> None:
        """Take the values of `parameters`."""
        with torch.no_grad():
            for name, own in self.named().items():
                own.copy_(torch.from_numpy(parameters[name]))

    def parameters_as_arrays(self) -> Parameters:
        """A copy of the parameters."""
        return {
            name: own.detach().cpu().numpy().astype(np.float32)
            for name, own in self.named().items()
        }
