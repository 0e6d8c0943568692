"""Claims: the reader on damaged files, and the committed claims against the published values."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from nlmt.errors import InputError
from nlmt.papers import COLUMNS, Cell, Claim, Relation, read_claims

FOLDER = Path(__file__).parents[3] / "config/papers"
PAPERS = ("auli2013", "baltescu2015", "luong2015", "schwenk2010")
VALUES = (
    "table7\tBrown\tBLEU\tBLEU\t31.55\tpage 825\t",
    "table7\tbins\tBLEU\tBLEU\t31.07\tpage 825\t",
    "table7\tbins\tperplexity\tperplexity\t120\tpage 825\t",
    "table7\ttree\tBLEU\tBLEU\t\tpage 825\tillegible",
)
GOOD: dict[str, Any] = {
    "name": "brown_over_bins",
    "statement": "Brown classes are better.",
    "where": "section 4, table 7",
    "relation": "higher",
    "better": [["table7", "Brown", "BLEU"]],
    "worse": [["table7", "bins", "BLEU"]],
}


def write(folder: Path, *claims: dict[str, Any]) -> Path:
    place = folder / "some"
    place.mkdir()
    lines = ("\t".join(COLUMNS), *VALUES)
    (place / "table7.tsv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    path = place / "claims.yaml"
    path.write_text(yaml.safe_dump({"claims": list(claims)}, sort_keys=False), encoding="utf-8")
    return path


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name != key}


def cells(*rows: str) -> list[list[str]]:
    return [["table7", row, "BLEU"] for row in rows]


def claim(relation: Relation, **sizes: float) -> Claim:
    cell = Cell("table7", "Brown", "BLEU")
    return Claim(
        name="some", statement="Some.", where="section 4", metric="BLEU", relation=relation,
        better=(cell,), worse=(cell,), published=((1.0, None),), **sizes,
    )  # fmt: skip


def test_claim_is_read(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (found,) = read_claims(tmp_path, "some")
    assert found.relation is Relation.HIGHER
    assert found.better == (Cell("table7", "Brown", "BLEU"),)
    assert found.published == ((31.55, 31.07),)
    assert found.published_holds() is True


def test_a_number_is_what_the_value_is_compared_with(tmp_path: Path) -> None:
    write(tmp_path, {**GOOD, "worse": [30]})
    (found,) = read_claims(tmp_path, "some")
    assert found.worse[0].number == 30
    assert found.better[0].number is None
    assert found.published == ((31.55, 30),)


@pytest.mark.parametrize("side", ["better", "worse"])
def test_a_single_cell_is_compared_with_all_of_the_other_side(tmp_path: Path, side: str) -> None:
    write(tmp_path, {**GOOD, side: cells(*[GOOD[side][0][1]] * 2)})
    (found,) = read_claims(tmp_path, "some")
    assert found.better == (Cell("table7", "Brown", "BLEU"),) * 2
    assert found.worse == (Cell("table7", "bins", "BLEU"),) * 2
    assert found.published == ((31.55, 31.07),) * 2


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({"worse": [["table7", "tree", "BLEU"]], "note": "illegible"}, None),
        ({"relation": "lower", "note": "The paper rounds."}, False),
    ],
)
def test_a_claim_that_does_not_hold_needs_a_note(
    change: dict[str, Any], holds: bool | None, tmp_path: Path
) -> None:
    write(tmp_path, GOOD | change)
    (found,) = read_claims(tmp_path, "some")
    assert found.published_holds() is holds


def test_relations() -> None:
    assert claim(Relation.LOWER).holds(1.0, 2.0)
    assert not claim(Relation.LOWER).holds(1.0, 1.0)
    assert claim(Relation.HIGHER).holds(2.0, 1.0)
    assert not claim(Relation.HIGHER).holds(1.0, 1.0)
    equal = claim(Relation.EQUAL, tolerance=0.1)
    assert equal.holds(19.96, 20.06)
    assert equal.holds(20.06, 19.96)
    assert not equal.holds(19.96, 20.07)
    no_higher = claim(Relation.NO_HIGHER, tolerance=0.1)
    assert no_higher.holds(10.0, 20.0)
    assert no_higher.holds(20.06, 19.96)
    assert not no_higher.holds(20.07, 19.96)
    by_one = claim(Relation.HIGHER, by=1)
    assert by_one.holds(1.1, 0.1)
    assert not by_one.holds(1.0, 0.1)
    ratio = claim(Relation.RATIO, factor=7, tolerance=0.1)
    assert ratio.holds(1.2, 9.1)  # 7.6 times
    assert not ratio.holds(1.2, 9.4)  # 7.8 times
    assert not ratio.holds(1.2, 7.5)  # 6.25 times
    assert not ratio.holds(9.1, 1.2)
    assert not ratio.holds(0, 9.1)  # without an end
    above = claim(Relation.RATIO_ABOVE, factor=100)
    assert above.holds(1.0, 250.0)
    assert not above.holds(1.0, 100.0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (without("where"), "where: this key is missing"),
        ({**GOOD, "wher": "x"}, "wher: unknown key"),
        ({**GOOD, "name": "Brown"}, "name: 'Brown' does not have the form"),
        ({**GOOD, "statement": " "}, "statement: ' ' does not have the form"),
        ({**GOOD, "relation": "above"}, "relation: 'above' is not allowed"),
        ({**GOOD, "relation": "equal"}, "the relation 'equal' needs a tolerance"),
        ({**GOOD, "relation": "no-higher"}, "the relation 'no-higher' needs a tolerance"),
        ({**GOOD, "tolerance": 1}, "the relation 'higher' needs no tolerance"),
        ({**GOOD, "relation": "ratio", "tolerance": 0.1}, "the relation 'ratio' needs a factor"),
        ({**GOOD, "relation": "equal", "tolerance": -1}, "tolerance: -1"),
        ({**GOOD, "relation": "lower", "by": 1}, "only the relation 'higher'"),
        ({**GOOD, "relation": "ratio", "factor": 2, "tolerance": 1}, "needs a tolerance below 1"),
        ({**GOOD, "better": ["Brown"]}, "better.0: "),
        ({**GOOD, "relation": "equal", "tolerance": float("inf")}, "tolerance: inf"),
        ({**GOOD, "published": [[31.55, 31.07]]}, "published: unknown key"),
        (
            {**GOOD, "better": cells("Brown", "bins"), "worse": cells("Brown", "bins", "tree")},
            "not of one length",
        ),
        ({**GOOD, "worse": [["table7", "wins", "BLEU"]]}, "not among the published values"),
        ({**GOOD, "worse": [["table7", "bins", "perplexity"]]}, "its unit is perplexity"),
        ({**GOOD, "relation": "lower"}, "do not satisfy the claim, and no note says why"),
        (GOOD, "the name 'brown_over_bins' is used twice"),
    ],
)
def test_damaged_claim_is_named(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    path = write(tmp_path, GOOD, copy.deepcopy(fields))
    lines = path.read_text(encoding="utf-8").splitlines()
    second = [line for line, text in enumerate(lines, 1) if text.startswith("- name")][1]
    last = yaml.safe_dump(fields, sort_keys=False).count("\n") + second - 1
    with pytest.raises(InputError) as caught:
        read_claims(tmp_path, "some")
    place, _, line = str(caught.value).partition(": ")[0].rpartition(":")
    assert place == str(path)
    assert second <= int(line) <= last
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a mapping"),
        ("name: some\n", "claims: this key is missing"),
        ("- some\n", "not a mapping"),
        ("claims: []\n", "claims: "),
        ("claims:\n- some\n", "claims.0: "),
        ("claims:\n- name: a\n  name: b\n", "claims.0.name: this key comes twice"),
        ("- name: [\n", "not YAML"),
        ("- name: \x01\n", "not YAML"),
    ],
)
def test_damaged_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, GOOD)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_claims(tmp_path, "some")
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("paper", PAPERS)
def test_committed_claims_refer_to_published_values(paper: str) -> None:
    claims = read_claims(FOLDER, paper)
    assert claims
    for one in claims:
        assert one.published_holds() or (one.published_holds() is None and one.note)
