"""Requests for further output of the decoder: n-best lists, search graphs, lattices."""

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nlmt.decoder._decoder import Outputs, Writer
from nlmt.decoder.search_options import LARGEST
from nlmt.errors import InputError
from nlmt.io._lattice import LatticeWriter
from nlmt.io.files import atomic_path, write_lines
from nlmt.io.weights import Weights


@dataclass(frozen=True)
class NbestRequest:
    """An n-best list to write.

    Attributes:
        path: the list, gzip-compressed if it ends in `.gz`; written atomically where it is a
            plain file; `-` is standard output.
        size: maximal number of translations per sentence.
        distinct: no two with equal words. The list is exact: if the search graph has that many
            different translations, so has the list.
        segmentation: add a column `0-1=0-2 ...`, source and target words of each phrase.
        alignment: add a column `0-0 1-2 ...`, the aligned words.
        labels: name the features (`LM0= -2.5`); old programs read lists without names.
    """

    path: Path
    size: int
    distinct: bool = False
    segmentation: bool = False
    alignment: bool = False
    labels: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.size <= LARGEST:
            hint = f"from 1 to {LARGEST:,}"
            raise InputError(f"an n-best list of {self.size} translations", hint=hint)


@dataclass(frozen=True)
class GraphRequest:
    """Search graphs to write; docs/formats.md describes the formats.

    Attributes:
        plain: Moses' search graph of all sentences, gzip-compressed if it ends in `.gz`.
        extended: search graph with the feature values and the source words of each step.
        hypergraphs: folder for a hypergraph per sentence and the `weights`; created if missing.
        compressed: write the hypergraphs as `.gz` instead of `.txt`.
        slf: folder for a lattice in HTK's format, `.slf`, per sentence; created if missing.
    """

    plain: Path | None = None
    extended: Path | None = None
    hypergraphs: Path | None = None
    compressed: bool = True
    slf: Path | None = None


@dataclass(frozen=True)
class LatticeRequest:
    """Lattices to write, built from the search graph; `nlmt.io.lattice_file` reads them.

    Attributes:
        path: one file for all sentences, written atomically.
        beam: keep a phrase application if some translation with it scores at most this much below
            the best one; infinite: keep all.
        density: keep about this many phrase applications per word of the best translation, from the
            best translations; infinite: keep all.
    """

    path: Path
    beam: float = math.inf
    density: float = math.inf

    def __post_init__(self) -> None:
        if not self.beam >= 0:
            raise InputError(f"a lattice beam of {self.beam}", hint="at least 0")
        if not self.density > 0:
            raise InputError(f"a lattice density of {self.density}", hint="above 0")


def open_outputs(
    nbest: NbestRequest | None,
    graph: GraphRequest | None,
    lattices: LatticeRequest | None,
    weights: Weights,
    stack: ExitStack,
) -> Outputs:
    """Open the requested outputs; files appear under their names when `stack` closes."""
    graph = graph or GraphRequest()
    if graph.hypergraphs is not None:
        write_lines(_folder(graph.hypergraphs) / "weights", _weight_lines(weights))
    return Outputs(
        nbest=_writer(None if nbest is None else nbest.path, stack),
        search_graph=_writer(graph.plain, stack),
        extended_graph=_writer(graph.extended, stack),
        lattices=None
        if lattices is None
        else stack.enter_context(_open_lattices(lattices, weights)),
        hypergraphs="" if graph.hypergraphs is None else str(graph.hypergraphs),
        hypergraph_suffix=".gz" if graph.compressed else ".txt",
        slf="" if graph.slf is None else str(_folder(graph.slf)),
    )


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError("not a folder", path=path, hint="name another one") from error
    return path


def _weight_lines(weights: Weights) -> Iterator[str]:
    for label, values in weights.items():
        for number, value in enumerate(values, start=1):
            name = f"{label}_{number}" if len(values) > 1 else label
            yield f"{name} {_weight_text(value)}"


def _weight_text(value: float) -> str:
    """Six decimals, as of Moses, or the shortest decimals of a weight that these do not hold."""
    text = f"{value:.6f}"
    exact = np.float32(value)
    return text if np.float32(text) == exact else str(exact)


@contextmanager
def _open_lattices(lattices: LatticeRequest, weights: Weights) -> Iterator[LatticeWriter]:
    with atomic_path(lattices.path) as place:
        writer = LatticeWriter(str(place), list(weights.items()))
        yield writer
        writer.close()


def _writer(path: Path | None, stack: ExitStack) -> Writer | None:
    return None if path is None else stack.enter_context(_open_writer(path))


@contextmanager
def _open_writer(path: Path) -> Iterator[Writer]:
    # "-" is the writer's own name for standard output.
    with nullcontext(path) if path == Path("-") else atomic_path(path) as place:
        writer = Writer(str(place), path.suffix == ".gz")
        yield writer
        writer.close()
