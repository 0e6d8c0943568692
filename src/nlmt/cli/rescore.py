"""`nlmt rescore`: add language-model scores to a Moses n-best list, or to lattices."""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from nlmt.cli import rescore_lattices
from nlmt.cli.arguments import count, label, positive, weights_from
from nlmt.cli.files import IN, IN_EITHER, OUT, TEXT
from nlmt.cli.interpolation import add_options, check_options, interpolated
from nlmt.cli.parser import Options, Parser
from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.io.nbest import flatten_weights, read_feature_names
from nlmt.io.weights import Weights
from nlmt.kinds import load_language_model
from nlmt.lm.protocol import LanguageModel
from nlmt.rescoring import TupleModel, check_units, rerank, rescore

EPILOG = """\
A model is the folder of one that was trained here, a KenLM file, binary or ARPA, plain or gzip, or
a pretrained model (docs/pretrained.md). The scores are natural logs of whole sentences with </s>,
as Moses writes those of its own models; everything else in the list stays unchanged. Without
--model the list is only reranked. Lists are plain or gzip, with labels as `LM0= -1` or, in older
ones, `lm: -1`; `-` is standard input or output.

A model that sees the source (docs/neural-source.md) takes it from --source and, except for lsa and
transform, its words' positions in it from the word alignments of the list. A list without them is
refused.

A model of tuples (--tuple-model; docs/tuples.md) scores each hypothesis together with its source:
the list needs word alignments (nlmt decode -print-alignment-info-in-n-best), --source is the text
that was translated.

Each model is a separate feature, or all of them together are one: --interpolate uses the weighted
mean of their probabilities of each word; --interpolate-on tunes the weights on a text, by
expectation maximisation, and prints them with the perplexities.

For lattices, `nlmt rescore --lattice FILE --model DIR ...`: see `nlmt rescore --lattice - --help`.

For each feature it prints hypotheses, words and the number unknown to the model, requests (words
and sentence ends), distinct n-grams and contexts among them, and the time.

examples:
  nlmt rescore --model lm/oxlm --nbest test.nbest.gz --out test.rescored.gz
  nlmt rescore --model lm/oxlm --label NLM0 --model lm/big.binary --replace LM0 \\
      --nbest test.nbest.gz --out test.rescored.gz
  nlmt rescore --model lm/oxlm --model lm/big.binary --interpolate-on dev.en \\
      --nbest - --out - < test.nbest.gz > test.rescored
  nlmt rescore --tuple-model lm/tm3/model.binary --source test.fr \\
      --nbest test.nbest.gz --out test.rescored.gz
  nlmt rescore --nbest test.rescored.gz --weights weights.json --one-best test.hyp
"""

BY_OPTION = {"--lattice": rescore_lattices}


class _Replaced(str):
    """A label that the list must have."""


def _replaced(text: str) -> _Replaced:
    return _Replaced(label(text))


def run(options: Options) -> None:
    """Rescore a list, rerank it, or both."""
    logging.getLogger().setLevel(logging.WARNING)  # no counts of each block: they are printed
    labels, nbest = options.label, options.nbest
    weights = None if options.weights is None else weights_from(options.weights)
    _check_labels(labels, nbest, weights)
    if labels:
        models = dict(zip(labels, _models(options), strict=True))
        counts = rescore(
            nbest,
            models,
            options.out,
            source=options.source,
            weights=weights,
            first=options.first,
            sort=options.sort,
        )
        for name, asked in counts.items():
            print(f"{name}: {asked}")
        nbest = options.out
    if weights is not None and options.one_best:
        write_lines(options.one_best, rerank(nbest, weights, sentences=options.sentences))


def _models(options: Options) -> list[LanguageModel | TupleModel]:
    """The model of each feature: models of words, or their interpolation, then models of tuples."""
    words, tuples = (
        [load_language_model(path, threads=options.threads) for path in paths]
        for paths in (options.model, options.tuple_model)
    )
    for model, path in zip(words, options.model, strict=True):
        check_units(model, path, tuples=False)
    for model, path in zip(tuples, options.tuple_model, strict=True):
        check_units(model, path, tuples=True)
    if options.interpolate is not None or options.interpolate_on is not None:
        words = [interpolated(words, options.model, options, sys.stdout)]
    return [*words, *map(TupleModel, tuples)]


def check(options: Options) -> None:
    """Refuse options that do not fit together; fill in the labels of the new features."""
    parser = options.parser
    any_model = bool(options.model or options.tuple_model)
    if any_model != bool(options.out):
        parser.error("--model and --out go together")
    if not any_model and not options.one_best:
        parser.error("nothing to do: give --model and --out, or --one-best, or all of them")
    if options.one_best and not options.weights:
        parser.error("--one-best needs --weights")
    if options.sort and not options.weights:
        parser.error("--sort needs --weights")
    if options.sentences is not None and not options.one_best:
        parser.error("--sentences needs --one-best")
    if options.first and not any_model:
        parser.error("--first needs --model")
    if options.tuple_model and not options.source:
        parser.error("--tuple-model needs --source")
    mixed = check_options(options, len(options.model))
    words = 1 if mixed else len(options.model)
    default = [f"NLM{i}" for i in range(words)]
    default += [f"TM{i}" for i in range(len(options.tuple_model))]
    options.label = options.label or default
    if len(options.label) != len(default) or len(set(options.label)) != len(default):
        parser.error(
            "interpolated models share one --label"
            if mixed
            else "each --model needs its own --label, and so does each --tuple-model"
        )


def _check_labels(labels: Sequence[str], nbest: Path, weights: Weights | None) -> None:
    """Check labels and weights against the features of the list, before scoring."""
    names = read_feature_names(nbest)
    present = [name for name, _ in names]
    for wanted in labels:
        if isinstance(wanted, _Replaced) and wanted not in present:
            has = ", ".join(present) or "no features"
            raise InputError(f"no {wanted} to replace", path=nbest, hint=f"it has {has}")
    if weights is not None:
        new = [(wanted, 1) for wanted in labels if wanted not in present]
        flatten_weights([*names, *new], weights, path=nbest)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(
        prog="nlmt rescore",
        description="Add language-model scores to a Moses n-best list; choose the best hypotheses.",
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("--nbest", type=IN, required=True, help="the list, plain or gzip, or -")
    add("--model", type=IN_EITHER, action="append", default=[], help="may be repeated")
    add(
        "--tuple-model",
        type=IN_EITHER,
        action="append",
        default=[],
        metavar="MODEL",
        help="a model of tuples; may be repeated",
    )
    add("--source", type=TEXT, help="the translated text, for bilingual models")
    add(
        "--label",
        type=label,
        action="append",
        help="label of the model's feature, in the order of the models, with models of tuples last"
        " (default: NLM0, NLM1, ..., TM0, TM1, ...); a label that the list has is replaced",
    )
    add(
        "--replace",
        dest="label",
        type=_replaced,
        action="append",
        metavar="LABEL",
        help="like --label, but the list must have it",
    )
    add_options(parser)
    add("--out", type=OUT, help="the new list, compressed if it ends in .gz, or -")
    add("--weights", type=IN, help="weights.json or moses.ini: new totals")
    add("--first", type=positive, help="only the first N of each sentence")
    add("--sort", action="store_true", help="sort each sentence's list by the new totals")
    add("--one-best", type=OUT, help="write the best hypotheses; needs --weights")
    add("--sentences", type=count, help="number of input sentences (default: from the list's last)")
    add("--threads", type=positive, default=1, help="threads of a neural model (default: 1)")
    return parser
