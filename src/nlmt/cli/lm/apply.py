"""`nlmt lm perplexity` and `nlmt lm score`, which apply models to a text."""

import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.cli.arguments import add_threads
from nlmt.cli.files import IN, IN_EITHER, TEXT
from nlmt.cli.interpolation import add_options, check_options, interpolated
from nlmt.cli.parser import Commands, Options, Parser
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.kinds import load_language_model
from nlmt.lm import (
    LanguageModel,
    SourceWordModel,
    WordModel,
    measure_text,
    number_words,
    read_given,
    vocabulary_facts,
)
from nlmt.lm.interpolation import as_word_model
from nlmt.lm.perplexity import BLOCK
from nlmt.neural import NeuralLM
from nlmt.steps import step

EPILOG = """\
A model is the folder of one that was trained here, or an ARPA or binary file of KenLM. Several
models are interpolated: the probability of a word is the weighted mean of theirs, with equal
weights, with those of --interpolate, or with the best ones for the text of --interpolate-on. The
weights are printed on standard error. Words are out of vocabulary (OOV) if no model knows them.

examples:
  nlmt lm {name} model test.en
  nlmt lm {name} model lm.binary test.en --interpolate-on dev.en
"""


def add_perplexity(commands: Commands) -> None:
    """Add `perplexity` to `nlmt lm`."""
    _add_command(commands, "perplexity", "perplexity of a text", _measure)


def add_score(commands: Commands) -> None:
    """Add `score` to `nlmt lm`."""
    what = "natural-log probability of each sentence of a text, including </s>"
    parser = _add_command(commands, "score", what, _score)
    what = "scores of each word and </s> instead, one sentence per line"
    parser.add_argument("--words", action="store_true", help=what)
    what = "do not divide by the normaliser: faster, but scores are not probabilities"
    parser.add_argument("--unnormalised", action="store_true", help=what)


def _add_command(
    commands: Commands, name: str, what: str, run: Callable[[Options], None]
) -> Parser:
    parser = commands.add_parser(
        name, help=what, description=f"Print the {what}.", epilog=EPILOG.format(name=name)
    )
    model = "folder or file of a model; several are interpolated"
    parser.add_argument("model", type=IN_EITHER, nargs="+", metavar="MODEL", help=model)
    parser.add_argument("text", type=TEXT, help="sentences, plain or gzip")
    add_options(parser)
    what = "source sentences, line for line, for one model that is conditioned on them"
    parser.add_argument("--source", type=TEXT, help=what)
    what = "links 0-0 1-2 of each sentence pair, source-target; not for lsa, transform"
    parser.add_argument("--alignment", type=IN, help=what)
    add_threads(parser)
    parser.set_defaults(command=run, check=_check, unnormalised=False)
    return parser


def _check(options: Options) -> None:
    """Refuse contradictory options.

    Raises:
        InputError: a source or alignment with several models; an alignment without source text.
    """
    check_options(options, len(options.model))
    if options.source is None:
        if options.alignment is not None:
            raise InputError("--alignment without --source", hint="give both, or none")
    elif len(options.model) > 1:
        what = "--source and --alignment are for one model that is conditioned on the source"
        raise InputError(what, hint="leave them out")
    if options.unnormalised and len(options.model) > 1:
        what = "--unnormalised scores are not probabilities: they cannot be interpolated"
        options.parser.error(what)


def _load(options: Options) -> tuple[LanguageModel, list[Path]]:
    """The model, or the interpolation of several; the given ones of source text and alignment."""
    models = [load_language_model(path, threads=options.threads) for path in options.model]
    model: LanguageModel = models[0]
    if len(models) > 1:
        model = interpolated(models, options.model, options, sys.stderr)
    return model, [path for path in (options.source, options.alignment) if path is not None]


def _measure(options: Options) -> None:
    """Print perplexities and the counts behind them."""
    start = time.perf_counter()
    model, source = _load(options)
    found = measure_text(model, options.text, source)
    vocabulary = vocabulary_facts(model)
    print(f"perplexity: {found.perplexity:.4f}")
    print(f"perplexity without OOV: {found.perplexity_without_oov:.4f}")
    print(f"words: {found.words}, sentences: {found.sentences}, OOV: {found.oov}")
    print(f"log probability: {found.log_probability:.4f} (natural)")
    if vocabulary.words is not None:
        print(f"vocabulary: {vocabulary.words} words, hash {vocabulary.hash}")
    print(f"seconds: {time.perf_counter() - start:.2f}")


def _score(options: Options) -> None:
    """Print scores."""
    model, source = _load(options)
    if options.unnormalised:
        if not isinstance(model, NeuralLM):
            raise InputError("--unnormalised is for neural models", path=options.model[0])
        model.normalised = False
    if source:
        conditioned, text = read_given(model, options.text, *source)
        rows = text.ids, text.offsets, text.source
        with step("score"):
            if isinstance(conditioned, SourceWordModel):
                _print_scores(conditioned.score_words_given(*rows), text.begins, options)
            elif options.words:
                what = "the model scores whole sentences only"
                raise InputError(what, path=options.model[0], hint="leave --words out")
            else:
                _print_lines(conditioned.score_sentences_given(*rows))
        return
    lines = iter(read_lines(options.text))
    with step("score") as progress:
        while block := list(islice(lines, BLOCK)):
            ids, offsets = number_words(model, block)
            if options.words or isinstance(model, WordModel):
                scores = as_word_model(model, options.model[0]).score_words(ids, offsets)
                _print_scores(scores, offsets + np.arange(len(offsets)), options)
            else:
                _print_lines(model.score_sentences(ids, offsets))
            progress.done += len(block)


def _print_scores(scores: NDArray[np.float64], begins: NDArray[np.int64], options: Options) -> None:
    """Print the score of each sentence, or of its words and `</s>`, one sentence per line."""
    if not options.words:
        _print_lines(np.add.reduceat(scores, begins[:-1]))
        return
    for sentence in np.split(scores, begins[1:-1]):
        print(" ".join(f"{score:.6f}" for score in sentence.tolist()))


def _print_lines(scores: NDArray[np.float64]) -> None:
    for score in scores.tolist():
        print(f"{score:.6f}")
