"""`nlmt lm`: train, measure and apply neural language models."""

import argparse
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np
import yaml
from numpy.typing import NDArray

from nlmt.cli.arguments import positive
from nlmt.cli.interpolation import add_options, as_word_model, check_options, interpolated
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.lm.loading import load_language_model
from nlmt.lm.perplexity import BLOCK, measure
from nlmt.lm.protocol import WordModel, number_words
from nlmt.neural import (
    Corpus,
    NeuralConfig,
    NeuralLM,
    SourceFiles,
    Task,
    encode_texts,
    read_with_source,
    train_folder,
)
from nlmt.neural.config import describe_keys
from nlmt.neural.launch import start_together
from nlmt.neural.model import read_json
from nlmt.neural.ranks import Ranks, is_started, joined
from nlmt.vocabulary import Vocabulary

TRAIN = """\
Trains a model until the dev perplexity no longer falls, and keeps the best one. While it runs the
folder holds a checkpoint and the learning curve (log.tsv); an interrupted run goes on from there
with --resume, and ends with the same model, bit for bit, as a run that was never interrupted.

Several processes train together, each on its part of every minibatch and on a GPU of its own, if
there are some: --processes 4; on several machines by torchrun (docs/clusters.md).
"""
KEYS = """\
The configuration is a YAML mapping. Keys that are left out have their defaults:

{keys}
Layer sizes and shares are lists: [400, 200]. Classes (--classes) are needed by a class-factored
output and by the tree brown. A key that has no effect beside the others is refused. docs/neural.md
says what each part is and which paper it is from.

example:
  nlmt classes brown --text train.en --out classes.tsv
  nlmt lm train --config model.yaml --train train.en --dev dev.en --classes classes.tsv --out model
  nlmt lm train --config joint.yaml --train train.en --train-source train.fr \\
      --train-alignment train.align --dev dev.en --dev-source dev.fr --dev-alignment dev.align \\
      --classes classes.tsv --out joint
  nlmt lm train --config further.yaml --train news.en --dev news.dev.en --from model --out adapted
"""
ENCODE = """\
Writes texts as numbers, once, for training that maps them into memory: two or four bytes a word, in
whatever amount. All texts of a call get one vocabulary, the words that occur often enough in all of
them together, or that of --vocabulary. The files are for nlmt lm train, as --train and --dev, or as
--train-source and --dev-source, whose texts have a vocabulary, and therefore a call, of their own.

example:
  nlmt lm encode news.gz web.gz --out news.ids web.ids --min-count 5
"""
MODELS = """\
A model that is not neural is an ARPA or binary file of KenLM. Several models are interpolated: the
probability of a word is the weighted mean of theirs, with equal weights, with those of
--interpolate, or with the best ones for the text of --interpolate-on, which are printed on
standard error. Words are out of vocabulary (OOV) where no model knows them.

examples:
  nlmt lm {name} model test.en
  nlmt lm {name} model lm.binary test.en --interpolate-on dev.en
"""


def run(arguments: list[str]) -> int:
    """Run one of the commands."""
    options = _parser().parse_args(arguments, argparse.Namespace(arguments=arguments))
    return cast(Callable[[argparse.Namespace], int], options.command)(options)


