"""Minimum Bayes risk: the translation of least expected loss, instead of the best one."""

from dataclasses import dataclass

from nlmt.decoder.search_options import LARGEST
from nlmt.errors import InputError

BLEU_ORDER = 4
_SMALLEST = 1e-9  # of divisors, which are raised to the power of BLEU_ORDER


@dataclass(frozen=True)
class MinimumRisk:
    """Options of the choice among the best translations, by Moses' rules and with its defaults.

    Lattice MBR (Tromble, Kumar, Och and Macherey 2008): the gain of a translation is theta 0 times
    its number of words, plus theta n times the n-gram's posterior probability in the lattice for
    each of its n-grams. Posteriors are exact; the candidates are the `size` best different
    translations of the search.

    MBR over the list (Kumar and Byrne 2004), if not `lattice`: the loss is the expected 1 - BLEU,
    where each other translation is the reference with its probability. BLEU is of single sentences,
    with one added to the counts of n-grams of two to four words.

    Attributes:
        lattice: lattice MBR, else MBR over the list.
        size: different translations to choose from (`-mbr-size`).
        scale: of model scores before they become probabilities (`-mbr-scale`).
        precision: of single words, p (`-lmbr-p`).
        ratio: of the precisions of n-grams of n + 1 and of n words, r (`-lmbr-r`).
        thetas: theta 0, for a word, then those of n-grams of each length (`-lmbr-thetas`); empty:
            -1 and, up to four words, 1 / (4 p r^(n - 1)).
        density: the n-grams come from the lattice pruned to this many arcs for each word of the
            best translation (`-lmbr-pruning-factor`).
        map_weight: of the best translation's model score, which is added to the gain of only that
            one (`-lmbr-map-weight`).
    """

    lattice: bool = True
    size: int = 200
    scale: float = 1.0
    precision: float = 0.8
    ratio: float = 0.6
    thetas: tuple[float, ...] = ()
    density: float = 30
    map_weight: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.size <= LARGEST:
            raise InputError(f"-mbr-size {self.size}", hint=f"from 1 to {LARGEST:,}")
        for name, value in (
            ("-mbr-scale", self.scale),
            ("-lmbr-p", self.precision),
            ("-lmbr-r", self.ratio),
            ("-lmbr-pruning-factor", self.density),
        ):
            if not _SMALLEST <= value <= LARGEST:
                raise InputError(f"{name} {value}", hint=f"from {_SMALLEST} to {LARGEST:,}")
        for name, value in (
            ("-lmbr-map-weight", self.map_weight),
            *(("-lmbr-thetas", theta) for theta in self.thetas),
        ):
            if not abs(value) <= LARGEST:
                raise InputError(f"{name} {value}", hint=f"from {-LARGEST:,} to {LARGEST:,}")
        if len(self.thetas) == 1:
            raise InputError(
                "-lmbr-thetas needs two numbers or more",
                hint="one for a word, one for each length of n-grams",
            )

    def all_thetas(self) -> list[float]:
        """`thetas`, or those from precision and ratio; none for MBR over the list."""
        if not self.lattice:
            return []
        return list(self.thetas) or [
            -1.0,
            *(1 / (BLEU_ORDER * self.precision * self.ratio**n) for n in range(BLEU_ORDER)),
        ]
