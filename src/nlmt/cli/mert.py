"""`nlmt mert`: tune weights on Moses' feature and score files."""

import numpy as np

from nlmt.cli.arguments import count, positive
from nlmt.cli.files import IN
from nlmt.cli.parser import Options, Parser
from nlmt.io.weights import name_weights
from nlmt.steps import step
from nlmt.tuning import mert, read_initial, read_pool

DESCRIPTION = """\
Minimum error rate training (Och 2003): finds the weights whose best hypotheses of the lists have
the highest BLEU, by exact line searches from the initial weights and random points. Prints the
weights in the format of a moses.ini, with magnitudes that sum to 1, and that BLEU.
"""

EPILOG = """\
Feature and score files are those of Moses' extractor (FEATURES_TXT_BEGIN_0, SCORES_TXT_BEGIN_0),
plain or gzip, one of each for a decoder run, in the same order. The file of initial weights has a
line of weights and, if the random points should not be between 0 and 1, lines of lower and upper
bounds.

examples:
  nlmt mert --features run1.features.dat --scores run1.scores.dat --init init.opt
  nlmt mert --features run*.features.dat.gz --scores run*.scores.dat.gz --init run3.init.opt \\
      --restarts 20 --seed 1 --threads 2
"""


def check(options: Options) -> None:
    """Refuse files that do not belong together."""
    features, scores = len(options.features), len(options.scores)
    if features != scores:
        options.parser.error(f"{features} --features, but {scores} --scores")


def run(options: Options) -> None:
    """Tune, and print weights and BLEU."""
    initial, lower, upper = read_initial(options.init)
    with step("read hypotheses"):
        pool = read_pool(options.features, options.scores)
    with step(f"find weights on {len(pool):,} hypotheses"):
        tuned = mert(
            pool,
            [initial],
            lower=lower,
            upper=upper,
            restarts=options.restarts,
            seed=options.seed,
            threads=options.threads,
        )
    start = pool.lists().value(initial)
    print(f"hypotheses: {len(pool)} of {len(np.unique(pool.sentence))} sentences")
    for label, values in name_weights(pool.names, tuned.weights).items():
        print(f"{label}= {' '.join(f'{value:.9g}' for value in values)}")
    if not pool.names:
        print(" ".join(f"{value:.9g}" for value in tuned.weights))
    print(f"BLEU: {tuned.value:.6f} (initial weights: {start:.6f})")


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt mert", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("--features", type=IN, nargs="+", required=True, help="feature files")
    add("--scores", type=IN, nargs="+", required=True, help="their score files")
    add("--init", type=IN, required=True, help="initial weights and bounds")
    add("--restarts", type=count, default=20, help="random points (default: 20)")
    add("--seed", type=count, default=1, help="seed of the random points (default: 1)")
    add("--threads", type=positive, default=1, help="only changes the time (default: 1)")
    return parser
