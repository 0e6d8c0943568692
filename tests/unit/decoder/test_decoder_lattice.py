"""Lattices from the search against its translations, n-best lists and search graphs."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from lattices import path_alignment, path_features

from nlmt.cli import run_command
from nlmt.decoder import Decoder, LatticeRequest, NbestRequest, SearchOptions
from nlmt.errors import InputError
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.nbest import NbestList, read_nbest

run = partial(run_command, "decode")

pytestmark = pytest.mark.threads

STACKS = SearchOptions(stack=100, distortion_limit=6)
CUBE = SearchOptions(cube_pruning=True, pop_limit=100, stack=50, distortion_limit=6)
Decoded = tuple[list[Lattice], NbestList, list[tuple[str, str, float]]]


@pytest.fixture(scope="module", params=[STACKS, CUBE], ids=["stacks", "cube"])
def decoded(
    request: pytest.FixtureRequest,
    golden: Path,
    golden_source: list[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Decoded:
    """Unpruned lattices, lists of 100, and the best translations."""
    folder = tmp_path_factory.mktemp("lattices")
    decoder = Decoder(golden / "moses.ini", search=request.param, threads=2)
    best = decoder.decode(
        [*golden_source, "", "unbekannt"],
        nbest=NbestRequest(folder / "nbest", 100),
        lattices=LatticeRequest(folder / "lattices"),
    )
    lattices = list(LatticeFile(folder / "lattices"))
    return lattices, read_nbest(folder / "nbest"), [(b.text, b.alignment, b.score) for b in best]


def test_the_best_path_is_the_translation(decoded: Decoded, golden_source: list[str]) -> None:
    lattices, _, best = decoded
    assert [lattice.sentence for lattice in lattices] == list(range(32))
    for lattice, (text, alignment, score) in zip(lattices, best, strict=True):
        path = lattice.best_path()
        assert (lattice.text(path), path_alignment(lattice, path)) == (text, alignment)
        assert path.score == pytest.approx(score, abs=1e-4)
    assert " ".join([lattices[0].words[w] for w in lattices[0].source]) == golden_source[0]


def test_the_best_paths_are_the_list(decoded: Decoded) -> None:
    lattices, nbest, _ = decoded
    starts = nbest.sentence_starts()
    for lattice, begin, end in zip(lattices, starts, starts[1:], strict=False):
        paths = lattice.nbest(100)
        assert len(paths) == end - begin
        assert [p.score for p in paths] == pytest.approx(nbest.totals[begin:end], abs=2e-3)
        order = [lattice.feature_names.index(name) for name in nbest.feature_names]
        columns = np.cumsum([0, *(width for _, width in lattice.feature_names)])
        take = np.concatenate([np.arange(columns[i], columns[i + 1]) for i in order])

        def rows(texts: list[str], values: np.ndarray) -> list[tuple[str, list[float]]]:
            return sorted((t, np.round(v, 2).tolist()) for t, v in zip(texts, values, strict=True))

        # Those with the score of the last one may be others of the same score.
        ours = [p for p in paths if p.score > paths[-1].score + 1e-3]
        listed = [i for i in range(begin, end) if nbest.totals[i] > paths[-1].score + 1e-3]
        mine = rows(
            [lattice.text(p) for p in ours],
            np.array([path_features(lattice, p)[take] for p in ours]) + 1e-9,
        )
        theirs = rows([nbest.text(i) for i in listed], nbest.features[listed] + 1e-9)
        assert [t for t, _ in mine] == [t for t, _ in theirs]
        flat = [np.array([v for _, v in some]).reshape(-1) for some in (mine, theirs)]
        assert np.sort(flat[0]) == pytest.approx(np.sort(flat[1]), abs=2e-2)


def test_beam_and_density_are_those_of_the_library(
    golden: Path, golden_source: list[str], tmp_path: Path
) -> None:
    decoder = Decoder(golden / "moses.ini", search=CUBE, threads=2)
    whole, some = tmp_path / "whole", tmp_path / "some"
    decoder.decode(golden_source, lattices=LatticeRequest(whole))
    for beam, density in ((1.5, float("inf")), (float("inf"), 8.0), (2.0, 20.0)):
        decoder.decode(golden_source, lattices=LatticeRequest(some, beam, density))
        for lattice, pruned in zip(LatticeFile(whole), LatticeFile(some), strict=True):
            expected = lattice.prune(beam=beam, density=density if density < 1e9 else None)
            # The search adds up in single precision.
            assert abs(len(expected) - len(pruned)) <= 2 + len(pruned) // 100
            assert pruned.best_path().score == pytest.approx(lattice.best_path().score)
            assert len(pruned) < len(lattice)


@pytest.mark.usefixtures("in_golden")
def test_the_command(tmp_path: Path) -> None:
    flags = ["-f", "moses.ini", "-i", "test5.fr", "-s", "20"]
    path = tmp_path / "out" / "some.lattices"
    run([*flags, "-output-lattice", str(path), "-lattice-beam", "2", "-lattice-density", "30"])
    assert len(LatticeFile(path)) == 5
    with pytest.raises(InputError, match="lattice-beam without"):
        run([*flags, "-lattice-beam", "2"])
    with pytest.raises(InputError, match="density of 0"):
        run([*flags, "-output-lattice", str(path), "-lattice-density", "0"])
