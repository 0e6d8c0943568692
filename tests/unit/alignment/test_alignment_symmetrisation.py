"""Symmetrisation against the golden file, and by hand."""

from pathlib import Path

import pytest

from nlmt.alignment import METHODS, symmetrise
from nlmt.errors import InputError

GOLDEN = Path(__file__).parents[2] / "golden"


def test_equals_the_golden_file(tmp_path: Path) -> None:
    output = tmp_path / "aligned"
    symmetrise(GOLDEN / "fwd.align", GOLDEN / "rev.align", output, "grow-diag-final-and")
    assert output.read_bytes() == (GOLDEN / "aligned.grow-diag-final-and").read_bytes()


@pytest.mark.parametrize(
    ("method", "links"),
    [
        ("intersection", "0-0"),
        ("union", "0-0 1-1 1-2 2-2 4-4 4-5 6-5"),
        # 1-1 neighbours 0-0; 2-2 and 1-2 then touch 1-1, and 1-2 is tried before 2-2 and covers
        # target word 2; 2-2 still covers source word 2.
        ("grow-diag", "0-0 1-1 1-2 2-2"),
        # 4-4 is the first that covers two new words; of the others, 6-5 does.
        ("grow-diag-final-and", "0-0 1-1 1-2 2-2 4-4 6-5"),
    ],
)
def test_methods_by_hand(method: str, links: str) -> None:
    assert METHODS.get(method)("0-0 1-1 1-2 4-4 4-5", "0-0 2-2 6-5") == links


def test_one_link_grows_to_a_long_chain() -> None:
    """Step by step, in which older links are not looked at again."""
    chain = " ".join(f"{word}-{word}" for word in range(20_000))
    assert METHODS.get("grow-diag")(chain, "0-0") == chain


def test_no_links() -> None:
    for _, join in METHODS.items():
        assert join("", "") == ""


@pytest.mark.parametrize("bad", ["0", "0-", "-1", "0-0-0", "a-b", "0:0", "0-0,", "0-99999999999"])
def test_a_malformed_link_is_named(bad: str, tmp_path: Path) -> None:
    forward, reverse = tmp_path / "f", tmp_path / "r"
    forward.write_text("0-0\n0-0\n")
    reverse.write_text(f"0-0\n0-0 {bad}\n")
    with pytest.raises(InputError, match=rf"f:2: '{bad}' in this line, or the same line of .*r"):
        symmetrise(forward, reverse, tmp_path / "a", "union")
    assert not (tmp_path / "a").exists()


def test_scores_behind_the_links_are_named(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("0-0 ||| -1.5\n")
    (tmp_path / "r").write_text("0-0\t-2.5\n")
    for name, bad in (("f", r"\|\|\|"), ("r", r"-2\.5")):
        with pytest.raises(InputError, match=f"{name}:1: '{bad}' .*without scores"):
            symmetrise(tmp_path / name, tmp_path / name, tmp_path / "a", "union")


def test_unknown_method_and_unequal_length(tmp_path: Path) -> None:
    forward, reverse = tmp_path / "f", tmp_path / "r"
    forward.write_text("0-0\n0-0\n")
    reverse.write_text("0-0\n")
    with pytest.raises(InputError, match="grow-diag-final-and"):
        symmetrise(forward, reverse, tmp_path / "a", "grow")
    with pytest.raises(InputError, match="ends after 1 lines"):
        symmetrise(forward, reverse, tmp_path / "a", "union")
