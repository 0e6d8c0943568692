"""Lattices of the help corpus, French to English: size, and time an arc of each operation."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.decoder import INI, SEARCH, SOURCE
from benchmarks.frames import Row
from nlmt.decoder import Decoder, LatticeRequest, MinimumRisk
from nlmt.io.files import read_lines
from nlmt.io.lattice_file import LatticeFile, write_lattices
from nlmt.io.lattice_moses import read_search_graphs, write_search_graphs

SENTENCES = 200
LARGE = 20  # sentences of a wide search, whose lattices have some 10^5 arcs


def run() -> list[Row]:
    """Bytes an arc; microseconds an arc to write, read, search and prune."""
    missing = [str(path) for path in (INI, SOURCE) if not path.exists()]
    if missing:
        return [{"step": "lattices", "figure": f"not run: needs {missing[0]}", "note": "make demo"}]
    decoder = Decoder(INI)
    lines = list(read_lines(SOURCE))
    with tempfile.TemporaryDirectory() as name:
        return [*_from_search(decoder, lines, Path(name)), *_large(decoder, lines, Path(name))]


def _from_search(decoder: Decoder, lines: list[str], folder: Path) -> list[Row]:
    decoder.search = SEARCH
    some = lines[:SENTENCES]
    decoder.decode(some)  # pages and caches
    path = folder / "lattices"
    rows = []
    for step, call in (
        ("decode, the best only", lambda: decoder.decode(some)),
        ("decode, lattices", lambda: decoder.decode(some, lattices=LatticeRequest(path))),
        (
            "decode, lattices of density 30",
            lambda: decoder.decode(some, lattices=LatticeRequest(folder / "small", density=30)),
        ),
        ("decode, lattice MBR", lambda: decoder.decode(some, risk=MinimumRisk())),
    ):
        milliseconds = _seconds(call) / len(some) * 1000
        rows.append(_row(step, milliseconds, "CPU ms a sentence", f"{len(some)} sentences"))
    arcs = sum(map(len, LatticeFile(path)))
    note = f"{arcs} arcs"
    rows.append(_row("file of lattices", path.stat().st_size / arcs, "bytes an arc", note))
    return rows


def _large(decoder: Decoder, lines: list[str], folder: Path) -> list[Row]:
    decoder.search = replace(SEARCH, stack=5000, pop_limit=5000)
    path, graph = folder / "large", folder / "graph"
    decoder.decode(lines[:LARGE], lattices=LatticeRequest(path))
    lattices = list(LatticeFile(path))
    arcs = sum(map(len, lattices))
    steps: dict[str, Callable[[], object]] = {
        "read": lambda: list(LatticeFile(path)),
        "write": lambda: write_lattices(folder / "again", lattices),
        "best path": lambda: [lattice.best_path() for lattice in lattices],
        "prune to density 30": lambda: [lattice.prune(density=30) for lattice in lattices],
        "100 best, distinct": lambda: [lat.nbest(100, distinct=True) for lat in lattices],
        "write a search graph": lambda: write_search_graphs(graph, lattices[:3]),
        "read a search graph": lambda: list(read_search_graphs(graph, lattices[0].weights)),
    }
    note = f"{len(lattices)} lattices, {arcs // len(lattices)} arcs each"
    rows = []
    for step, call in steps.items():
        of = sum(map(len, lattices[:3])) if "search graph" in step else arcs
        rows.append(_row(f"lattices: {step}", _seconds(call) / of * 1e6, "CPU us an arc", note))
    return rows


def _seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _row(step: str, figure: float, unit: str, note: str) -> Row:
    return {"step": step, "figure": round(figure, 3), "unit": unit, "note": note}
