"""JSON artefacts: each way in which they can be broken has one message."""

import copy
from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.json_files import read_json, read_json_value


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1,\n', ":2: not JSON, or truncated: Expecting property name enclosed in"),
        (b'{"a": "\xff"}', ": not UTF-8 (is it"),
        (b"1" * 5000, ": not JSON: Exceeds the limit (4300 digits)"),
        (b"[" * 100_000, ": nested too deeply (is it"),
        (b"[1]", ": not a JSON object (is it"),
    ],
    ids=["truncated", "not UTF-8", "a long number", "deep", "a list"],
)
def test_broken_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_json(path)
    assert str(caught.value).startswith(f"{path}{message}")
    assert str(caught.value).endswith(" (is it the right file? If so, make it again)")


def test_a_key_that_comes_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"weights": {"LM0": [0.5], "LM0": [0.7]}}')
    with pytest.raises(InputError, match=r"a.json: the key 'LM0' comes twice .keep one of them"):
        read_json(path)


def test_a_key_that_an_earlier_version_did_not_write(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": [{"b": 1}]}')
    content = read_json(path)
    for lacking in (content, content["a"][0], copy.deepcopy(content)):
        assert lacking.get("c") is None
        with pytest.raises(InputError, match=r"a.json: no 'c' \(made by an earlier version; make"):
            lacking["c"]


def test_values(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": ["é", null]}', encoding="utf-8")
    assert read_json(path) == read_json_value(path) == {"a": ["é", None]}
    path.write_text('{"a": 1}', encoding="utf-8-sig")  # with a byte-order mark
    assert read_json(path) == {"a": 1}
    path.write_text("[1]")
    assert read_json_value(path) == [1]
    with pytest.raises(InputError, match="none: no such file"):
        read_json_value(tmp_path / "none")
