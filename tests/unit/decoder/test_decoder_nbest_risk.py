"""MBR over the n-best list: by hand, and the flags; `minimum_risk` of lists chooses the same."""

from pathlib import Path

import pytest

from nlmt.cli.decode import run
from nlmt.decoder import Decoder, MinimumRisk
from nlmt.errors import InputError

pytestmark = pytest.mark.threads


def test_by_hand(tmp_path: Path) -> None:
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
