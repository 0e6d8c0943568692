"""Scores of networks over sentences: equal beginnings are read once, lattices step by step."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nlmt.errors import InputError
from nlmt.language_model import SourcePlaces
from nlmt.neural import _kernel
from nlmt.neural.config import Architecture
from nlmt.neural.data import BEGIN_ID, END_ID, Corpus
from nlmt.neural.parameters import Parameters
from nlmt.neural.recurrent import RecurrentNetwork, State
from nlmt.neural.scoring import ScoringStatistics, compiled_output
from nlmt.neural.short_list import ShortList
from nlmt.neural.structure import Structure

# Different sentences that are read side by side.
SENTENCES = 1024
# Words whose output activations are in memory at the same time.
EVENTS = 4096


@dataclass(frozen=True, eq=False)
class States:
    """What a model knows after the words so far, as arrays of n rows each.

    Attributes:
        hidden: (n, dim) what the output layer sees.
        memories: of each layer; those of a transformer grow by a word a step.
        history: (n, direct_order - 1) last words.
    """

    hidden: NDArray[np.float32]
    memories: tuple[tuple[NDArray[np.float32], ...], ...]
    history: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hidden)

    def take(self, rows: NDArray[np.integer]) -> "States":
        """Some of the rows, each any number of times."""
        memories = tuple(tuple(part[rows] for part in memory) for memory in self.memories)
        return States(self.hidden[rows], memories, self.history[rows])

    @staticmethod
    def join(parts: Sequence["States"]) -> "States":
        """The rows of several.

        Raises:
            InputError: those of a transformer after different numbers of words.
        """
        shapes = {tuple(part.shape[1:] for m in one.memories for part in m) for one in parts}
        if len(shapes) != 1:
            raise InputError("states after different numbers of words cannot stand in one array")
        memories = tuple(
            tuple(np.concatenate(same) for same in zip(*layers, strict=True))
            for layers in zip(*(one.memories for one in parts), strict=True)
        )
        hidden = np.concatenate([one.hidden for one in parts])
        return States(hidden, memories, np.concatenate([one.history for one in parts]))


class SentenceScorer:
    """Log-probabilities of sentences, and of words one after the other."""

    def __init__(
        self, architecture: Architecture, structure: Structure, parameters: Parameters, threads: int
    ) -> None:
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._network = RecurrentNetwork(architecture, structure)
        self._network.load_parameters(parameters)
        self._network.to(self._device)
        self._threads = threads
        # The kernel's output layers know no direct features; without them they are faster.
        self._output = (
            None
            if architecture.direct_features or isinstance(structure, ShortList)
            else _compiled_output(architecture, structure, parameters)
        )

    def events(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePlaces | None = None,
        *,
        normalised: bool = True,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """See `EventScorer`. Equal sentences are read once, and so are equal beginnings.

        Different sentences are put in alphabetical order and read word by word, `SENTENCES` at a
        time; a row of the network's batch is a beginning that one or more of them have.
        """
        begin = time.perf_counter()
        torch.set_num_threads(self._threads)
        distinct, of = group_equal(ids, offsets)
        corpus = Corpus.from_words(ids, offsets)
        ends = np.cumsum(np.diff(offsets)[distinct] + 1)
        scores = np.empty(ends[-1] if len(ends) else 0)
        ngrams = contexts = done = 0
        for first in range(0, len(distinct), SENTENCES):
            some = distinct[first : first + SENTENCES]
            tree = Beginnings(corpus.pad(some))
            end = int(ends[first + len(some) - 1])
            scores[done:end] = self._score_tree(tree, normalised)[tree.of]
            ngrams, contexts, done = ngrams + tree.count, contexts + tree.contexts, end
        sizes = np.diff(offsets) + 1
        first_of = (ends - sizes[distinct])[of] - (np.cumsum(sizes) - sizes)
        places = np.repeat(first_of, sizes) + np.arange(sizes.sum())
        seconds = time.perf_counter() - begin
        return scores[places], ScoringStatistics(len(places), ngrams, contexts, seconds)

    def start(self, n: int) -> States:
        """The states of n sentences after `<s>`."""
        torch.set_num_threads(self._threads)
        with torch.inference_mode():
            return self._arrays(self._begin(n))

    def step(
        self, states: States, words: NDArray[np.integer], *, normalised: bool = True
    ) -> tuple[NDArray[np.float64], States]:
        """Natural-log probability (n,) of words (n,), one for each state; the states after them.

        Raises:
            InputError: no state, or more or fewer words than states.
        """
        if not len(states) == len(words) > 0:
            what = f"{len(words)} words for {len(states)} states"
            raise InputError(what, mend="give one word for each state, at least one")
        torch.set_num_threads(self._threads)
        with torch.inference_mode():
            memories = tuple(tuple(map(self._tensor, memory)) for memory in states.memories)
            state = State(self._tensor(states.hidden), memories, self._tensor(states.history))
            ids = self._tensor(words.astype(np.int64))
            scores = self._score(state.hidden, state.history, ids, normalised)
            after = self._network.read(state, ids[:, None])[2]
            return scores.double().cpu().numpy(), self._arrays(after)

    def score_after(
        self,
        states: States,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        *,
        normalised: bool = True,
    ) -> NDArray[np.float64]:
        """Natural-log probability (n,) of words (n,), each after the state of its row, rising."""
        if self._output is not None:
            first = np.flatnonzero(np.diff(rows, prepend=-1))
            starts = np.append(first, len(rows)).astype(np.int64)
            some = states.hidden[rows[first]]
            return self._output.score(some, starts, words, normalised, self._threads)
        torch.set_num_threads(self._threads)
        with torch.inference_mode():
            hidden, history = self._tensor(states.hidden[rows]), self._tensor(states.history[rows])
            scores = self._score(hidden, history, self._tensor(words.astype(np.int64)), normalised)
        return scores.double().cpu().numpy()

    def advance(self, states: States, rows: NDArray[np.int64], words: NDArray[np.int32]) -> States:
        """The states after words (n,), each read after the state of its row."""
        if not len(words):
            return states.take(rows)
        torch.set_num_threads(self._threads)
        taken = states.take(rows)
        with torch.inference_mode():
            memories = tuple(tuple(map(self._tensor, memory)) for memory in taken.memories)
            state = State(self._tensor(taken.hidden), memories, self._tensor(taken.history))
            read = self._network.read(state, self._tensor(words.astype(np.int64))[:, None])
            return self._arrays(read[2])

    def _tensor(self, values: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(values).to(self._device)

    def _arrays(self, state: State) -> States:
        memories = tuple(tuple(p.cpu().numpy() for p in memory) for memory in state.memories)
        return States(state.hidden.cpu().numpy(), memories, state.history.cpu().numpy())

    def _begin(self, n: int) -> State:
        """After `<s>`."""
        words = torch.full((n, 1), BEGIN_ID, dtype=torch.long, device=self._device)
        return self._network.read(self._network.empty(n), words)[2]

    def _score(self, hidden: Tensor, history: Tensor, words: Tensor, normalised: bool) -> Tensor:
        """Scores (n,) of words (n,) after states."""
        parts = []
        for first in range(0, len(words), EVENTS):
            some = slice(first, first + EVENTS)
            features = self._network.features(history[some])
            scores, log_z = self._network.output.scores(hidden[some], words[some], features)
            parts.append(scores - log_z.sum(1) if normalised else scores)
        return torch.cat(parts)

    def _score_tree(self, tree: "Beginnings", normalised: bool) -> NDArray[np.float64]:
        """Score (count,) of the last word of each beginning."""
        hidden, history, words = [], [], []
        with torch.inference_mode():
            state = self._begin(1)
            for parents, last in tree.columns():
                rows = self._tensor(parents)
                hidden.append(state.hidden[rows])
                history.append(state.history[rows])
                words.append(self._tensor(last))
                going = words[-1] != END_ID
                if going.any():
                    before = state.map(partial(torch.index_select, dim=0, index=rows[going]))
                    state = self._network.read(before, words[-1][going][:, None])[2]
            scores = self._score(
                torch.cat(hidden), torch.cat(history), torch.cat(words), normalised
            )
        return scores.double().cpu().numpy()


def _compiled_output(
    architecture: Architecture, structure: Structure, parameters: Parameters
) -> _kernel.Output32:
    names = structure.shapes(architecture.dim)
    own = {name: parameters[name] for name in names}
    return compiled_output(architecture, structure, own)


class Beginnings:
    """The different beginnings of sentences in alphabetical order: a tree, column by column.

    Attributes:
        count: how many there are, whole sentences with their `</s>` among them.
        contexts: how many of them go on, the empty one counted.
        of: the beginning that ends with each word, for the words of the rows one after the other.
    """

    def __init__(self, rows: NDArray[np.int32]) -> None:
        """From rows (n, longest + 1) of words, `</s>` and -1."""
        self._rows = rows
        differs = np.ones(rows.shape, dtype=bool)
        differs[1:] = np.logical_or.accumulate(rows[1:] != rows[:-1], axis=1)
        self._new = differs & (rows >= 0)  # the first row with this beginning
        counts = self._new.sum(axis=0)
        self.count = int(counts.sum())
        self.contexts = 1 + int(np.count_nonzero(self._new & (rows != END_ID)))
        numbers = np.cumsum(self._new, axis=0) - 1 + np.cumsum(counts) - counts
        self.of: NDArray[np.int64] = numbers[rows >= 0]

    def columns(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The beginnings of each length: which one each goes on from, and its last word.

        The former are numbers among those of the column before that go on.
        """
        parent = np.zeros(len(self._rows), dtype=np.int64)
        for column, new in zip(self._rows.T, self._new.T, strict=True):
            yield parent[new], column[new].astype(np.int64)
            parent = np.cumsum(new & (column != END_ID)) - 1


def group_equal(
    ids: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different sentences in the order of their words' numbers, and which of them each is."""
    data = ids.astype(">u4").tobytes()  # sorts as the numbers do
    borders = (4 * offsets).tolist()
    keys = [data[a:b] for a, b in pairwise(borders)]
    first: dict[bytes, int] = {}
    for number, key in enumerate(keys):
        first.setdefault(key, number)
    ordered = sorted(first)
    place = {key: number for number, key in enumerate(ordered)}
    distinct = np.array([first[key] for key in ordered], dtype=np.int64)
    return distinct, np.array([place[key] for key in keys], dtype=np.int64)
