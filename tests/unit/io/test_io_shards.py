"""Shards of a text: all lines once, in order, nearly equal."""

import shutil
from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.files import concatenate, read_lines, scratch_folder, write_lines
from nlmt.io.shards import Shard


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_shards_are_the_text(tmp_path: Path, count: int) -> None:
    lines = [f"line {number}" for number in range(13)]
    write_lines(tmp_path / "text.gz", lines)
    shards = [Shard(number, count).read(tmp_path / "text.gz") for number in range(1, count + 1)]
    parts = [(first, list(part)) for first, part in shards]
    assert [line for _, part in parts for line in part] == lines
    for first, part in parts:
        assert lines[first : first + len(part)] == part
        assert abs(len(part) - len(lines) / count) < 1


def test_names_of_shards() -> None:
    assert Shard.parse("2-of-3") == Shard(2, 3)
    assert Shard.parse("") == Shard(1, 1)
    for name in ("4-of-3", "0-of-3", "2of3", "2-of-", "-1-of-3"):
        with pytest.raises(ValueError, match="shard"):
            Shard.parse(name)


def test_parts_join_to_the_whole(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_lines(tmp_path / f"{name}.gz", [name])
    concatenate([tmp_path / "a.gz", tmp_path / "b.gz"], tmp_path / "ab.gz")
    assert list(read_lines(tmp_path / "ab.gz")) == ["a", "b"]


def test_scratch_folder_is_empty_and_goes(tmp_path: Path) -> None:
    for ending in (None, KeyboardInterrupt):
        (tmp_path / ".out.0123abcd.work").mkdir()
        (tmp_path / ".out.0123abcd.work/rest").touch()
        try:
            with scratch_folder(tmp_path / "out") as folder:
                assert list(folder.iterdir()) == []
                (folder / "x").touch()
                if ending:
                    raise ending
        except KeyboardInterrupt:
            pass
        assert list(tmp_path.iterdir()) == []


def test_a_scratch_folder_clears_those_of_its_own_output_alone(tmp_path: Path) -> None:
    for name in ("a[b]", "ab", "a[b].2"):
        (tmp_path / f".{name}.0123abcd.work").mkdir()
    with scratch_folder(tmp_path / "a[b]"):
        pass
    left = [".a[b].2.0123abcd.work", ".ab.0123abcd.work"]
    assert sorted(path.name for path in tmp_path.iterdir()) == left


def test_scratch_folder_goes_if_its_removal_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove, interrupts = shutil.rmtree, [KeyboardInterrupt]

    def interrupted(folder: Path, *, ignore_errors: bool) -> None:
        if folder.exists() and interrupts:
            raise interrupts.pop()
        remove(folder, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), scratch_folder(tmp_path / "out") as folder:
        (folder / "x").touch()
    assert list(tmp_path.iterdir()) == []


def test_bad_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none: no such file"):
        Shard(1, 2).read(tmp_path / "none")
