"""The tuning of a system: its runs' results on the tuning set, and their curves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import pandas as pd

from nlmt.errors import InputError
from nlmt.io.json_files import read_json


@dataclass(frozen=True, eq=False)
class TunedRun:
    """A tuning run, from its `weights.json` and the log of the decoder's loop.

    Attributes:
        tuning_set: name of the set on which the weights were tuned.
        bleu: on that set; None if another objective was tuned.
        curve: value of the decoder's translations by iteration, columns `iteration` and `decoded`;
            None for weights of reranking.
    """

    seed: int
    tuning_set: str
    bleu: float | None
    warnings: tuple[str, ...] = ()
    curve: pd.DataFrame | None = None


def read_tuned_run(
    folder: Path, *, seed: int, tuning_set: str, weights: str, log: str | None = None
) -> TunedRun:
    """Read `weights.json`, and `log.tsv` where there is one, by their paths in a pair's folder."""
    facts = read_json(folder / weights)
    if "warnings" not in facts:
        raise InputError("no warnings of tuning", path=folder / weights, hint="tune again")
    curve = None
    if log is not None:
        columns = ["iteration", "decoded"]
        curve = read_columns(folder / log, columns, "tuning log", hint="tune again")
    return TunedRun(seed, tuning_set, facts.get("bleu"), tuple(facts["warnings"]), curve)


def mean_bleu(runs: Sequence[TunedRun]) -> float | None:
    """Mean BLEU of the runs on their tuning set; None if unknown for any."""
    known = [run.bleu for run in runs if run.bleu is not None]
    return fmean(known) if known and len(known) == len(runs) else None


def gain_on_dev(
    system: str, baseline: str, tuned: Mapping[str, Sequence[TunedRun]]
) -> float | None:
    """BLEU of a system minus its baseline's; None if they were tuned on different sets."""
    ours, theirs = tuned.get(system, ()), tuned.get(baseline, ())
    if system == baseline or len({run.tuning_set for run in (*ours, *theirs)}) != 1:
        return None
    here, there = mean_bleu(ours), mean_bleu(theirs)
    return None if here is None or there is None else here - there


def read_columns(path: Path | str, columns: list[str], what: str, *, hint: str) -> pd.DataFrame:
    """Read columns of numbers of a table, which messages call by `what` and a hint."""
    try:
        found = pd.read_csv(path, sep="\t")[columns].astype(float)
        if found.isna().any(axis=None):
            raise ValueError("empty cells")
    except (KeyError, ValueError) as error:
        raise InputError(f"truncated or damaged {what}", path=path, hint=hint) from error
    return found
