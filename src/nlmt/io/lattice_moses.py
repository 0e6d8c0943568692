"""Lattices in Moses' extended search graph (-output-search-graph-extended).

A line is a hypothesis: a step from the hypothesis `back=` to it or, if it was recombined with a
better one, to the node of that one. Values are in the order of the moses.ini, without names.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from nlmt.errors import InputError, in_file
from nlmt.io.fields import split_fields
from nlmt.io.files import atomic_text, read_lines
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_builder import LatticeBuilder
from nlmt.io.lattice_text import format_lattice, parse_score
from nlmt.io.weights import Weights

_NUMBER = r"([0-9]{1,9})"
_START = re.compile(rf"{_NUMBER} hyp=0 stack=0( .*)?")
_STEP = re.compile(
    rf"{_NUMBER} hyp={_NUMBER} stack={_NUMBER} back={_NUMBER} score=\S+ transition=\S+"
    rf"(?: recombined={_NUMBER})? forward=\S+ fscore=\S+ covered={_NUMBER}-{_NUMBER} "
    r'scores="core=\(([^)"]*)\) *" out="(.*)" *'
)
_FORM = 'N hyp=N stack=N back=N ... covered=N-N scores="core=(...) " out="source|target"'


class _Step(NamedTuple):
    hypothesis: int
    stack: int
    back: int
    span: tuple[int, int]
    target: list[str]
    values: list[float]
    line: int


class _Graph:
    """The hypotheses of one sentence."""

    def __init__(self, sentence: int, path: Path) -> None:
        self.sentence = sentence
        self.path = path
        self.steps: list[_Step] = []
        self.node_of = {0: 0}  # of each hypothesis: the one with which it was recombined, or itself
        self.source: dict[int, str] = {}

    def add(self, match: re.Match[str], width: int, line: int) -> None:
        hypothesis, stack, back = (int(match[i]) for i in (2, 3, 4))
        begin, end = int(match[6]), int(match[7]) + 1
        if hypothesis in self.node_of:
            raise InputError(f"hyp={hypothesis} a second time")
        try:
            values = list(map(parse_score, match[8].split(",")))
        except ValueError:
            values = []
        if len(values) != width:
            count = len(match[8].split(","))
            what = f"{count} feature values, or one that is not a number"
            raise InputError(what, hint=f"{width}, as there are weights")
        words, target = _split(match[9], end - begin)
        for place, word in enumerate(words, start=begin):
            if self.source.setdefault(place, word) != word:
                raise InputError(f"source word {place} differs")
        self.node_of[hypothesis] = hypothesis if match[5] is None else int(match[5])
        self.steps.append(_Step(hypothesis, stack, back, (begin, end), target, values, line))

    def node(self, hypothesis: int) -> int:
        seen = {hypothesis}
        while (better := self.node_of.get(hypothesis)) != hypothesis:
            if better is None or better in seen:
                raise InputError(f"no hypothesis {hypothesis}", hint="keep all lines")
            seen.add(better)
            hypothesis = better
        self.node_of |= dict.fromkeys(seen, hypothesis)  # long chains are followed once
        return hypothesis

    def lattice(self, weights: Weights) -> Lattice:
        length = max((step.stack for step in self.steps), default=0)
        if len(self.source) != length or max(self.source, default=-1) >= length:
            raise InputError(f"sentence {self.sentence} has no complete translation")
        source = [self.source[place] for place in range(length)]
        builder = LatticeBuilder(self.sentence, weights, source)
        # All complete translations end in one node, as nothing follows.
        numbers = {0: 0}
        end = 1 if self.steps else 0
        for step in self.steps:
            with in_file(self.path, step.line):
                before, node = self.node(step.back), self.node(step.hypothesis)
            start = numbers.setdefault(before, len(numbers) + 1)
            to = end if step.stack == length else numbers.setdefault(node, len(numbers) + 1)
            builder.add(start, to, step.target, step.values, span=step.span)
        try:
            return builder.build(len(numbers) + 1, 0, end)
        except InputError as error:
            raise InputError(f"sentence {self.sentence}: {error}") from error


def _split(out: str, length: int) -> tuple[list[str], list[str]]:
    """Source and target words of `source|target`; either may have bars of its own."""
    at = out.find("|")
    while at >= 0:
        source = split_fields(out[:at])
        if len(source) == length:
            return source, split_fields(out[at + 1 :])
        at = out.find("|", at + 1)
    raise InputError(f"out= does not have {length} source words", hint=_FORM)


def read_search_graphs(path: Path | str, weights: Weights) -> Iterator[Lattice]:
    """Yield the lattice of each sentence of an extended search graph, ours or Moses'.

    The format has three decimals and no word alignment, so the lattices' phrases have none.

    Args:
        path: the graphs, gzip-compressed if it ends in `.gz`.
        weights: of all features by label, in the order of the moses.ini.

    Raises:
        InputError: a malformed line, a missing hypothesis, a sentence that comes twice or without
            complete translation, a wrong number of values; names file and line.
    """
    path = Path(path)
    width = sum(map(len, weights.values()))
    numbered = enumerate(read_lines(path), start=1)
    seen: set[int] = set()
    for _, lines in groupby(numbered, key=lambda item: item[1].split(" ", 1)[0]):
        graph = None
        for line, text in lines:
            with in_file(path, line):
                start = _START.fullmatch(text)
                if start is not None and graph is None:
                    graph = _Graph(int(start[1]), path)
                    if graph.sentence in seen:
                        what = f"sentence {graph.sentence} comes twice"
                        raise InputError(what, hint="give each decoder's output by itself")
                    seen.add(graph.sentence)
                    continue
                step = _STEP.fullmatch(text)
                if graph is None or step is None:
                    wrong = "the sentence does not begin with hyp=0"
                    raise InputError(wrong if step else "not a search graph", hint=_FORM)
                graph.add(step, width, line)
        if graph is not None:
            with in_file(path, line):
                lattice = graph.lattice(weights)
            yield lattice


def write_search_graphs(path: Path | str, lattices: Iterable[Lattice]) -> None:
    """Write lattices as an extended search graph, compressed if `path` ends in `.gz`.

    Raises:
        InputError: a lattice whose source words or spans are unknown, or whose source has a word
            such as `a|b`, which would be read as ending at its bar.
    """
    with atomic_text(path) as text:
        for lattice in lattices:
            for word in [lattice.words[word] for word in lattice.source.tolist()]:
                if "|" in word and word != "|":
                    what = f"sentence {lattice.sentence} has the source word {word}, with a bar"
                    raise InputError(what, hint="write another format")
            if len(lattice) and not _has_spans(lattice):
                raise InputError(
                    f"sentence {lattice.sentence}: the lattice lacks the source spans of its arcs, "
                    "which a search graph needs",
                    hint="write another format",
                )
            text.write(format_lattice(lattice, "osgx")[0])


def _has_spans(lattice: Lattice) -> bool:
    spans = lattice.spans
    return bool((spans[:, 0] < spans[:, 1]).all() and spans.max() <= len(lattice.source))
