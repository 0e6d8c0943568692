"""`nlmt tune`: tune weights on n-best lists or lattices."""

import argparse
from pathlib import Path
from typing import Any

import yaml

from nlmt.cli.arguments import count, positive, read_texts, weights_from
from nlmt.errors import InputError
from nlmt.io.lattice import Weights
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.nbest import read_nbest
from nlmt.io.weights import write_weights
from nlmt.settings import read_settings
from nlmt.tuning import (
    OBJECTIVES,
    TUNERS,
    LatticeTuner,
    ListTuner,
    TunerSettings,
    tune_on_lattices,
    tune_reranking,
)
from nlmt.tuning.tuners import names_for

DESCRIPTION = """\
Finds the weights under which the best hypotheses of n-best lists, or the best paths of lattices,
are as good as can be, and writes them as weights.json. The n-best lists of several decoder runs are
merged.
"""

EPILOG = """\
methods on n-best lists, the first being the default:
{lists}

methods on lattices, likewise:
{lattices}

objectives: bleu, ter, ter-bleu ((TER - BLEU) / 2) and chrf, on all references that are given.

Weights count in proportion only; features that the initial weights lack start from 0 and from the
mean magnitude of the others. With --tune only the named features are tuned one by one: the
others keep the proportions of the initial weights, and are tuned together as one. LM stands for
LM0, LM1, ... and so on: language models are LM NLM, with the word penalty LM NLM WordPenalty.
TranslationModel0.2 is the third score of TranslationModel0.

examples:
  nlmt tune --nbest dev.nbest.gz --reference dev.en --weights decoder.json --out weights.json
  nlmt tune --nbest dev.rescored.gz --reference dev.en0 dev.en1 --weights decoder.json \\
      --tune LM NLM WordPenalty --objective ter-bleu --runs 5 --out weights.json
  nlmt tune --nbest dev.nbest.gz --reference dev.en --method mira --option epochs=30 --out w.json
  nlmt tune --lattice dev.lattices --reference dev.en --out weights.json
"""


def run(arguments: list[str]) -> int:
    """Tune, write the weights, and print what they reach."""
    options = _parser().parse_args(arguments)
    settings, seed, threads = _settings(options), options.seed, options.threads
    references = read_texts(options.reference)
    initial: Weights = weights_from(options.weights) if options.weights else {}
    if options.lattice:
        lattices = LatticeFile(options.lattice)
        initial = initial or lattices.weights
        weights, value = tune_on_lattices(
            lattices, references, initial, settings, seed=seed, threads=threads
        )
    else:
        lists = [read_nbest(path) for path in options.nbest]
        weights, value = tune_reranking(
            lists, references, initial, settings, seed=seed, threads=threads
        )
    write_weights(options.out, weights, **{settings.objective: value, "seed": seed})
    for label, values in weights.items():
        print(f"{label}= {' '.join(f'{weight:.6g}' for weight in values)}")
    print(f"{OBJECTIVES.get(settings.objective).label}: {value:.2f}")
    return 0


def _settings(options: argparse.Namespace) -> TunerSettings:
    methods = names_for("reranking", LatticeTuner if options.lattice else ListTuner)
    method = options.method or methods[0]
    own = dict(map(_option, options.option))
    given = {
        "method": method,
        "objective": options.objective,
        "tuned": options.tune,
        "left_out": options.left_out,
        "runs": options.runs,
        "restarts": options.restarts,
        "options": {method: own} if own else {},
    }
    return read_settings(TunerSettings, given)


def _option(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--option {text}", hint="KEY=VALUE, for example epochs=30")
    return key, yaml.safe_load(value)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nlmt tune",
        description=DESCRIPTION,
        epilog=EPILOG.format(lists=_summaries(ListTuner), lattices=_summaries(LatticeTuner)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add, default = parser.add_argument, TunerSettings()
    on = parser.add_mutually_exclusive_group(required=True)
    on.add_argument("--nbest", type=Path, nargs="+", metavar="FILE", help="lists to tune on")
    on.add_argument("--lattice", type=Path, metavar="FILE", help="lattices to tune on: a file of"
        " nlmt decode -output-lattice, or rescored")  # fmt: skip
    add("--reference", type=Path, nargs="+", required=True, metavar="FILE", help="references")
    add("--weights", type=Path, metavar="FILE", help="weights to start from, a"
        " weights.json or moses.ini (lattices bring their own)")  # fmt: skip
    add("--out", type=Path, required=True, metavar="FILE", help="weights.json to write")
    add("--method", choices=TUNERS.names(), help="see below")
    add("--option", action="append", default=[], metavar="KEY=VALUE", help="of the method's own")
    add("--objective", choices=OBJECTIVES.names(), default=default.objective,
        help="default: %(default)s")  # fmt: skip
    add("--tune", nargs="+", default=[], metavar="LABEL", help="features to tune (default: all)")
    add("--left-out", nargs="+", default=[], metavar="LABEL", help="features with weights of 0")
    add("--runs", type=positive, default=default.runs, metavar="N",
        help="mean of N runs (default: %(default)s)")  # fmt: skip
    add("--restarts", type=count, default=default.restarts, metavar="N",
        help="random points of MERT (default: %(default)s)")  # fmt: skip
    add("--seed", type=int, default=1, metavar="N", help="of all random numbers (default: 1)")
    add("--threads", type=positive, default=1, metavar="N", help="changes the time only")
    return parser


def _summaries(kind: type[ListTuner[Any]] | type[LatticeTuner[Any]]) -> str:
    names = names_for("reranking", kind)
    width = max(map(len, TUNERS.names()))
    lines = []
    for name in names:
        tuner = TUNERS.get(name)
        keys = ", ".join(tuner.options_type.model_fields)
        lines.append(f"  {name:<{width}}  {tuner.summary}")
        if keys:
            lines.append(f"  {'':<{width}}  options: {keys}")
    return "\n".join(lines)
