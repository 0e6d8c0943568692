"""The three golden n-best lists of MERT, merged, as column files small enough to commit.

`pool-<i>.xz` hold columns of 32-bit floats, one column after the other, little-endian, of the
hypotheses of all three runs, those of a sentence together, the first of equal features; the last
file goes on with the counts. Features have six significant digits, which 32 bits keep: they are
read back as the decimals that Moses wrote.

    python tests/golden/mert/packed.py FOLDER

packs `run{1,2,3}.{features,scores}.dat.gz` of FOLDER anew into the folder of this file.
"""

import lzma
import sys
from pathlib import Path

import numpy as np

from nlmt.tuning import Pool, read_pool

FOLDER = Path(__file__).parent
COLUMNS = [range(0, 4), range(4, 9), range(9, 13), range(13, 14)]
NAMES = [
    ("LexicalReordering0", 6),
    ("Distortion0", 1),
    ("LM0", 1),
    ("WordPenalty0", 1),
    ("PhrasePenalty0", 1),
    ("TranslationModel0", 4),
]
# Words of four bytes, and none of them text.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 2, "pb": 2}]


def unpack() -> Pool:
    """Read the packed lists."""
    parts = [lzma.decompress(path.read_bytes()) for path in sorted(FOLDER.glob("pool-*.xz"))]
    rows = len(parts[0]) // (4 * len(COLUMNS[0]))
    features = np.empty((rows, COLUMNS[-1].stop), np.float64)
    for part, columns in zip(parts, COLUMNS, strict=True):
        values = np.frombuffer(part, "<f4", count=rows * len(columns)).reshape(len(columns), rows)
        for column, floats in zip(columns, values, strict=True):
            distinct, place = np.unique(floats, return_inverse=True)
            features[:, column] = np.array([float(f"{value:.6g}") for value in distinct])[place]
    rest = np.frombuffer(parts[-1], np.uint8, offset=4 * rows * len(COLUMNS[-1]))
    *matches, lengths, references = rest[: 6 * rows].reshape(6, rows)
    statistics = np.zeros((rows, 9), np.int32)
    for n in range(4):
        statistics[:, 2 * n] = matches[n]
        statistics[:, 2 * n + 1] = np.maximum(lengths.astype(np.int32) - n, 0)
    statistics[:, 8] = references
    sizes = np.frombuffer(rest[6 * rows :].tobytes(), "<u2")
    sentence = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return Pool(sentence, features, statistics, NAMES)


def pack(folder: Path) -> None:
    """Write the packed lists anew from the original files."""
    runs = (1, 2, 3)
    pool = read_pool(
        [folder / f"run{run}.features.dat.gz" for run in runs],
        [folder / f"run{run}.scores.dat.gz" for run in runs],
    )
    counts = pool.statistics[:, [0, 2, 4, 6, 1, 8]].astype(np.uint8).T.tobytes()
    sizes = np.bincount(pool.sentence).astype("<u2").tobytes()
    for number, columns in enumerate(COLUMNS):
        raw = pool.features[:, columns].astype("<f4").T.tobytes()
        raw += counts + sizes if columns == COLUMNS[-1] else b""
        path = FOLDER / f"pool-{number}.xz"
        path.write_bytes(lzma.compress(raw, format=lzma.FORMAT_XZ, filters=FILTERS))
    again = unpack()
    assert np.array_equal(again.features, pool.features)
    assert np.array_equal(again.statistics, pool.statistics)
    assert np.array_equal(again.sentence, pool.sentence)


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
