"""Minimum Bayes risk: the translation of the least expected loss in place of the best one."""

from dataclasses import dataclass

from nlmt.decoder.search_options import LARGEST
from nlmt.errors import InputError

BLEU_ORDER = 4
_SMALLEST = 1e-9  # of divisors, which are raised to the power of BLEU_ORDER


@dataclass(frozen=True)
class MinimumRisk:
    """How to choose among the best translations, by Moses' rules and with its defaults.

    Lattice MBR (Tromble, Kumar, Och and Macherey 2008): the gain of a translation is theta 0 times
    its words, and for each of its n-grams theta n times the posterior probability that the lattice
    gives it. These are exact; the translations are the `size` best different ones of the search.

    MBR over the list (Kumar and Byrne 2004), if not `lattice`: the expected 1 - BLEU, each of the
    other translations being the reference with its probability. BLEU is that of sentences, one
    added to the counts of n-grams of two to four words.

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
        map_weight: of the model score of the best translation, which is added to the gain of that
            one alone (`-lmbr-map-weight`).
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
                hint="one for a word, one an n-gram length",
            )

    def all_thetas(self) -> list[float]:
        """`thetas`, or what precision and ratio make of them; none for MBR over the list."""
        if not self.lattice:
            return []
        return list(self.thetas) or [
            -1.0,
            *(1 / (BLEU_ORDER * self.precision * self.ratio**n) for n in range(BLEU_ORDER)),
        ]
