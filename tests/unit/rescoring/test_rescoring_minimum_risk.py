"""Minimum Bayes risk over lists, against a plain implementation of Kumar and Byrne (2004)."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbest_lists import blocks_of
from sentence_bleu import sentence_bleu

from nlmt.decoder import Decoder, MinimumRisk, NbestRequest
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.rescoring import minimum_risk

GOLDEN = Path(__file__).parents[2] / "golden"
Row = tuple[int, str, float]


def write_list(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(f"{s} ||| {text}  ||| A= {t} B= 1 ||| 0\n" for s, text, t in rows))
    return path


def risks(rows: list[Row], scale: float) -> list[float]:
    return [
        sum(
            math.exp(scale * score) * (1 - sentence_bleu(text.split(), other.split()))
            for _, other, score in rows
        )
        for _, text, _ in rows
    ]


def test_by_hand(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list", [(0, "x", -0.9), (0, "y z", -1.2), (0, "y w", -1.2)])
    # y z: e^-0.9 + e^-1.2 (1 - (1/2 * 1/2)^(1/4)) = 0.495, x: 2 e^-1.2 = 0.602.
    assert minimum_risk(path, weights={"A": [1], "B": [0]}) == ["y z"]
    assert minimum_risk(path, weights={"A": [1], "B": [0]}, scale=10) == ["x"]
    assert minimum_risk(path, weights={"A": [1], "B": [0]}, size=1) == ["x"]
    assert minimum_risk(path, weights={"A": [-1], "B": [0]}, size=1) == ["y z"]


def test_probabilities_of_equal_hypotheses_add_up(tmp_path: Path) -> None:
    rows = [(0, "x", 0.3), (0, "y", 0.0), (0, "y", 0.0), (2, "", 0.0), (2, "", -1.0)]
    path = write_list(tmp_path / "list", rows)
    weights = {"A": [1.0], "B": [0.0]}
    assert minimum_risk(path, weights=weights) == ["y", "", ""]
    assert minimum_risk(path, weights=weights, size=2, sentences=4) == ["x", "", "", ""]
    assert minimum_risk(path) == ["y", "", ""]


rows = st.lists(
    st.tuples(
        st.just(0),
        st.lists(st.sampled_from("abc"), max_size=6).map(" ".join),
        st.integers(-8, 0).map(lambda x: x / 4),
    ),
    min_size=1,
    max_size=8,
)


@given(rows=rows, scale=st.sampled_from([0.5, 1.0, 3.0]))
def test_the_choice_has_the_least_risk(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], scale: float
) -> None:
    path = write_list(tmp_path_factory.mktemp("mbr") / "list", rows)
    chosen = minimum_risk(path, weights={"A": [1], "B": [0]}, scale=scale)[0]
    values = risks(rows, scale)
    risk = min(v for v, row in zip(values, rows, strict=True) if row[1] == chosen)
    assert risk == pytest.approx(min(values), abs=1e-9)


def test_the_decoder_chooses_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN)
    decoder = Decoder(Path("moses.ini"))
    source = list(read_lines("test5.fr"))
    decoder.decode(source, nbest=NbestRequest(tmp_path / "list", 40, distinct=True))
    for scale in (0.1, 1.0):
        risk = MinimumRisk(lattice=False, size=40, scale=scale)
        wanted = [translation.text for translation in decoder.decode(source, risk=risk)]
        assert minimum_risk(tmp_path / "list", scale=scale, size=40) == wanted
        with blocks_of(1):
            assert minimum_risk(tmp_path / "list", scale=scale, size=40) == wanted


@pytest.mark.parametrize(("scale", "size"), [(0, 1), (-1, 1), (math.nan, 1), (math.inf, 1), (1, 0)])
def test_settings_that_make_no_sense(scale: float, size: int, tmp_path: Path) -> None:
    path = write_list(tmp_path / "list", [(0, "a", 0.0)])
    with pytest.raises(InputError, match="both must be above 0"):
        minimum_risk(path, scale=scale, size=size)
