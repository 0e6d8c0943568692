"""A Moses binary as the decoder: found, checked, run on a text, its output checked.

Flags and output formats follow Moses' source; `nlmt decode` takes the same flags.
"""

import math
import os
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import override

from nlmt.decoder.binary_tables import is_binary_table
from nlmt.decoder.engine import DecoderEngine
from nlmt.decoder.outputs import GraphRequest, LatticeRequest, NbestRequest
from nlmt.decoder.search_options import SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import GZIP_LEVEL, atomic_path, read_lines, scratch_folder, write_lines
from nlmt.io.lattice_file import write_lattices
from nlmt.io.lattice_moses import read_search_graphs
from nlmt.io.moses_ini import read_ini, weight_lines
from nlmt.io.nbest import iter_nbest
from nlmt.io.temporary import temporary_folder
from nlmt.io.weights import Weights
from nlmt.processes import run_program

_VERSION = re.compile(r"Moses code version[^:]*:\s*(\S+)")
_CREDIT = "Moses - A beam search decoder"  # printed by releases without --version
_CHECK_SECONDS = 20
_GZIP_WINDOW = 15 + 16  # largest window, gzip header
_ONLY_EMBEDDED = frozenset(["ClassLM", "NeuralLM"])
_LAST_WORDS = 3
_EXTENDED = "-output-search-graph-extended"


def find_moses(path: str | None) -> Path:
    """The binary at `path`; None: the `moses` in PATH.

    Raises:
        InputError: there is none, or it is not executable.
    """
    hint = "decoder.path names the binary; decoder.engine: nlmt needs none"
    if path is None:
        found = shutil.which("moses")
        if found is None:
            raise InputError("there is no moses in PATH", hint=hint)
        return Path(found)
    binary = Path(path)
    if not binary.is_file():
        raise InputError("no such file", path=path, hint=hint)
    if not os.access(binary, os.X_OK):
        raise InputError("not executable", path=path, hint="chmod +x, or another decoder.path")
    return binary.absolute()


