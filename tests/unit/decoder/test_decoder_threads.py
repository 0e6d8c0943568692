"""Nothing that is written depends on threads, on neighbours in a batch, or on weights of before."""

from pathlib import Path

import pytest

from nlmt.decoder import (
    Decoder,
    GraphRequest,
    LatticeRequest,
    MinimumRisk,
    NbestRequest,
    SearchOptions,
)

pytestmark = pytest.mark.threads

SEARCHES = {
    "stacks": SearchOptions(stack=40, distortion_limit=6),
    "cubes": SearchOptions(cube_pruning=True, pop_limit=80, stack=60, distortion_limit=6),
}


def write_everything(decoder: Decoder, lines: list[str], folder: Path) -> dict[str, bytes]:
    """All that the decoder can write, and what it gives back."""
    best = decoder.decode(
        lines,
        nbest=NbestRequest(folder / "nbest.gz", 20, segmentation=True, alignment=True),
        graph=GraphRequest(
            folder / "graph.gz", folder / "extended", folder / "hypergraphs", True, folder / "slf"
        ),
        lattices=LatticeRequest(folder / "lattices", beam=4, density=10),
        risk=MinimumRisk(size=20),
    )
    told = [(b.text, b.traced, b.alignment, b.unknown, b.score) for b in best]
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) == 5 + 2 * len(lines)  # with the hypergraphs' weights
    return {str(path.relative_to(folder)): path.read_bytes() for path in files} | {
        "best": repr(told).encode()
    }


@pytest.mark.parametrize("search", SEARCHES)
def test_threads_do_not_change_a_byte(
    search: str, golden_decoder: Decoder, golden_source: list[str], tmp_path: Path
) -> None:
    golden_decoder.search = SEARCHES[search]
    lines = [*golden_source, "", "unbekannt 7", *golden_source[:10]]
    written = []
    for threads in (1, 5):
        golden_decoder.threads = threads
        written.append(write_everything(golden_decoder, lines, tmp_path / str(threads)))
    golden_decoder.threads = 2
    assert written[0] == written[1]


@pytest.mark.parametrize("search", SEARCHES)
def test_sentences_do_not_see_their_neighbours(
    search: str, golden_decoder: Decoder, golden_source: list[str]
) -> None:
    golden_decoder.search = SEARCHES[search]
    together = [(b.text, b.score) for b in golden_decoder.decode(golden_source)]
    alone = [(b.text, b.score) for line in golden_source for b in golden_decoder.decode([line])]
    back = [(b.text, b.score) for b in golden_decoder.decode(golden_source[::-1])]
    assert together == alone == back[::-1]


def test_weights_that_come_back_bring_the_same_bytes(
    golden_decoder: Decoder, golden_source: list[str], tmp_path: Path
) -> None:
    golden_decoder.search = SEARCHES["cubes"]
    before = golden_decoder.weights()
    first = write_everything(golden_decoder, golden_source, tmp_path / "first")
    zero = {label: [0.0] * len(values) for label, values in before.items()}
    try:
        golden_decoder.set_weights(zero | {"Distortion0": [-0.7], "LM0": [2.0]})
        other = write_everything(golden_decoder, golden_source, tmp_path / "other")
    finally:
        golden_decoder.set_weights(before)
    assert other["best"] != first["best"]
    assert write_everything(golden_decoder, golden_source, tmp_path / "again") == first
