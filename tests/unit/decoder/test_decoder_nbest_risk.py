"""MBR over the n-best list: by hand, and against a plain reading of Kumar and Byrne (2004)."""

import math
from pathlib import Path

import pytest
from sentence_bleu import sentence_bleu

from nlmt.cli.decode import run
from nlmt.decoder import Decoder, MinimumRisk, NbestRequest, SearchOptions
from nlmt.errors import InputError
from nlmt.io.nbest import read_nbest

pytestmark = pytest.mark.threads


def least_risk(texts: list[str], scores: list[float], scale: float) -> int:
    words = [text.split() for text in texts]
    chances = [math.exp(scale * (score - scores[0])) for score in scores]
    losses = [
        sum(c * (1 - sentence_bleu(mine, other)) for c, other in zip(chances, words, strict=True))
        - chances[i] * (1 - sentence_bleu(mine, mine))
        for i, mine in enumerate(words)
    ]
    return min(range(len(losses)), key=losses.__getitem__)


def test_by_hand(tmp_path: Path) -> None:
    """The best has nothing in common with two others that agree on a word."""
    (tmp_path / "table").write_text("a ||| x ||| 0.4\na ||| y z ||| 0.3\na ||| y w ||| 0.3\n")
    (tmp_path / "moses.ini").write_text(
        f"[feature]\nPhraseDictionaryMemory name=TM0 path={tmp_path}/table\n[weight]\nTM0= 1\n"
    )
    decoder = Decoder(tmp_path / "moses.ini")
    assert decoder.decode(["a"])[0].text == "x"
    # y z: loss 0.4 + 0.3 (1 - BLEU), where BLEU is (1/2 * 1/2 * 1 * 1) ^ 1/4; x: 0.6.
    assert 0.4 + 0.3 * (1 - 0.25**0.25) < 0.6
    assert decoder.decode(["a"], risk=MinimumRisk(lattice=False))[0].text == "y z"
    sure = MinimumRisk(lattice=False, scale=10)
    assert decoder.decode(["a"], risk=sure)[0].text == "x"
    alone = MinimumRisk(lattice=False, size=1)
    assert decoder.decode(["a", ""], risk=alone)[0].text == "x"


@pytest.mark.parametrize(("size", "scale"), [(30, 1.0), (40, 0.1), (30, 0.02)])
def test_the_choice_is_that_of_plain_scoring(
    size: int, scale: float, golden: Path, golden_source: list[str], tmp_path: Path
) -> None:
    search = SearchOptions(stack=50, distortion_limit=6)
    decoder = Decoder(golden / "moses.ini", search=search, threads=2)
    source = golden_source[:6]
    decoder.decode(source, nbest=NbestRequest(tmp_path / "list", size, distinct=True))
    nbest = read_nbest(tmp_path / "list")
    chosen = decoder.decode(source, risk=MinimumRisk(lattice=False, size=size, scale=scale))
    starts = nbest.sentence_starts()
    for number, translation in enumerate(chosen):
        rows = range(starts[number], starts[number + 1])
        texts = [nbest.text(i) for i in rows]
        rank = least_risk(texts, [float(nbest.totals[i]) for i in rows], scale)
        assert translation.text == texts[rank]


@pytest.mark.usefixtures("in_golden")
def test_the_flags(capsys: pytest.CaptureFixture[str]) -> None:
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