def _train(options: argparse.Namespace) -> int:
    options.threads = max(1, options.threads // options.processes)
    if options.processes > 1 and not is_started():
        command = [sys.executable, "-m", "nlmt.cli", "lm", *options.arguments]
        start_together(command, options.processes, options.threads)
        return 0
    with joined() as ranks:
        if ranks.first:
            return _train_part(options, ranks)
        logging.disable(logging.INFO)
        try:
            return _train_part(options, ranks)
        except InputError:
            return 1  # which the first one reports


def _train_part(options: argparse.Namespace, ranks: Ranks) -> int:
    """What each of the processes that train together does."""
    with ranks.together():
        task = _read_task(options)
    result = train_folder(
        task,
        options.out,
        resume="always" if options.resume else "never",
        threads=options.threads,
        ranks=ranks,
    )
    if not ranks.first:
        return 0
    print(f"dev perplexity: {result.dev.perplexity:.2f} (epoch {result.progress.best_epoch:g})")
    print(f"model: {options.out}")
    return 0


def _read_task(options: argparse.Namespace) -> Task:
    """What is to be learnt."""
    start = None if options.start is None else NeuralLM.load(options.start)
    if start is not None and options.classes is not None:
        what = "--classes has no effect with --from: the classes are those of the model"
        raise InputError(what, hint="leave one of the two out")
    if start is not None and options.source_embeddings is not None:
        what = "--source-embeddings has no effect with --from: the vectors are those of the model"
        raise InputError(what, hint="leave one of the two out")
    config = _read_config(options.config, start)
    if options.backoff is not None and (
        start is not None or config.architecture.output != "short-list"
    ):
        what = "--backoff has no effect without output: short-list, or with --from"
        raise InputError(what, hint="leave it out")
    return Task.read(
        config,
        options.train,
        options.dev,
        options.classes,
        options.backoff,
        start,
        sources=_source_files(options.train_source, options.train_alignment, "--train-"),
        dev_source=_source_file(options.dev_source, options.dev_alignment, "--dev-"),
        source_embeddings=None
        if options.source_embeddings is None
        else NeuralLM.load(options.source_embeddings),
    )


def _encode(options: argparse.Namespace) -> int:
    if len(options.out) != len(options.text):
        cast(argparse.ArgumentParser, options.parser).error("--out needs a file for each text")
    given = None if options.vocabulary is None else Vocabulary.load(options.vocabulary)
    vocabulary, sizes = encode_texts(
        options.text, options.out, min_count=options.min_count, vocabulary=given
    )
    print(f"words in the vocabulary: {len(vocabulary)}")
    for path, size in zip(options.out, sizes, strict=True):
        print(f"{path}: {size.sentences} sentences, {size.words} words")
    return 0


def _perplexity(options: argparse.Namespace) -> int:
    start = time.perf_counter()
    model = _load(options)
    text = _text_with_source(model, options)
    if text is None:
        found = measure(model, read_lines(options.text))
    else:
        found = text[0].corpus_perplexity(text[1])
    print(f"perplexity: {found.perplexity:.4f}")
    print(f"perplexity without OOV: {found.perplexity_without_oov:.4f}")
    print(f"words: {found.words}, sentences: {found.sentences}, OOV: {found.oov}")
    print(f"log probability: {found.log_probability:.4f} (natural)")
    print(f"seconds: {time.perf_counter() - start:.2f}")
    return 0


def _score(options: argparse.Namespace) -> int:
    model = _load(options)
    text = _text_with_source(model, options)
    if text is not None:
        conditioned, corpus = text
        events = conditioned.score_words_given(corpus.ids, corpus.offsets, corpus.source_places())
        _print_scores(events, corpus.begins, options)
        return 0
    lines = iter(read_lines(options.text))
    while block := list(islice(lines, BLOCK)):
        ids, offsets = number_words(model, block)
        begins = offsets + np.arange(len(offsets))
        _print_scores(model.score_words(ids, offsets), begins, options)
    return 0


def _print_scores(
    scores: NDArray[np.float64], begins: NDArray[np.int64], options: argparse.Namespace
) -> None:
    """The score of each sentence; or those of its words and of `</s>`, a sentence a line."""
    if not options.words:
        for score in np.add.reduceat(scores, begins[:-1]).tolist():
            print(f"{score:.6f}")
        return
    for sentence in np.split(scores, begins[1:-1]):
        print(" ".join(f"{score:.6f}" for score in sentence.tolist()))


def _load(options: argparse.Namespace) -> WordModel:
    """The model that is asked for, or the mixture of several."""
    parser = cast(argparse.ArgumentParser, options.parser)
    paths = options.model
    check_options(parser, options, len(paths))
    models = [load_language_model(path, threads=options.threads) for path in paths]
    if getattr(options, "unnormalised", False):
        if len(models) > 1:
            parser.error("--unnormalised scores are no probabilities: they cannot be interpolated")
        if not isinstance(models[0], NeuralLM):
            parser.error("--unnormalised is for neural models")
        models[0].normalised = False
    if len(models) > 1:
        return interpolated(models, paths, options, sys.stderr)
    return as_word_model(models[0], paths[0])


def _info(options: argparse.Namespace) -> int:
    model = NeuralLM.load(options.model)
    print(f"parameters: {model.parameter_count}")
    for name, values in model.parameters.items():
        print(f"  {name}: {' x '.join(map(str, values.shape))}")
    print(f"words: {len(model.vocabulary)}")
    if model.source_vocabulary is not None:
        print(f"source words: {len(model.source_vocabulary)}")
    print(f"{model.structure.name}: {model.structure.count}")
    for key, value in model.config.to_dict().items():
        print(f"{key}: {value}")
    metrics = options.model / "metrics.json"
    if metrics.is_file():
        print(json.dumps(read_json(metrics), indent=2))
    return 0


def _text_with_source(
    model: WordModel, options: argparse.Namespace
) -> tuple[NeuralLM, Corpus] | None:
    """A model that is conditioned on the source and the text with it; None where there is none."""
    files = _source_file(options.source, options.alignment, "--")
    if files is None:
        return None
    if not isinstance(model, NeuralLM) or model.source_vocabulary is None:
        what = "--source and --alignment are for one model that is conditioned on the source"
        raise InputError(what, hint="leave them out")
    return model, read_with_source(options.text, files, model)


def _source_file(text: Path | None, alignment: Path | None, prefix: str) -> SourceFiles | None:
    """The source side of a text, from the two options that give it."""
    files = _source_files(_listed(text), _listed(alignment), prefix)
    return files[0] if files else None


def _source_files(
    texts: Sequence[Path], alignments: Sequence[Path], prefix: str
) -> list[SourceFiles]:
    """The source sides of texts: all with an alignment, or none."""
    if not alignments:
        return [SourceFiles(text) for text in texts]
    if len(texts) != len(alignments):
        what = f"{prefix}source has {len(texts)} files, {prefix}alignment {len(alignments)}"
        raise InputError(what, hint="give an alignment for each source text")
    return [SourceFiles(*pair) for pair in zip(texts, alignments, strict=True)]


def _listed(path: Path | None) -> list[Path]:
    return [] if path is None else [path]


def _read_config(path: Path, start: NeuralLM | None) -> NeuralConfig:
    """The configuration of a file; what it does not say of the parts is as in `start`."""
    try:
        settings = yaml.safe_load("\n".join(read_lines(path)))
    except (yaml.YAMLError, RecursionError) as error:
        raise InputError(f"no YAML: {' '.join(str(error).split())}", path=path) from error
    if settings is None:
        settings = {}
    if not isinstance(settings, dict):
        raise InputError("no mapping of keys to values", path=path, hint="write: order: 5")
    if start is not None:
        settings = start.config.parts() | settings
    try:
        return NeuralConfig.from_dict(settings)
    except InputError as error:
        raise InputError(error.what, path=path, hint=error.hint) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nlmt lm", description=__doc__.split(": ", 1)[1])
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    cores, all_cores = len(os.sched_getaffinity(0)), "default: all cores"

    train = commands.add_parser(
        "train",
        help="train a model",
        description=TRAIN,
        epilog=KEYS.format(keys=describe_keys()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = train.add_argument
    add("--config", type=Path, required=True, metavar="YAML", help="parts and training, see below")
    texts = "sentences, plain, gzip or encoded; several: the key resampling has a share for each"
    add("--train", type=Path, required=True, nargs="+", metavar="FILE", help=texts)
    add("--dev", type=Path, required=True, metavar="FILE", help="sentences for early stopping")
    what = (
        "their source sentences, line for line, or encoded, for a model that is conditioned on them"
    )
    add("--train-source", type=Path, nargs="+", default=[], metavar="FILE", help=what)
    what = "their links 0-0 1-2, as of nlmt align; not for source: lsa"
    add("--train-alignment", type=Path, nargs="+", default=[], metavar="FILE", help=what)
    add("--dev-source", type=Path, metavar="FILE", help="the same of the dev sentences")
    add("--dev-alignment", type=Path, metavar="FILE")
    what = "model of the source language, for source: averaged or concatenated"
    add("--source-embeddings", type=Path, metavar="DIR", help=what)
    add("--classes", type=Path, metavar="FILE", help="word classes, of nlmt classes or wcluster")
    backoff = "ARPA file for a short-list; left out: a Kneser-Ney model of the training texts"
    add("--backoff", type=Path, metavar="FILE", help=backoff)
    add("--out", type=Path, required=True, metavar="DIR", help="folder of the model")
    start = "model to go on from: its words, classes and parts stay"
    add("--from", type=Path, metavar="DIR", dest="start", help=start)
    add("--resume", action="store_true", help="go on from the folder's checkpoint, if it has one")
    what = "that train together, in torch, and share the threads (default: 1)"
    add("--processes", type=positive, default=1, metavar="N", help=what)
    add("--threads", type=positive, default=cores, metavar="N", help=all_cores)
    train.set_defaults(command=_train)

    encode = commands.add_parser(
        "encode",
        help="write texts as numbers that training maps into memory",
        description=ENCODE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = encode.add_argument
    add("text", type=Path, nargs="+", metavar="FILE", help="sentences, plain or gzip")
    add("--out", type=Path, nargs="+", required=True, metavar="FILE", help="one for each text")
    words = encode.add_mutually_exclusive_group()
    least = "words that occur less often are <unk>, as the key of that name has it; default: 2"
    words.add_argument("--min-count", type=positive, default=2, metavar="N", help=least)
    given = "one word a line, such as the vocabulary.txt of a model to go on from"
    words.add_argument("--vocabulary", type=Path, metavar="FILE", help=given)
    encode.set_defaults(command=_encode, parser=encode)

    for name, command, what in (
        ("perplexity", _perplexity, "perplexity of a text"),
        ("score", _score, "natural-log probability of each sentence of a text, </s> counted"),
    ):
        one = commands.add_parser(
            name,
            help=what,
            description=f"Print the {what}.",
            epilog=MODELS.format(name=name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        model = "folder of a neural model, or file of KenLM; several are interpolated"
        one.add_argument("model", type=Path, nargs="+", metavar="MODEL", help=model)
        one.add_argument("text", type=Path, metavar="FILE", help="sentences, plain or gzip")
        add_options(one)
        what = "source sentences, line for line, for one model that is conditioned on them"
        one.add_argument("--source", type=Path, metavar="FILE", help=what)
        what = "links 0-0 1-2 of each sentence pair, source-target; not for source: lsa"
        one.add_argument("--alignment", type=Path, metavar="FILE", help=what)
        one.add_argument("--threads", type=positive, default=cores, metavar="N", help=all_cores)
        one.set_defaults(command=command, parser=one)
        if command is _score:
            what = "that of each word and of </s> instead, a sentence a line"
            one.add_argument("--words", action="store_true", help=what)
            what = "do not divide by the normaliser: no probabilities, but faster"
            one.add_argument("--unnormalised", action="store_true", help=what)

    what = "what a model is made of and how it was trained"
    info = commands.add_parser("info", help=what, description=f"Print {what}.")
    info.add_argument("model", type=Path, metavar="DIR", help="folder of the model")
    info.set_defaults(command=_info)
    return parser
