"""`nlmt nbest`: Moses n-best lists: new totals, sorting, selection, merging, and statistics."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from nlmt.cli.arguments import above_zero, count, name_unused, positive, read_texts, weights_from
from nlmt.cli.files import IN, OUT, STANDARD, TEXT
from nlmt.cli.parser import Options, Parser
from nlmt.evaluation import BLEU, CHRF, TER
from nlmt.io.files import write_lines
from nlmt.io.nbest import add_features, merge_nbests, read_feature_names
from nlmt.io.nbest_order import in_one_order
from nlmt.rescoring import (
    measure_spread,
    minimum_risk,
    one_line_a_sentence,
    oracle,
    read_candidates,
    rerank,
)
from nlmt.rescoring.conversion import LABEL, SUBWORDS, convert_list
from nlmt.rescoring.nbest_risk import SIZE
from nlmt.text import Tokenisation, check_language

EPILOG = """\
IN is a Moses n-best list, plain or gzip, with labels as `LM0= -1` or, in older lists, `lm: -1`; OUT
is written whole or not at all, compressed if it ends in .gz. `-` is standard input or output.
Weights are a weights.json or a moses.ini; those of labels that the list lacks are ignored.
`nlmt rescore` adds features; `nlmt nbest COMMAND --help` says more about each command.

examples:
  nlmt nbest info test.nbest.gz --reference test.en
  nlmt nbest totals test.nbest.gz new.nbest.gz --weights weights.json
  nlmt nbest convert marian.nbest test.nbest.gz --tokenise en
  nlmt nbest sort test.nbest.gz test.100best.gz --weights weights.json --distinct --size 100
  nlmt nbest merge one.nbest.gz two.nbest.gz --weights weights.json --out both.nbest.gz
  nlmt nbest best - --weights moses.ini < test.nbest.gz > test.hyp
  nlmt nbest mbr test.nbest.gz test.hyp --weights weights.json --scale 2
  nlmt nbest oracle test.nbest.gz oracle.hyp --reference test.en0 test.en1
