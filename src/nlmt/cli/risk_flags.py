"""Moses' flags of minimum Bayes risk decoding, for `nlmt decode`."""

import argparse
from collections.abc import Callable

from nlmt.decoder import MinimumRisk
from nlmt.errors import InputError

# flag: (setting of MinimumRisk, type, help)
_SETTINGS: dict[str, tuple[str, type, str]] = {
    "mbr-size": ("size", int, "for -mbr and -lmbr: different translations to choose from (200)"),
    "mbr-scale": ("scale", float, "for -mbr and -lmbr: scale of the scores (1)"),
    "lmbr-p": ("precision", float, "for -lmbr: precision of single words (0.8)"),
    "lmbr-r": ("ratio", float, "for -lmbr: ratio of the precisions of n+1 and n words (0.6)"),
    "lmbr-pruning-factor": ("density", float, "for -lmbr: arcs of the lattice per word (30)"),
    "lmbr-map-weight": ("map_weight", float, "for -lmbr: weight of the best one's score (0)"),
}


def add_risk_flags(flag: Callable[..., None], switch: Callable[..., None]) -> None:
    """Add the flags to a parser, by its own functions."""
    switch(
        "mbr",
        "minimum-bayes-risk",
        help="print the translation of least expected loss by BLEU over the n-best list",
    )
    switch(
        "lmbr",
        "lminimum-bayes-risk",
        help="print the translation of the highest gain by lattice MBR, not the best one",
    )
    for name, (_, kind, text) in _SETTINGS.items():
        flag(name, type=kind, metavar="N" if kind is int else "X", help=text)
    flag(
        "lmbr-thetas",
        type=float,
        nargs="+",
        help="for -lmbr: gain of a word and of n-grams of each length, instead of p and r",
    )


def minimum_risk(flags: argparse.Namespace) -> MinimumRisk | None:
    """The settings of the flags; None without -mbr and -lmbr.

    Raises:
        InputError: -mbr and -lmbr together, a setting without its flag, a value that does not fit.
    """
    given = {name: getattr(flags, name.replace("-", "_")) for name in _SETTINGS}
    settings = {_SETTINGS[name][0]: value for name, value in given.items() if value is not None}
    if flags.lmbr and flags.mbr:
        raise InputError("-mbr and -lmbr", hint="choose one of them")
    if flags.lmbr:
        return MinimumRisk(thetas=tuple(flags.lmbr_thetas or ()), **settings)
    unused = [name for name, value in given.items() if value is not None]
    unused += ["lmbr-thetas"] if flags.lmbr_thetas else []
    unused = [name for name in unused if not (flags.mbr and name.startswith("mbr"))]
    if unused:
        needed = "-mbr or -lmbr" if unused[0].startswith("mbr") else "-lmbr"
        raise InputError(f"-{unused[0]} without {needed}", hint=f"add {needed}")
    return MinimumRisk(lattice=False, **settings) if flags.mbr else None
