"""Every mistake in a configuration file gives file, key, what is allowed and the nearest match."""

from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml

from nlmt.errors import InputError
from nlmt.registry import PLUGINS, Registry, plugin_files, use_plugins
from nlmt.settings import REQUIRED, NameIn, OneOf, Settings, partial, setting, to_plain
from nlmt.settings_check import read_settings


class Square(Settings):
    """One kind."""

    kind: Literal["square"] = setting(REQUIRED, "What it is.")
    side: float = setting(1.0, "Length of a side.", gt=0, unit="m")


class Circle(Settings):
    """Another kind."""

    kind: Literal["circle"] = setting(REQUIRED, "What it is.")
    radii: tuple[int, ...] = setting((), "Of its rings.")
    circle: int = setting(1, "A key with the name of its kind.")
    fill: Literal["red", "blue"] = setting("red", "Colour.")


SHAPES: Registry[type[Settings]] = Registry("shape", {"square": Square, "circle": Circle})


class Drawing(Settings):
    """The whole."""

    name: str = setting("x", "Its name.", pattern="^[a-z]+$", examples=["house"])
    shapes: dict[str, Annotated[Settings, OneOf(SHAPES)]] = setting({}, "By name.")
    first: Square | None = setting(None, "One more.")
    layers: tuple[Annotated[str, setting(REQUIRED, "", pattern="^[a-z]+$")], ...] = setting(
        ("ground",), "From below.", min_length=1, examples=["ground"]
    )
    copies: int | tuple[int, ...] = setting(1, "How many, or their numbers.")


def message(values: dict[str, Any], **arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_settings(Drawing, values, **arguments)
    return str(caught.value)


def test_defaults_and_lists() -> None:
    values = {"shapes": {"a": {"kind": "circle", "radii": [1, 2]}, "b": {"kind": "square"}}}
    drawing = read_settings(Drawing, values)
    circle, square = drawing.shapes["a"], drawing.shapes["b"]
    assert isinstance(circle, Circle)
    assert isinstance(square, Square)
    assert (circle.radii, circle.fill, square.side) == ((1, 2), "red", 1.0)
    assert to_plain(drawing) == values


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            {"nmae": "x"},
            "nmae: unknown key (did you mean 'name'? allowed: name, shapes, first, layers, copies)",
        ),
        ({"name": "X1"}, "name: 'X1' does not have the form of house, ^[a-z]+$"),
        (
            {"shapes": {"a": {"side": 1}}},
            "shapes.a: the key kind is missing (allowed: square, circle)",
        ),
        (
            {"shapes": {"a": {"kind": "squre"}}},
            "shapes.a: kind: 'squre' is not allowed "
            "(did you mean 'square'? allowed: square, circle)",
        ),
        ({"shapes": {"a": {"kind": "square", "side": 0}}}, "shapes.a.side: 0 must be more than 0"),
        (
            {"shapes": {"a": {"kind": "circle", "fill": "blu"}}},
            "shapes.a.fill: 'blu' is not allowed (did you mean 'blue'? allowed: red, blue)",
        ),
        (
            {"shapes": {"a": {"kind": "circle", "sides": 1}}},
            "shapes.a.sides: unknown key (allowed: kind, radii, circle, fill)",
        ),
        ({"first": {"side": 1.5}}, "first.kind: this key is missing"),
        (
            {"shapes": {"a": {"kind": "circle", "circle": "x"}}},
            "shapes.a.circle: 'x' is not a whole number",
        ),
        (
            {"shapes": {"a": {"kind": "square", "square": 1}}},
            "shapes.a.square: unknown key (allowed: kind, side)",
        ),
        (
            {"shapes": {"square": {"kind": "square", "side": 0}}},
            "shapes.square.side: 0 must be more than 0",
        ),
        ({"layers": "sky"}, "layers: 'sky' is not a list: write [sky]"),
        (
            {"layers": "[sky"},
            "layers: '[sky' is not a list (not YAML: expected ',' or ']', but got '<stream end>')",
        ),
        (
            {"first": "{side: 1}"},
            "first: '{side: 1}' is not a mapping (in quotes it is text: leave them out)",
        ),
        (
            {"shapes": {"a": {"kind": "circle", "circle": "2"}}},
            "shapes.a.circle: '2' is not a whole number (in quotes it is text: leave them out)",
        ),
        ({"layers": []}, "layers: [] needs at least 1"),
        # One fault: without its wrong members the list is too short, too.
        ({"layers": ["A"]}, "layers.0: 'A' does not have the form of ground, ^[a-z]+$"),
        # Of two types the fault of the form that the value has.
        ({"copies": "two"}, "copies: 'two' is not a whole number"),
        ({"copies": [1, "x"]}, "copies.1: 'x' is not a whole number"),
        (
            {"copies": "two", "layers": 3},
            "layers: 3 is not a list\ncopies: 'two' is not a whole number",
        ),
    ],
)
def test_faults(values: dict[str, Any], expected: str) -> None:
    assert message(values) == expected


