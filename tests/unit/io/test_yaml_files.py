"""YAML of the user: what no key can take is refused before it costs time or memory."""

from pathlib import Path

import pytest
import yaml

from nlmt.errors import InputError
from nlmt.io.yaml_files import DEEPEST, MOST_VALUES, parse_yaml
from nlmt.io.yaml_places import check_keys

ALIASES = "a0: &a0 [x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10)
)


def fault(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_yaml(text, Path("a.yaml"))
    return str(caught.value)


def test_values_of_json() -> None:
    values = "[1, 0, 1_000, 0x1f, 0.5, 2.5, 1e3, true, no, null, '2026-11-24']"
    text = f"a: {values}\nb: &b {{c: x}}\nd: {{<<: *b, e: *b}}\n"
    assert parse_yaml(text) == yaml.safe_load(text)
    assert parse_yaml("") is None


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("2026-11-24", "2026-11-24 is a date or time"),
        ("2026-02-30", "2026-02-30 is a date or time"),
        ("2026-11-24 10:00:00", "2026-11-24 10:00:00 is a date or time"),
        ("!!timestamp x", "x is a date or time"),
        ("!!binary eA==", "eA== is binary data"),
        ("!!set {x}", "a value of the type set"),
        ("!!omap [x: 1]", "a value of the type omap"),
        ("!!pairs [x: 1]", "a value of the type pairs"),
        ("!mine x", "x is a value of the type !mine"),
        (f"0x{'f' * 5000}", f"0x{'f' * 198} ... "),
        ("010", "010 is 8 to YAML"),
        ("-0_17", "-0_17 is -15 to YAML"),
        ("1:30", "1:30 is 90 to YAML"),
        ("+1:30.5", "+1:30.5 is 90.5 to YAML"),
        ("{2026-11-24: x}", "2026-11-24 is a date or time"),
    ],
)
def test_what_json_does_not_have(value: str, what: str) -> None:
    said = fault(f"a: 1\nb: {value}\n")
    assert said.startswith(f"a.yaml:2: {what}")
    assert said.endswith(
        "(allowed: text (in quotes), numbers, true, false, null, lists and mappings)"
    )


def test_aliases_that_stand_for_too_much() -> None:
    """For billions of values, or for what they are in themselves."""
    counted = "counting an alias as what it stands for"
    for text in (ALIASES, MERGES):
        assert len(text) < 1000
        assert fault(text) == f"a.yaml: more than {MOST_VALUES:,} values, {counted}"
    for text in ("a: &a [*a]", "a: &a {b: *a}", "a: &a {<<: *a}"):
        assert fault(text) == f"a.yaml: more than {DEEPEST} levels, {counted}"


@pytest.mark.parametrize(
    ("most", "deepest", "said"),
    [
        (4, 2, None),
        (3, 2, "more than 3 values"),
        (4, 1, "more than 1 levels"),
        (3, 1, "more than 1 levels"),  # the deepest value is the third
    ],
)
def test_limits_are_the_most_that_is_read(
    most: int, deepest: int, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlmt.io.yaml_files.MOST_VALUES", most)
    monkeypatch.setattr("nlmt.io.yaml_files.DEEPEST", deepest)
    if said is None:
        assert parse_yaml("[[1], 2]") == [[1], 2]
    else:
        assert fault("[[1], 2]") == f"a.yaml: {said}, counting an alias as what it stands for"


def test_a_number_of_300_digits_is_the_largest() -> None:
    assert parse_yaml("1" * 300) == int("1" * 300)
    assert "is too large a number" in fault("1" * 301)
    assert parse_yaml("'" + "1" * 301 + "'") == "1" * 301


@pytest.mark.parametrize(
    ("right", "wrong", "faults"),
    [
        (
            "dim: 1\nlayers: [{a: 1, b: {a: 2}}]\n",
            "dim: 1\nlayers: [{a: 1, a: 2}]\ndim: 2\n",
            ["2: layers.0.a: this key comes twice", "3: dim: this key comes twice"],
        ),
        (
            "languages: {'no': Norwegian}\n",
            "languages:\n  no: Norwegian\n",
            ["2: languages.no: YAML reads this key as true or false: write 'no', in quotes"],
        ),
    ],
)
def test_keys_that_are_dropped_or_changed(
    right: str, wrong: str, faults: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(right)
    check_keys(path)
    path.write_text(wrong)
    with pytest.raises(InputError) as caught:
        check_keys(path)
    assert str(caught.value).splitlines() == [f"{path}:{fault}" for fault in faults]


def test_where_the_text_is_no_yaml() -> None:
    for text in ("!!int x", "!!int ''", "!!float x", "!!bool x", "[" * 5000):
        assert fault(text).startswith("a.yaml: not YAML: ")
    assert fault("a: 1\nb: [\n") == (
        "a.yaml:3: not YAML: expected the node content, but found '<stream end>'"
    )
    assert fault("a:\n\t- b\n").startswith("a.yaml:2: not YAML: a tab; YAML is indented")
    assert fault("a: \x01").startswith("a.yaml: not YAML: unacceptable character")
    assert fault("a: !!int x\nb: !!int y") == (
        "a.yaml: not YAML: invalid literal for int() with base 10: 'x'"
    )
