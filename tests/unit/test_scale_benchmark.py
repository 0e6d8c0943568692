"""The bitext, the targets and the table of `python -m benchmarks.scale`."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import scale
from benchmarks.scale import MEAN_WORDS, MOST_WORDS, TARGETS, command, prepare, write_bitext
from tools import write_tables


@pytest.fixture(autouse=True, scope="module")
def small_vocabulary() -> Iterator[None]:
    """Draw from few words: to make all those of the benchmark takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scale, "VOCABULARY", 100_000)
        yield
    scale._names.cache_clear()
    scale._distribution.cache_clear()


def test_bitext(tmp_path: Path) -> None:
    source, target = tmp_path / "fr", tmp_path / "en"
    write_bitext(source, target, 3000, seed=1)
    sides = [path.read_text("utf-8").splitlines() for path in (source, target)]
    lengths = [[len(line.split(" ")) for line in lines] for lines in sides]
    assert len(sides[0]) == len(sides[1]) == 3000
    assert min(lengths[0]) >= 1 <= min(lengths[1])
    assert max(lengths[0]) <= MOST_WORDS
    assert abs(sum(lengths[0]) / 3000 - MEAN_WORDS) < 1
    counts = Counter(" ".join(sides[0]).split(" ")).most_common()
    # Zipf's law: the tenth word has about a tenth of the occurrences of the first one.
    assert 0.05 < counts[9][1] / counts[0][1] < 0.2
    # Most words of the source have their translation, which has the same letters but the last.
    stems = [[{word[:-1] for word in line.split(" ")} for line in lines] for lines in sides]
    shared = sum(len(s & t) for s, t in zip(*stems, strict=True))
    assert shared > 0.5 * sum(map(len, stems[0]))

    again = tmp_path / "again.fr"
    write_bitext(again, tmp_path / "again.en", 3000, seed=1)
    assert again.read_bytes() == source.read_bytes()
    write_bitext(again, tmp_path / "again.en", 3000, seed=2)
    assert again.read_bytes() != source.read_bytes()


def test_targets(tmp_path: Path) -> None:
    """The workflow has jobs for all targets, decoding, tuning and rescoring among them."""
    prepare(40, tmp_path)
    result = subprocess.run(
        command("--dry-run"), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert all(target in result.stdout for target in TARGETS)
    for rule in ("align_words", "tune_weights", "decode", "rescore_nbest", "train_neural_lm"):
        assert f"rule {rule}:" in result.stdout


def test_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_tables, "DOCS", tmp_path)
    lines = ["step\tsetting\tfigure\tunit", "machine\t\ta machine\t", "date\t\t2026-11-27\t"]
    for i, pairs in enumerate(("250", "1,000", "4,000", "16,000")):
        for figure, unit in ((10 * 4**i, "CPU s"), (100 * 2**i, "MB"), (0, "MB written")):
            lines.append(f"align_words\t{pairs} pairs\t{figure}\t{unit}")
    frame = tmp_path / "results/scale.tsv"
    frame.parent.mkdir()
    frame.write_text("\n".join(lines))
    cells = ["`align_words`", "10 / 40 / 160 / 640", "1.00", "100 / 200 / 400 / 800", "0.50"]
    table = write_tables.scale()
    assert table.startswith("250 pairs / 1,000 pairs / 4,000 pairs / 16,000 pairs:\n\n| rule | CPU")
    assert table.splitlines()[4] == f"| {' | '.join(cells)} | 0 / 0 / 0 / 0 |  |"
    assert "`python -m benchmarks.scale 16000 FOLDER` on a machine (2026-11-27)" in table


@pytest.mark.parametrize(
    ("start", "rate", "power", "found"),
    [
        (0.0, 0.002, 1.0, "1.00"),
        (2.0, 0.0001, 1.3, "1.30"),
        (2.0, 0.01, 0.75, "0.75"),
        (50.0, 0.0001, 1.0, ""),  # start is nearly all of it
        (1.0, 0.0, 1.0, ""),
    ],
)
def test_growth_without_the_time_of_starting(
    start: float, rate: float, power: float, found: str
) -> None:
    points = [(size, start + rate * size**power) for size in (1200.0, 4800.0, 19200.0, 76800.0)]
    assert write_tables.growth(points) == found


def test_growth_of_times_that_vary() -> None:
    """Two per cent up or down do not hide that time is in proportion to the text."""
    points = [(4.0**i, (1 + 0.1 * 4**i) * (1 + 0.02 * (-1) ** i)) for i in range(1, 5)]
    assert write_tables.growth(points) == "1.00"