"""
_METRICS = {"bleu": BLEU, "ter": TER, "chrf": CHRF}


def run(options: Options) -> None:
    """Run one of the commands."""
    if options.weights is not None:
        path, options.weights = options.weights, weights_from(options.weights)
        labels = {label for label, _ in read_feature_names(options.input)}
        name_unused(options.weights, labels, path, options.input)
    options.run(options.input, options)


def check(options: Options) -> None:
    """Refuse options of another command, and unknown languages."""
    if options.command == "convert":
        if options.casing and options.tokenise is None:
            options.parser.error("--casing needs --tokenise")
        if options.tokenise is not None:
            check_language(options.tokenise)


def _totals(nbest: Path, options: Options) -> None:
    add_features(nbest, options.output, {}, weights=options.weights)


def _convert(nbest: Path, options: Options) -> None:
    tokenise = None
    if options.tokenise is not None:
        tokenise = Tokenisation(casing=options.casing or "lower").of(options.tokenise)
    convert_list(
        nbest, options.output, each=options.each, subwords=options.subwords, tokenise=tokenise
    )


def _sort(nbest: Path, options: Options) -> None:
    add_features(
        nbest,
        options.output,
        {},
        weights=options.weights,
        sort=True,
        size=options.size,
        distinct=options.distinct,
    )


def _merge(nbest: Path, options: Options) -> None:
    with in_one_order([nbest, *options.more]) as lists:
        merge_nbests(lists, options.output, weights=options.weights, size=options.size)


def _best(nbest: Path, options: Options) -> None:
    write_lines(options.output, rerank(nbest, options.weights, sentences=options.sentences))


def _mbr(nbest: Path, options: Options) -> None:
    chosen = minimum_risk(
        nbest,
        weights=options.weights,
        scale=options.scale,
        size=options.size,
        sentences=options.sentences,
    )
    write_lines(options.output, chosen)


def _oracle(nbest: Path, options: Options) -> None:
    metric = _METRICS[options.metric]
    references = read_texts(options.reference)
    found = oracle(nbest, references, metric=metric, worst=options.worst, threads=options.threads)
    write_lines(options.output, one_line_a_sentence(found.texts, nbest, len(references[0])))


def _info(nbest: Path, options: Options) -> None:
    spread = measure_spread(nbest)
    candidates = None
    if options.reference:  # before printing, as it may fail
        candidates = read_candidates(
            nbest,
            read_texts(options.reference),
            metric=_METRICS[options.metric],
            threads=options.threads,
        )
    sizes = spread.sizes
    print(f"sentences: {len(sizes)}, {spread.missing} missing before the last")
    print(
        f"hypotheses: {spread.hypotheses}; a sentence {sizes.min()} to {sizes.max()}, "
        f"median {np.median(sizes):g}"
    )
    different = int(spread.distinct.sum())
    print(f"different: {different} ({100 * different / spread.hypotheses:.1f} %)")
    print(f"words: {spread.words / spread.hypotheses:.1f} a hypothesis")
    print(
        f"highest less lowest total of a sentence: mean {spread.ranges.mean():.4g}, "
        f"largest {spread.ranges.max():.4g}"
    )
    column = 0
    for label, width in spread.feature_names:
        for at in range(column, column + width):
            print(
                f"{label}[{at - column}]: {spread.lowest[at]:.6g} to {spread.highest[at]:.6g}, "
                f"mean {spread.mean[at]:.6g}"
            )
        column += width
    if candidates:
        for name, rows in (
            ("best by total", candidates.best_rows()),
            ("oracle", candidates.oracle_rows()),
            ("anti-oracle", candidates.oracle_rows(worst=True)),
        ):
            print(f"{candidates.metric.name} of the {name}: {candidates.score(rows):.2f}")


_WEIGHTS = "weights.json or moses.ini"
_NEW = "the new list, compressed if it ends in .gz, or -"
# name: (function, purpose, description)
_COMMANDS: dict[str, tuple[Callable[[Path, Options], None], str, str]] = {
    "info": (
        _info,
        "print statistics of a list",
        "Sizes, different hypotheses, ranges of totals and features; with --reference also the "
        "scores of the one-best, of the oracle and of its opposite.",
    ),
    "totals": (
        _totals,
        "compute new totals",
        "Writes the list with the weighted sums of its features as totals, the rest unchanged.",
    ),
    "convert": (
        _convert,
        "write translations of other programs as a list",
        "Writes a Moses list of Marian's list or, with --each, of a text with several translations "
        "of each sentence, one a line, as OpenNMT and CTranslate2 write them with --n_best "
        f"(--with_score adds scores; without them the feature {LABEL} is minus the rank). Then "
        "rescore it, tune weights, and choose, as with a list of the decoder.",
    ),
    "sort": (
        _sort,
        "sort each sentence's list by totals",
        "The highest total first, equal ones in their order; with --weights new totals are "
        "computed first, with --size only the best are written, with --distinct only the best of "
        "those with the same words. Keeps the lines of one sentence in memory.",
    ),
    "merge": (
        _merge,
        "merge lists of the same sentences",
        "Of hypotheses with the same words, the one with the highest total is kept; each "
        "sentence's list is sorted as by sort. The lists need the same features, in the order of "
        "the first list; a sentence need not be in all of them. Totals of different weights are "
        "not comparable: --weights computes new ones. Keeps the lines of one sentence of all lists "
        "in memory.",
    ),
    "best": (
        _best,
        "write the hypothesis with the highest total of each sentence",
        "One line per sentence, the first of equal ones; an empty line, with a warning, for a "
        "sentence without hypotheses.",
    ),
    "mbr": (
        _mbr,
        "write the hypothesis of least expected loss of each sentence",
        "Minimum Bayes risk (Kumar and Byrne 2004): the least expected 1 - BLEU, where the other "
        "hypotheses are references with probabilities proportional to exp(scale x total); "
        "like `nlmt decode -mbr` during decoding.",
    ),
    "oracle": (
        _oracle,
        "write the hypotheses with the best joint score",
        "Greedy: starting from the one-best, and from the best by each sentence's own score, each "
        "sentence in turn takes the hypothesis that is best for the score of the whole text, until "
        "none changes. --worst does the opposite.",
    ),
}


def parser() -> Parser:
    """The arguments."""
    parser = Parser(
        prog="nlmt nbest",
        description="Moses n-best lists: new totals, sorting, selection, merging, statistics.",
        epilog=EPILOG,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (work, purpose, more) in _COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=more)
        command.set_defaults(run=work, weights=None, more=())
        add = command.add_argument
        add("input", type=IN, metavar="IN", help="the list, or -")
        if name == "merge":
            add("more", type=IN, nargs="+", metavar="IN", help="more lists of the same text")
            add("--out", dest="output", type=OUT, metavar="OUT", required=True, help=_NEW)
        elif name in ("totals", "sort", "convert"):
            add("output", type=OUT, metavar="OUT", help=_NEW)
        elif name != "info":
            add(
                "output",
                type=OUT,
                nargs="?",
                default=STANDARD,
                metavar="OUT",
                help="one line per sentence (default: standard output)",
            )
        if name in ("totals", "sort", "merge", "best", "mbr"):
            add("--weights", type=IN, required=name == "totals", help=_WEIGHTS)
        if name in ("best", "mbr"):
            add("--sentences", type=count, help="number of input sentences")
        if name == "convert":
            add("--each", type=positive, metavar="N", help="translations a sentence of a text")
            add("--subwords", choices=SUBWORDS, help="join sub-words: `wo@@ rd` or `▁wo rd`")
            add("--tokenise", metavar="CODE", help="tokenise running text of this language")
            add("--casing", choices=("lower", "keep"), help="case of the tokens (default: lower)")
        if name == "sort":
            add(
                "--distinct", action="store_true", help="only the best of those with the same words"
            )
        if name in ("sort", "merge"):
            add("--size", type=positive, help="best ones to write (default: all)")
        if name == "mbr":
            add("--scale", type=above_zero, default=1.0, help="scale of the totals (1)")
            add("--size", type=positive, default=SIZE, help="number of best ones to consider (200)")
        if name in ("oracle", "info"):
            add(
                "--reference",
                type=TEXT,
                nargs="+",
                required=name == "oracle",
                help="one or more sets of lines, one for each input sentence",
            )
            add("--metric", choices=list(_METRICS), default="bleu", help="default: bleu")
            add("--threads", type=positive, default=1, help="only changes the time")
        if name == "oracle":
            add("--worst", action="store_true", help="the worst choice instead")
    return parser
