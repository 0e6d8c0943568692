"""The tables of the golden bitext equal those that Moses made, byte for byte."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from nlmt.phrases import TablePaths, build_tables
from nlmt.phrases._phrases import extract_spans

pytestmark = pytest.mark.threads

GOLDEN = Path(__file__).parents[2] / "golden"
ALIGNMENT = GOLDEN / "aligned.grow-diag-final-and"
REORDERING = "reordering-table.wbe-msd-bidirectional-fe.gz"
ORIENTATIONS = ("mono", "swap", "other")


def table_paths(folder: Path) -> TablePaths:
    return TablePaths(
        folder / "phrase-table.gz", folder / REORDERING, folder / "lex.f2e", folder / "lex.e2f"
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    counts = build_tables(
        GOLDEN / "train.fr", GOLDEN / "train.en", ALIGNMENT, table_paths(folder), threads=2
    )
    assert (counts.occurrences, counts.phrase_pairs) == (25732, 14433)
    return folder


@pytest.mark.parametrize("name", ["phrase-table.gz", REORDERING])
def test_table(built: Path, name: str) -> None:
    expected = gzip.decompress((GOLDEN / "model" / name).read_bytes())
    assert gzip.decompress((built / name).read_bytes()) == expected


@pytest.mark.parametrize("name", ["lex.f2e", "lex.e2f"])
def test_lexicon(built: Path, name: str) -> None:
    # Moses writes the lines in the order of Perl's hashes.
    expected = (GOLDEN / "model" / name).read_text(encoding="utf-8").splitlines()
    assert sorted((built / name).read_text(encoding="utf-8").splitlines()) == sorted(expected)


def test_lexical_tables_are_the_same_in_small_pieces(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlmt.phrases.tables.LINES", 7)
    build_tables(GOLDEN / "train.fr", GOLDEN / "train.en", ALIGNMENT, table_paths(tmp_path))
    for name in ("lex.f2e", "lex.e2f"):
        assert (tmp_path / name).read_bytes() == (built / name).read_bytes()


def test_extraction() -> None:
    direct: Counter[str] = Counter()
    inverse: Counter[str] = Counter()
    oriented: Counter[str] = Counter()
    texts = (GOLDEN / "train.fr", GOLDEN / "train.en", ALIGNMENT)
    lines = zip(*(path.read_text(encoding="utf-8").splitlines() for path in texts), strict=True)
    for source_line, target_line, alignment in lines:
        source, target = source_line.split(), target_line.split()
        links = [tuple(map(int, link.split("-"))) for link in alignment.split()]
        for f0, f1, e0, e1, previous, following in extract_spans(
            len(source), len(target), alignment, 7
        ):
            inside = sorted((j - e0, i - f0) for i, j in links if f0 <= i < f1 and e0 <= j < e1)
            f, e = " ".join(source[f0:f1]), " ".join(target[e0:e1])
            direct[f"{f} ||| {e} ||| " + " ".join(f"{i}-{j}" for j, i in inside)] += 1
            inverse[f"{e} ||| {f} ||| " + " ".join(f"{j}-{i}" for j, i in inside)] += 1
            orientation = f"{ORIENTATIONS[previous]} {ORIENTATIONS[following]}"
            oriented[f"{f} ||| {e} ||| {orientation}"] += 1
    for name, found in (("", direct), (".inv", inverse), (".o", oriented)):
        golden = gzip.decompress((GOLDEN / "model" / f"extract{name}.sorted.gz").read_bytes())
        assert found == Counter(golden.decode().splitlines())


# 20 kB: the text, the counts of links and 256 parts by source and target do not fit.
@pytest.mark.parametrize(
    ("threads", "memory"), [(1, 1 << 30), (5, 1 << 30), (2, 20_000), (1, 10**6)]
)
def test_threads_and_memory_give_the_same_bytes(
    threads: int, memory: int, built: Path, tmp_path: Path
) -> None:
    texts = (GOLDEN / "train.fr", GOLDEN / "train.en", ALIGNMENT)
    counts = build_tables(*texts, table_paths(tmp_path), threads=threads, memory=memory)
    assert (counts.occurrences, counts.phrase_pairs) == (25732, 14433)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in built.iterdir()
    )
    for path in built.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