def moses_version(binary: Path) -> str:
    """The version that the binary reports.

    Raises:
        InputError: it cannot be run, does not answer, or is not Moses.
    """
    hint = "decoder.path must name Moses' command-line decoder"
    try:
        answer = subprocess.run(
            [binary, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_CHECK_SECONDS,
            check=False,
        )
    except OSError as error:
        raise InputError(f"cannot be run: {error.strerror}", path=binary, hint=hint) from error
    except subprocess.TimeoutExpired as error:
        what = f"no answer to --version within {_CHECK_SECONDS} s"
        raise InputError(what, path=binary, hint=hint) from error
    found = _VERSION.search(answer.stdout) or _VERSION.search(answer.stderr)
    if found:
        return found[1]
    if _CREDIT in answer.stdout + answer.stderr:
        return "before --version"
    raise InputError("not Moses: it does not report a version", path=binary, hint=hint)


@dataclass(frozen=True)
class MosesTranslation:
    """The best translation of a sentence: words separated by spaces."""

    text: str


class MosesDecoder:
    """Translates with a Moses binary; implements `TranslationEngine`."""

    def __init__(
        self, ini: Path | str, binary: Path, *, search: SearchOptions, threads: int = 1
    ) -> None:
        """Check the binary and the model's configuration; each call of `translate` loads the model.

        Raises:
            InputError: not Moses; a malformed configuration, or features that only the embedded
                decoder has.
        """
        self._ini = Path(ini)
        self._binary = binary
        self._search = search
        self._threads = threads
        self._version = moses_version(binary)
        settings = read_ini(ini)
        for feature in settings.features:
            if feature.kind in _ONLY_EMBEDDED or "units" in feature.arguments:
                what = f"{feature.label}: Moses has no {feature.kind}"
                if "units" in feature.arguments:
                    what += f" with units={feature.arguments['units']}"
                raise feature.fault(ini, what, "only decoder.engine: nlmt has it")
            if is_binary_table(Path(feature.arguments.get("path", ""))):
                what = f"{feature.label}: Moses does not read nlmt's binary tables"
                raise feature.fault(ini, what, "name the text tables")
        if search.recombination_context:
            what = "[recombination-context]: Moses has no such section"
            line = settings.places.get("recombination-context")  # none if a flag gives it
            raise InputError(what, path=ini, line=line, hint="only decoder.engine: nlmt has it")
        self._model = settings

    @property
    def facts(self) -> dict[str, Any]:
        """`engine`, `version`, `flags`, and the binary's `path`."""
        return {
            "engine": "moses",
            "version": self._version,
            "path": str(self._binary),
            "flags": self._search.flags(),
        }

    def weights(self) -> dict[str, list[float]]:
        """Weights of all features, in the order of the configuration and in Moses' precision."""
        return {
            label: np.array(values, np.float32).tolist()
            for label, values in self._model.ordered_weights().items()
        }

    def set_weights(self, weights: Weights) -> None:
        """Replace the weights of some or all features.

        Raises:
            InputError: a label that the model does not have, or another number of weights.
        """
        self._model = self._model.with_weights(weights)

    def translate(
        self,
        lines: Iterable[str],
        *,
        nbest: NbestRequest | None = None,
        graph: GraphRequest | None = None,
        lattices: LatticeRequest | None = None,
        source: str | Path = "input",
        first: int = 0,
    ) -> Iterator[MosesTranslation]:
        """Yield Moses' best translation of each line.

        One search graph can be written, `plain` or `extended`; lattices are made from the extended
        one, without word alignment.

        Raises:
            InputError: Moses fails (shows its last messages), or its output is not one translation
                per line and a complete n-best list; nothing is written then.
        """
        if lattices is not None and graph is not None:
            raise InputError("Moses writes search graphs or lattices", hint="ask for one of them")
        graphs = _graph_flags(graph or GraphRequest())
        outputs = [request.path for request in (nbest, lattices) if request is not None]
        outputs += graphs.values()
        # On the disk of the requested outputs.
        with scratch_folder(outputs[0]) if outputs else temporary_folder() as place:
            write_lines(place / "input", lines)
            command = [self._binary, *self._flags(place)]
            if nbest is not None:
                command += _nbest_flags(nbest, place / "nbest")
            for flag in graphs if lattices is None else [_EXTENDED]:
                command += [flag, place / "graph"]
            run_program(command, output=place / "output", last_words=_LAST_WORDS)
            try:
                _check_answers(place, nbest is not None)
            except InputError as error:
                hint = "is the disk full?"
                what = f"{self._binary} succeeded, but its output is not complete: {error}"
                raise InputError(what, path=source, hint=hint) from error
            if nbest is not None:
                _copy(place / "nbest", nbest.path, first)
            for path in graphs.values():
                _copy(place / "graph", path, first)
            if lattices is not None:
                self._write_lattices(lattices, place / "graph", first)
            for line in read_lines(place / "output"):
                yield MosesTranslation(line.strip(" "))

    def _write_lattices(self, request: LatticeRequest, graph: Path, first: int) -> None:
        lattices = (
            replace(lattice, sentence=first + lattice.sentence)
            for lattice in read_search_graphs(graph, self._model.ordered_weights())
        )
        beam, density = (
            value if math.isfinite(value) else None for value in (request.beam, request.density)
        )
        write_lattices(request.path, (some.prune(beam=beam, density=density) for some in lattices))

    def _flags(self, place: Path) -> list[Path | str]:
        # Not -start-translation-id: from another number than 0 Moses prints nothing.
        return [
            *("-config", self._ini, "-input-file", place / "input"),
            *("-threads", str(self._threads), "-verbose", "0"),
            *self._search.flags(),
            *("-weight-overwrite", " ".join(weight_lines(self._model.weights))),
        ]


def _nbest_flags(nbest: NbestRequest, path: Path) -> list[Path | str]:
    flags: list[Path | str] = ["-n-best-list", path, str(nbest.size)]
    if nbest.distinct:
        flags.append("distinct")
    if nbest.segmentation:
        flags.append("-include-segmentation-in-n-best")
    if nbest.alignment:
        flags.append("-print-alignment-info-in-n-best")
    return flags


def _graph_flags(graph: GraphRequest) -> dict[str, Path]:
    """The flag and the path of the requested graph."""
    if graph.hypergraphs is not None or graph.slf is not None:
        raise InputError(
            "with decoder.engine: moses only search graphs are written",
            hint="make lattices and hypergraphs from the extended one",
        )
    if graph.plain is not None and graph.extended is not None:
        raise InputError(
            "Moses writes one search graph at a time", hint="the extended one contains all"
        )
    asked = {"-output-search-graph": graph.plain, _EXTENDED: graph.extended}
    return {flag: path for flag, path in asked.items() if path is not None}


def _check_answers(place: Path, nbest: bool) -> None:
    """Check that Moses' output has all sentences of the text, in complete lines."""
    sentences = [bool(line.strip(" \t")) for line in read_lines(place / "input")]
    given = sum(1 for _ in read_lines(place / "output"))
    if given != len(sentences):
        raise InputError(f"{given} translations of {len(sentences)} sentences")
    if not nbest:
        return
    listed = set()
    for block in iter_nbest(place / "nbest", whole_sentences=False):
        listed.update(block.sentence.tolist())
    if strange := listed.difference(range(len(sentences))):
        raise InputError(
            f"its n-best list has a sentence {min(strange)}, which the text does not have"
        )
    asked = {number for number, words in enumerate(sentences) if words}
    if missing := asked - listed:
        raise InputError(f"its n-best list has no translation of sentence {min(missing)}")
    with (place / "nbest").open("rb") as stream:
        if stream.seek(0, os.SEEK_END) and stream.seek(-1, os.SEEK_END) and stream.read() != b"\n":
            raise InputError("its n-best list ends within a line")


def _copy(answer: Path, path: Path, first: int) -> None:
    """Copy a list or graph, numbered from `first`, compressed as by the embedded decoder.

    Each sentence is a separate gzip member, so that concatenated shards have the bytes of the
    whole.
    """
    with answer.open("rb") as lines, atomic_path(path) as temporary, temporary.open("wb") as out:
        for number, sentence in groupby(lines, key=lambda line: line.split(b" ", 1)[0]):
            begin = str(first + int(number)).encode()
            piece = b"".join(begin + line.removeprefix(number) for line in sentence)
            if path.suffix == ".gz":
                deflate = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
                piece = deflate.compress(piece) + deflate.flush()
            out.write(piece)


class MosesEngine(DecoderEngine):
    """A Moses binary as an engine."""

    language_models = ("KENLM",)
    extensions = False
    lattices = False  # those it writes have no word alignment
    binary_tables = False

    @override
    def find(self, path: str | None) -> dict[str, str]:
        binary = find_moses(path)
        return {"path": str(binary), "version": moses_version(binary)}

    @override
    def open(
        self, ini: Path, found: Mapping[str, Any], *, search: SearchOptions, threads: int
    ) -> MosesDecoder:
        return MosesDecoder(ini, find_moses(found["path"]), search=search, threads=threads)


MOSES = MosesEngine()
