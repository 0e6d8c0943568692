"""Interesting inputs for the fuzzers of `targets`, small and without fault."""

import gzip
import struct
import tempfile
import zlib
from itertools import pairwise
from pathlib import Path

from nlmt.decoder import binarise_tables
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_builder import LatticeBuilder
from nlmt.io.lattice_file import write_lattices

NBEST = b"""0 ||| the dog  ||| LM0= -1.5 TM0= 0 -2 ||| -4.25 ||| 0-0=0-0 ||| 0-0
0 ||| a dog  ||| LM0= -2.5 TM0= 0 -1 ||| -4.5 ||| 0-0=0-0 ||| 0-0
2 ||| .  ||| LM0= -0.5 TM0= 1e-3 -2 ||| -1 ||| 0=0 ||| 0-0
"""
OLD_NBEST = b"0 ||| the dog  ||| d: 0 lm: -3.5 tm: -1 -2 w: -2 ||| -4.25\n"
TABLE = b"""le ||| the ||| 0.5 1 ||| 0-0 ||| 1 2 1 ||| |||
le chien ||| the dog ||| 0.5 1 ||| 0-0 1-1
\xc3\xa9t\xc3\xa9 ||| summer ||| 1e-3 .25
"""
ORDER = b"""le ||| the ||| 0.2 0.2 0.6 0.2 0.2 0.6
le chien ||| the dog ||| 0.2 0.2 0.6 0.2 0.2 0.6
"""
ARPA = b"""\\data\\
ngram 1=5
ngram 2=2

\\1-grams:
-2\t<unk>\t0
-99\t<s>\t-0.3
-0.9\t</s>\t0
-0.7\tthe\t-0.25
-1.1\tdog\t-0.5

\\2-grams:
-0.2\t<s> the
-0.3\tthe dog

\\end\\
"""
FEATURES = b"FEATURES_TXT_BEGIN_0 0 2 2 LM0_0 TM0_0\n-1 -2\n-2 -1\nFEATURES_TXT_END_0\n"
SCORES = b"SCORES_TXT_BEGIN_0 0 2 3 BLEU\n1 2 0\n2 2 1\nSCORES_TXT_END_0\n"
TEXT = "le chien dort .\nle chat noir\n\nété \t 7\r\n".encode()
MARKUP = [
    b'das ist <np translation="the house||a house" prob="0.8||0.2">das haus</np> <wall/> .',
    b'<zone> a b </zone> <x translation="&lt;">c</x> , d',
    b"wbe-msd-bidirectional-fe-allff",
    b"phrase-mslr-forward-f-collapseff",
]
WIDEST = 4096  # values that an arc may have
# Where the parts of a lattice file lie: nlmt.io.lattice_file.
_RECORD_HEAD, _TAIL = 28, 44


def lattice() -> Lattice:
    """Three nodes, four arcs, a phrase of two words."""
    builder = LatticeBuilder(0, {"LM0": [0.5], "TM0": [0.3, -0.2]})
    for begin, end, words in (
        (0, 1, ["the"]),
        (0, 1, ["a"]),
        (1, 2, ["dog"]),
        (0, 2, ["it", "is"]),
    ):
        builder.add(begin, end, words, [-1.0, 0.5, len(words)])
    return builder.build(3, 0, 2)


def records(path: Path) -> list[bytes]:
    """The lattices of a file, unpacked."""
    content = path.read_bytes()
    words_at, count, packed = struct.unpack_from("<QQQ", content, len(content) - _TAIL)
    offsets = struct.unpack_from(f"<{count}Q", content, words_at + packed)
    parts = [content[begin:end] for begin, end in pairwise((*offsets, words_at))]
    words = [struct.unpack_from("<I", part, 12)[0] for part in parts]
    return [
        zlib.decompress(part[_RECORD_HEAD + 4 * count :])
        for part, count in zip(parts, words, strict=True)
    ]


def seeds() -> dict[str, list[bytes]]:
    """Inputs by target."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_lattices(folder / "lattices", [lattice(), lattice()])
        (folder / "table").write_bytes(TABLE)
        (folder / "order").write_bytes(ORDER)
        binarise_tables(folder / "table", folder / "order", folder / "bin")
        wide = LatticeBuilder(0, {"F": [0.0] * WIDEST})
        wide.add(0, 1, ["the"], [0.0] * WIDEST)
        write_lattices(folder / "wide", [wide.build(2, 0, 1)])
        lattices, binary = (folder / "lattices").read_bytes(), (folder / "bin").read_bytes()
        wide_lattices = (folder / "wide").read_bytes()
        unpacked = records(folder / "lattices")
    return {
        "nbest": [NBEST, OLD_NBEST, gzip.compress(NBEST, mtime=0)],
        "nbest_lists": [
            bytes([variant]) + NBEST + b"\0" + NBEST
            for variant in (0, 8 + 3, 16 + 8 + 2, 32, 64 + 8)
        ],
        "lattices": [lattices, wide_lattices],
        "lattice_record": [b"\x03" + record for record in unpacked],
        "links": [b"\0000-0 1-2 2-1\0000-0 2-2", b"\0010-1=0-2 2=3\0", b"\0060-0\0001-1"],
        "bitext": [b"\0le chien\0the dog\0000-0 1-1\0le\0the big\0000-1\0"],
        "table_lines": [b"\1" + TABLE, b"\x85" + b"le ||| 0.5 0.5\n"],
        "tables": [
            b"\0" + ORDER + b"\0" + TABLE,
            b"\0" + ORDER + b"\0" + gzip.compress(TABLE, mtime=0),
        ],
        "binary_table": [binary],
        "markup": MARKUP,
        "moses_data": [b"\0" + FEATURES, b"\1" + SCORES],
        "text": [TEXT, gzip.compress(TEXT, mtime=0)],
        "arpa": [ARPA],
    }
