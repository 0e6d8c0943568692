"""Files of lattices in a compact form.

Numbers of fixed size are little-endian; u32 and u64 are unsigned. The parts of a file, in order:

- magic: `nlmtlat1`; the digit is the version
- head: u32 its size, u32 its CRC-32; then u32 number of features, and for each u32 length of the
  label, u32 number of values, the label (UTF-8), a 64-bit float a value: the weights of the search
- each lattice: u32 `5441C001` (hex), i64 sentence, u32 number of words W, u32 size unpacked, u32
  size packed, u32 CRC-32 of the rest; W times u32, the number in the file's words of each word that
  the lattice uses; then the packed bytes (zlib)
- words: all words, each followed by a newline, UTF-8, packed (zlib)
- index: u64 for each lattice, its offset
- tail: u64 offset of the words, u64 number of lattices, u64 size of the words packed, u32 size
  unpacked, u32 number of words, u32 CRC-32 of words, index and tail; `nlmtend1`

Unpacked, a lattice is a sequence of unsigned integers (LEB128: seven bits a byte, lowest first, the
eighth bit is set if more follow), except for the feature values, which are 32-bit floats:

1. number of source words, and each as a word of the lattice;
2. number of phrases, and for each: number of words and the words; first source word and number of
   source words (0, 0 if unknown); number of alignment points, and for each the source and the
   target word, counted within the phrase;
3. number of nodes, number of arcs; how many arcs leave each node; for each arc, in the order of its
   start node and then of its end node, the difference of their numbers; for each arc its phrase;
4. for each feature value a byte: 0 if all arcs of a phrase have the same value, followed by one
   value a phrase; or 1, the number of distinct values, these values, and for each arc the number of
   its value.

Equal lattices have equal bytes. Of P packed bytes a lattice has at most 2^25 + 8 P feature values
(arcs by features), as many words on its arcs, and 2^22 + 16 P bytes unpacked.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io._lattice import LatticeReader, LatticeWriter, pack
from nlmt.io.files import atomic_path, check_file
from nlmt.io.lattice import Lattice
from nlmt.io.nbest import flatten_weights
from nlmt.io.weights import Weights, name_weights


class LatticeFile:
    """The lattices of a file, in order; each is read on access."""

    def __init__(self, path: Path | str) -> None:
        """Open a file, and read its words and index.

        Raises:
            InputError: no such file, or a damaged one; so does reading a lattice, with its number
                and place in the file.
        """
        self._reader = LatticeReader(str(check_file(path)))
        self._words = self._reader.words
        self.weights: Weights = dict(self._reader.features)
        self.feature_names = [(label, len(values)) for label, values in self._reader.features]

    def __len__(self) -> int:
        """Number of lattices."""
        return len(self._reader)

    def __getitem__(self, number: int) -> Lattice:
        """Lattice `number` of the file, counted from 0."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        record = self._reader.read(number)  # in the order of the fields
        sentence, arcs, phrases = record[0], record[1:7], record[7:]
        return Lattice(sentence, self._words, *arcs, self.feature_names, self.weights, *phrases)

    def __iter__(self) -> Iterator[Lattice]:
        """Iterate over all lattices, with one in memory at a time."""
        return (self[number] for number in range(len(self)))


def write_lattices(path: Path | str, lattices: Iterable[Lattice]) -> None:
    """Write lattices with the same features to a file, atomically and reproducibly.

    Features and weights are those of the first lattice.

    Raises:
        InputError: as in `flatten_weights`; a lattice with other features than the first, or one
            that is too large.
    """
    with atomic_path(path) as temporary:
        writer = None
        names: list[tuple[str, int]] = []
        for lattice in lattices:
            if writer is None:
                names = lattice.feature_names
                flat = flatten_weights(names, lattice.weights)
                writer = LatticeWriter(str(temporary), list(name_weights(names, flat).items()))
            if lattice.feature_names != names:
                raise InputError(f"sentence {lattice.sentence} has other features than the first")
            _add(writer, lattice)
        if writer is None:
            writer = LatticeWriter(str(temporary), [])
        writer.close()


def _add(writer: LatticeWriter, lattice: Lattice) -> None:
    try:
        record = pack(lattice.arrays())
    except ValueError as error:
        raise InputError(f"the lattice of sentence {lattice.sentence}: {error}") from error
    writer.add(record, [lattice.words[word] for word in record.words])