@pytest.mark.parametrize("value", ["1", True, None, [1], "1e-3"])
def test_types_are_not_guessed(value: object) -> None:
    assert message({"shapes": {"a": {"kind": "square", "side": value}}}).startswith(
        "shapes.a.side:"
    )


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "shared: &shared {fill: red}\nother: &other {side: 2}\nname: x\nshapes:\n"
        "  a: {<<: *shared, <<: *other, kind: square, kind: circle}\n  'a': *shared\nname: y\n"
        'lists:\n- {b: 1, "1": 2, 1: 2, b: 3}\n'
    )
    assert message({}, where="config", files=[path]).split("\n") == [
        f"{path}:5: config.shapes.a.kind: this key comes twice",
        f"{path}:6: config.shapes.a: this key comes twice",
        f"{path}:7: config.name: this key comes twice",
        f"{path}:9: config.lists.0.b: this key comes twice",
    ]


def test_all_faults_are_reported_with_their_lines(tmp_path: Path) -> None:
    first, second = tmp_path / "config.yaml", tmp_path / "mine.yaml"
    first.write_text("name: x\nshapes:\n  a:\n    kind: square\n    side: -1\n")
    second.write_text("shapes:\n  a: {fill: red}\n  b:\n    kind: circle\n    radii: [1, x]\n")
    values = {
        "shapes": {
            "a": {"kind": "square", "side": -1, "fill": "red"},
            "b": {"kind": "circle", "radii": [1, "x"]},
        }
    }
    assert yaml.safe_load(second.read_text())["shapes"]["b"] == values["shapes"]["b"]
    lines = message(values, where="config", files=[first, second]).split("\n")
    assert len(lines) == 3
    assert lines[0].startswith(f"{first}:5: config.shapes.a.side: -1 must be more than 0")
    assert lines[1].startswith(f"{second}:2: config.shapes.a.fill: unknown key")
    assert lines[2].startswith(f"{second}:5: config.shapes.b.radii.1: 'x'")


def test_plugins_register_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = tmp_path / "triangle.py"
    plugin.write_text(
        "from typing import Literal\n"
        "from nlmt.settings import REQUIRED, Settings, setting\n"
        "from test_settings import SHAPES\n"
        "class Triangle(Settings):\n"
        "    kind: Literal['triangle'] = setting(REQUIRED, 'What it is.')\n"
        "SHAPES.register('triangle', Triangle)\n"
    )
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    import test_settings

    registered = dict(test_settings.SHAPES._parts)
    monkeypatch.setattr(test_settings.SHAPES, "_parts", registered)  # for this test alone
    monkeypatch.setenv(PLUGINS, str(plugin))
    values = {"shapes": {"a": {"kind": "triangle"}}}
    assert to_plain(read_settings(test_settings.Drawing, values)) == values
    monkeypatch.setenv(PLUGINS, str(tmp_path / "none.py"))
    with pytest.raises(InputError, match="no such plugin"):
        read_settings(test_settings.Drawing, values)
    for line, says in (
        ("import nlmt.nothing", "ModuleNotFoundError: No module named 'nlmt.nothing'"),
        ("test_settings.SHAPES.register('circle', None)", "two parts are .* 'circle'"),
    ):
        other = tmp_path / f"{len(line)}.py"
        other.write_text(f"import test_settings\n{line}\n")
        monkeypatch.setenv(PLUGINS, str(other))
        with pytest.raises(InputError, match=f"{other}: this plugin cannot be imported: {says}"):
            read_settings(test_settings.Drawing, values)


