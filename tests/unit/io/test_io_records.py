"""Arrays in files: what is written, split and sorted in pieces, against numpy in memory."""

from pathlib import Path

import numpy as np
import pytest

from nlmt.io.records import Parts, Records
from nlmt.io.sorted_runs import SortedRuns

TYPE = np.dtype([("key", "S2"), ("value", np.float32, (2,))])


def random_records(count: int, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    records = np.zeros(count, TYPE)
    records["key"] = random.integers(0, 5, (count, 2), dtype=np.uint8).view("S2")[:, 0]
    records["value"] = random.random((count, 2))
    return records


def test_records_come_back_in_pieces(tmp_path: Path) -> None:
    expected = random_records(10)
    records = Records(tmp_path / "records", TYPE)
    assert len(records) == 0
    assert len(records.read(0, 5)) == 0
    for begin, end in ((0, 3), (3, 3), (3, 10)):
        records.append(expected[begin:end])
    assert len(records) == 10
    np.testing.assert_array_equal(records.read(2, 3), expected[2:5])
    np.testing.assert_array_equal(records.read(8, 5), expected[8:])
    assert len(records.read(12, 5)) == 0
    pieces = list(records.pieces(4))
    assert [len(piece) for piece in pieces] == [4, 4, 2]
    np.testing.assert_array_equal(np.concatenate(pieces), expected)
    records.remove()
    assert list(tmp_path.iterdir()) == []


def test_what_is_split_is_put_together_in_the_same_order(tmp_path: Path) -> None:
    expected = random_records(50)
    of = np.random.default_rng(2).integers(0, 4, 50)
    parts = Parts(tmp_path / "part", TYPE, 5)
    for begin, end in ((0, 20), (20, 50)):
        parts.append(of[begin:end], expected[begin:end])
    np.testing.assert_array_equal(parts.parts[3].read(0, 50), expected[of == 3])
    assert len(parts.parts[4]) == 0
    taken = [parts.take(of[begin:end]) for begin, end in ((0, 7), (7, 7), (7, 50))]
    np.testing.assert_array_equal(np.concatenate(taken), expected)
    for misused in (lambda: parts.append(np.array([5]), expected[:1]), lambda: parts.take([5])):
        with pytest.raises(ValueError, match="longer than"):  # there are parts 0 to 4
            misused()
    parts.remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_merged_runs_are_sorted(tmp_path: Path, size: int) -> None:
    runs = SortedRuns(tmp_path / "runs", TYPE, size)
    expected = []
    for source in range(3):
        # Each key once a source, in any order.
        records = np.random.default_rng(source).permutation(
            np.unique(random_records(20, source + 3)["key"])
        )
        piece = np.zeros(len(records), TYPE)
        piece["key"], piece["value"] = records, source
        runs.add(source, np.array_split(piece, max(1, len(piece) // min(size, 3))))
        expected += [(bytes(record["key"]), source) for record in piece]
    found = []
    for sources, records in runs.merged():
        assert len(records) <= max(size, 60)  # one of each run is held
        np.testing.assert_array_equal(records["value"][:, 0], sources)
        keys = [bytes(key) for key in records["key"]]
        assert not found or found[-1][0] < keys[0]  # equal keys come at once
        found += zip(keys, sources.tolist(), strict=True)
    assert found == sorted(expected)


def test_runs_and_blocks_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, read, counts = SortedRuns(tmp_path / "runs", TYPE, 4), Records.read, []
    assert list(runs.merged()) == []
    records = np.zeros(9, TYPE)
    records["key"] = [b"b", b"d", b"a", b"c", b"e", b"f", b"h", b"g", b"i"]
    runs.add(5, (records[begin:end] for begin, end in ((0, 2), (2, 4), (4, 5))))
    runs.add(6, [])
    runs.add(7, [records[5:]])
    assert runs._runs == [(5, 0, 4), (5, 4, 5), (7, 5, 9)]

    def counted(self: Records, start: int, count: int) -> np.ndarray:
        counts.append(count)
        return read(self, start, count)

    monkeypatch.setattr(Records, "read", counted)
    found = [
        (int(source), bytes(key))
        for ids, block in runs.merged()
        for source, key in zip(ids, block["key"], strict=True)
    ]
    assert found == [(5 if key in b"abcde" else 7, bytes([key])) for key in b"abcdefghi"]
    assert set(counts) == {1}  # of each of three runs, where four records fit
    runs.remove()
    assert list(tmp_path.iterdir()) == []


def test_blocks_of_two_runs_share_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, counts = SortedRuns(tmp_path / "runs", TYPE, 7), []
    for source in range(2):
        runs.add(source, [np.sort(random_records(5, source), order="key")])
    read = Records.read
    monkeypatch.setattr(
        Records, "read", lambda self, start, count: counts.append(count) or read(self, start, count)
    )
    assert sum(len(records) for _, records in runs.merged()) == 10
    assert sorted(counts) == [2, 2, 3, 3]
