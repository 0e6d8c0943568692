"""MBR over n-best lists by hand, where `minimum_risk` of lists chooses the same; over lattices
against plain scoring of all candidates with n-grams counted on all paths."""

import math
from functools import partial
from pathlib import Path

import pytest

from nlmt.cli import run_command
from nlmt.decoder import Decoder, LatticeRequest, MinimumRisk, NbestRequest, SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.nbest import read_nbest

run = partial(run_command, "decode")

pytestmark = pytest.mark.threads

SEARCH = SearchOptions(stack=20, distortion_limit=2)
CASES = [
    MinimumRisk(size=30, density=2),
    MinimumRisk(size=30, scale=0.2, density=5, precision=0.2, ratio=0.8),
    MinimumRisk(size=50, scale=0.1, density=4, thetas=(0.1, 0.3, 0.5), map_weight=0.1),
]


def ngrams(words: list[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + n]) for n in range(1, order + 1) for i in range(len(words) - n + 1)]


def posteriors(lattice: Lattice, scale: float, order: int) -> dict[tuple[str, ...], float]:
    """By listing all paths of a pruned lattice."""
    paths = lattice.nbest(200_000)
    assert len(paths) < 200_000
    total: dict[tuple[str, ...], float] = {}
    chances = [math.exp(scale * (path.score - paths[0].score)) for path in paths]
    for path, chance in zip(paths, chances, strict=True):
        for ngram in set(ngrams(lattice.text(path).split(), order)):
            total[ngram] = total.get(ngram, 0) + chance / sum(chances)
    return total


@pytest.mark.parametrize("risk", CASES)
def test_the_choice_is_that_of_plain_scoring(
    risk: MinimumRisk, golden: Path, tmp_path: Path
) -> None:
    decoder = Decoder(golden / "moses.ini", search=SEARCH, threads=2)
    source = [*list(read_lines(golden / "test.fr"))[:6], "", "unbekannt"]
    best = decoder.decode(
        source,
        nbest=NbestRequest(tmp_path / "nbest", risk.size, distinct=True),
        lattices=LatticeRequest(tmp_path / "lattices", density=risk.density),
    )
    chosen = decoder.decode(source, risk=risk)
    nbest = read_nbest(tmp_path / "nbest")
    thetas = risk.all_thetas()
    for number, lattice in enumerate(LatticeFile(tmp_path / "lattices")):
        chances = posteriors(lattice, risk.scale, len(thetas) - 1)
        rows = [i for i in range(len(nbest)) if nbest.sentence[i] == number]
        gains = []
        for i in rows:
            words = nbest.text(i).split()
            gain = thetas[0] * len(words)
            gain += sum(thetas[len(n)] * chances.get(n, 0) for n in ngrams(words, len(thetas) - 1))
            gains.append(gain + risk.map_weight * nbest.totals[i] * (i == rows[0]))
        texts = [nbest.text(i) for i in rows]
        assert gains[texts.index(chosen[number].text)] == pytest.approx(max(gains))
    assert [b.text for b in best] != [c.text for c in chosen] or risk is CASES[0]


def test_thetas_are_those_of_moses() -> None:
    thetas = MinimumRisk(precision=0.5, ratio=0.5).all_thetas()
    assert thetas == pytest.approx([-1, 0.5, 1, 2, 4])
    assert MinimumRisk(thetas=(1, 2)).all_thetas() == [1, 2]


@pytest.mark.usefixtures("in_golden")
def test_the_flags_of_lattices(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["-f", "moses.ini", "-i", "test5.fr", "-s", "20"]
    run([*flags, "-lmbr", "-mbr-scale", "0.5", "-lmbr-thetas", "-1", "0.3", "0.5"])
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 5
    run([*flags, "-lmbr", "-mbr-size", "1"])
    one = capsys.readouterr().out
    run(flags)
    assert capsys.readouterr().out == one
    with pytest.raises(InputError, match="mbr-size 0"):
        run([*flags, "-lmbr", "-mbr-size", "0"])
    with pytest.raises(InputError, match="two numbers"):
        run([*flags, "-lmbr", "-lmbr-thetas", "-1"])


def test_a_list_by_hand(tmp_path: Path) -> None:
    """The best has nothing in common with two others that agree on a word."""
    (tmp_path / "table").write_text("a ||| x ||| 0.4\na ||| y z ||| 0.3\na ||| y w ||| 0.3\n")
    (tmp_path / "moses.ini").write_text(
        f"[feature]\nPhraseDictionaryMemory name=TM0 path={tmp_path}/table\n[weight]\nTM0= 1\n"
    )
    decoder = Decoder(tmp_path / "moses.ini", threads=2)
    assert decoder.decode(["a"])[0].text == "x"
    # y z: loss 0.4 + 0.3 (1 - BLEU), where BLEU is (1/2 * 1/2 * 1 * 1) ^ 1/4; x: 0.6.
    assert 0.4 + 0.3 * (1 - 0.25**0.25) < 0.6
    assert decoder.decode(["a"], risk=MinimumRisk(lattice=False))[0].text == "y z"
    sure = MinimumRisk(lattice=False, scale=10)
    assert decoder.decode(["a"], risk=sure)[0].text == "x"
    alone = MinimumRisk(lattice=False, size=1)
    assert decoder.decode(["a", ""], risk=alone)[0].text == "x"


@pytest.mark.usefixtures("in_golden")
def test_the_flags_of_lists(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["-f", "moses.ini", "-i", "test5.fr", "-mbr-scale", "0.1", "-mbr-size", "50"]
    printed = []
    for flag in (["-mbr"], ["-minimum-bayes-risk", "true"], ["-lmbr"]):
        run([*flags, *flag])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    with pytest.raises(InputError, match="mbr-size without -mbr or -lmbr"):
        run(flags)
    with pytest.raises(InputError, match="-mbr and -lmbr"):
        run([*flags, "-mbr", "-lmbr"])
    with pytest.raises(InputError, match="lmbr-p without -lmbr"):
        run([*flags, "-mbr", "-lmbr-p", "0.5"])