@pytest.mark.parametrize("value", [None, 5, "a.py", [date(2026, 11, 24), 1], ["a.py", 2]])
def test_plugins_are_named_in_a_list(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of the configuration, which comes later, says what is wrong with others."""
    monkeypatch.setenv(PLUGINS, "")
    use_plugins(value)
    assert [path.name for path in plugin_files()] == (["a.py"] if value == ["a.py", 2] else [])


def test_the_schema_has_every_definition() -> None:
    schema = Drawing.model_json_schema()
    square = schema["$defs"]["Square"]["properties"]["side"]
    assert square["exclusiveMinimum"] == 0
    assert (square["description"], square["unit"], square["default"]) == (
        "Length of a side.",
        "m",
        1.0,
    )
    shapes = schema["properties"]["shapes"]["additionalProperties"]["oneOf"]
    assert [one["$ref"] for one in shapes][:2] == ["#/$defs/Square", "#/$defs/Circle"]


COLOURS: Registry[int] = Registry("colour", {"red": 700, "green": 550, "infrared": 900})


class Lamp(Settings):
    """A group with names of parts."""

    colour: Annotated[str, NameIn(COLOURS, fits=lambda length: length < 800)] = setting(
        "red", "Its colour."
    )
    second: Annotated[str | None, NameIn(COLOURS)] = setting(None, "Another one.")


class Stage(Settings):
    """A group within a group."""

    lamp: Lamp = setting(Lamp(), "Its lamp.")


def test_names_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_settings(Stage, {"lamp": {"colour": "green", "second": "infrared"}})
    assert (read.lamp.colour, read.lamp.second) == ("green", "infrared")
    for value, expected in (
        ("gren", "'gren' is not allowed (did you mean 'green'? allowed: red, green)"),
        ("infrared", "'infrared' is not allowed (allowed: red, green)"),
        (3, "3 is not text"),
    ):
        with pytest.raises(InputError) as caught:
            read_settings(Stage, {"lamp": {"colour": value}})
        assert str(caught.value).startswith(f"lamp.colour: {expected}")
    monkeypatch.setattr(COLOURS, "_parts", {"blue": 450, **COLOURS._parts})
    assert read_settings(Stage, {"lamp": {"colour": "blue"}}).lamp.colour == "blue"
    schema = Stage.model_json_schema()["$defs"]["Lamp"]["properties"]
    assert schema["colour"]["enum"] == ["blue", "red", "green"]
    part = partial(Lamp, "PartOfLamp", "What one stage overrides.")
    with pytest.raises(InputError, match="colour: 'gren' is not allowed"):
        read_settings(part, {"colour": "gren"})
    assert to_plain(read_settings(part, {"colour": "green"})) == {"colour": "green"}
    assert schema["second"]["anyOf"][0]["enum"] == ["blue", "red", "green", "infrared"]


@pytest.mark.parametrize(
    "values", [{"name": date(2026, 11, 24)}, {date(2026, 11, 24): 1}, {"name": {1}}, {"name": b"x"}]
)
def test_values_that_json_does_not_have(values: dict[Any, Any]) -> None:
    assert message(values, where="drawing").startswith("drawing: ")


def test_values_that_contain_themselves() -> None:
    values: dict[str, Any] = {}
    values["shapes"] = values
    assert message(values).startswith("top level: ")


def test_a_date_in_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    """Snakemake reads files itself, and gives their values on."""
    path = tmp_path / "config.yaml"
    path.write_text("shapes: {}\nname: 2026-11-24\n")
    assert message(yaml.safe_load(path.read_text()), files=[path]) == (
        f"{path}:2: 2026-11-24 is a date or time (allowed: text (in quotes), numbers, true, false, "
        "null, lists and mappings)"
    )
