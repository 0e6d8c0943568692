"""The bitext and the table of `python -m benchmarks.scale`."""

from collections import Counter
from pathlib import Path

from benchmarks.scale import MEAN_WORDS, MOST_WORDS, Cost, table, write_bitext


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


def test_table() -> None:
    costs = [{"align_words": Cost(10.0 * 4**i, 100 * 2**i, 1.0)} for i in range(3)]
    cells = ["`align_words`", "10.0 / 40.0 / 160.0", "1.00", "100 / 200 / 400", "0.50"]
    cells += ["1.0 / 1.0 / 1.0", "0.00"]
    assert list(table(costs))[2:] == [f"| {' | '.join(cells)} |"]
