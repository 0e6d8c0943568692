"""Files of lattices in the compact form described in docs/formats.md."""

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
