"""`nlmt lm score`: print natural-log probabilities of sentences or words."""

import argparse
from itertools import islice
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nlmt.cli.lm.models import add_command, check, load_models, one_model, source_files
from nlmt.cli.parser import Commands
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.lm import SourceWordModel, WordModel, number_words, read_given
from nlmt.lm.interpolation import as_word_model
from nlmt.lm.perplexity import BLOCK
from nlmt.steps import step


@runtime_checkable
class _Normalised(Protocol):
    """A model whose division by the normaliser can be switched off."""

    normalised: bool


def add(commands: Commands) -> None:
    """Add the command to `nlmt lm`."""
    what = "natural-log probability of each sentence of a text, including </s>"
    parser = add_command(commands, "score", what, run)
    what = "scores of each word and </s> instead, one sentence per line"
    parser.add_argument("--words", action="store_true", help=what)
    what = "do not divide by the normaliser: faster, but scores are not probabilities"
    parser.add_argument("--unnormalised", action="store_true", help=what)
    parser.set_defaults(check=_check)


def _check(options: argparse.Namespace) -> None:
    check(options)
    if options.unnormalised and len(options.model) > 1:
        what = "--unnormalised scores are not probabilities: they cannot be interpolated"
        options.parser.error(what)


def run(options: argparse.Namespace) -> int:
    """Print scores."""
    models = load_models(options)
    if options.unnormalised:
        first: object = models[0]
        if not isinstance(first, _Normalised):
            raise InputError("--unnormalised is for neural models", path=options.model[0])
        first.normalised = False
    model = one_model(models, options)
    source = source_files(options)
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
        return 0
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
    return 0


def _print_scores(
    scores: NDArray[np.float64], begins: NDArray[np.int64], options: argparse.Namespace
) -> None:
    """Print the score of each sentence, or of its words and `</s>`, one sentence per line."""
    if not options.words:
        _print_lines(np.add.reduceat(scores, begins[:-1]))
        return
    for sentence in np.split(scores, begins[1:-1]):
        print(" ".join(f"{score:.6f}" for score in sentence.tolist()))


def _print_lines(scores: NDArray[np.float64]) -> None:
    for score in scores.tolist():
        print(f"{score:.6f}")
