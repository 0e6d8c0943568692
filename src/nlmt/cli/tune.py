"""`nlmt tune`: tune weights on n-best lists or lattices."""

import argparse
from pathlib import Path

from nlmt.cli.arguments import count, positive, read_texts, weights_from
from nlmt.io.lattice import Weights
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.nbest import read_nbest
from nlmt.io.weights import write_weights
from nlmt.tuning import METHODS, OBJECTIVES, RerankingOptions, tune_on_lattices, tune_reranking

DESCRIPTION = """\
Finds the weights under which the best hypotheses of n-best lists, or the best paths of lattices,
are as good as can be, and writes them as weights.json. The n-best lists of several decoder runs are
merged.
"""

EPILOG = """\
methods:
  mert    exact line searches from given and random points (Och 2003); with --lattice over all
          paths of the lattices (Macherey et al. 2008)
  pro     pairwise ranking by logistic regression (Hopkins and May 2011)
  mira    k-best batch MIRA (Cherry and Foster 2012)
  trust-region  derivative-free, by quadratic models in a trust region

objectives: bleu, ter, ter-bleu ((TER - BLEU) / 2) and chrf, on all references that are given.

Weights count in proportion only; features that the initial weights lack start from 0 and from the
mean magnitude of the others. With --tune only the named features are tuned by themselves: the
others keep the proportions of the initial weights, and count together as one. LM stands for LM0,
LM1, ... and so on: language models are LM NLM, with the word penalty LM NLM WordPenalty.

examples:
  nlmt tune --nbest dev.nbest.gz --reference dev.en --weights decoder.json --out weights.json
  nlmt tune --nbest dev.rescored.gz --reference dev.en0 dev.en1 --weights decoder.json \\
      --tune LM NLM WordPenalty --objective ter-bleu --runs 5 --out weights.json
  nlmt tune --lattice dev.lattices --reference dev.en --out weights.json
"""


def run(arguments: list[str]) -> int:
    """Tune, write the weights, and print what they reach."""
    options = _parser().parse_args(arguments)
    settings = RerankingOptions(
        objective=options.objective,
        method=options.method,
        tuned=options.tune,
        runs=options.runs,
        restarts=options.restarts,
        seed=options.seed,
    )
    references = read_texts(options.reference)
    initial: Weights = weights_from(options.weights) if options.weights else {}
    if options.lattice:
        lattices = LatticeFile(options.lattice)
        initial = initial or lattices.weights
        weights, value = tune_on_lattices(
            lattices, references, initial, settings, threads=options.threads
        )
    else:
        lists = [read_nbest(path) for path in options.nbest]
        weights, value = tune_reranking(
            lists, references, initial, settings, threads=options.threads
        )
    write_weights(options.out, weights, **{options.objective: value, "seed": options.seed})
    for label, values in weights.items():
        print(f"{label}= {' '.join(f'{weight:.6g}' for weight in values)}")
    print(f"{OBJECTIVES[options.objective].label}: {value:.2f}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nlmt tune",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    on = parser.add_mutually_exclusive_group(required=True)
    on.add_argument("--nbest", type=Path, nargs="+", metavar="FILE", help="lists to tune on")
    on.add_argument("--lattice", type=Path, metavar="FILE", help="lattices to tune on: a file of"
        " nlmt decode -output-lattice, or rescored")  # fmt: skip
    add("--reference", type=Path, nargs="+", required=True, metavar="FILE", help="references")
    add("--weights", type=Path, metavar="FILE", help="weights to start from, a"
        " weights.json or moses.ini (lattices bring their own)")  # fmt: skip
    add("--out", type=Path, required=True, metavar="FILE", help="weights.json to write")
    add("--method", choices=METHODS, default="mert", help="default: mert")
    add("--objective", choices=list(OBJECTIVES), default="bleu", help="default: bleu")
    add("--tune", nargs="+", default=[], metavar="LABEL", help="features to tune (default: all)")
    add("--runs", type=positive, default=1, metavar="N", help="mean of N runs (default: 1)")
    add(
        "--restarts",
        type=count,
        default=20,
        metavar="N",
        help="random points of MERT (default: 20)",
    )
    add("--seed", type=int, default=1, metavar="N", help="of all random numbers (default: 1)")
    add("--threads", type=positive, default=1, metavar="N", help="changes the time only")
    return parser
