"""`nlmt lm`: train, measure and apply neural language models."""

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import yaml

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.neural import (
    Corpus,
    NeuralConfig,
    NeuralLM,
    SourceFiles,
    Task,
    encode,
    train_folder,
    with_source,
)
from nlmt.neural.config import describe_keys
from nlmt.neural.model import NO_SOURCE, read_json

TRAIN = """\
Trains a model until the dev perplexity no longer falls, and keeps the best one. While it runs the
folder holds a checkpoint and the learning curve (log.tsv); an interrupted run goes on from there
with --resume, and ends with the same model, bit for bit, as a run that was never interrupted.
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


def run(arguments: list[str]) -> int:
    """Run one of the commands."""
    options = _parser().parse_args(arguments)
    return cast(Callable[[argparse.Namespace], int], options.command)(options)


def _train(options: argparse.Namespace) -> int:
    start = None if options.start is None else NeuralLM.load(options.start)
    if start is not None and options.classes is not None:
        what = "--classes has no effect with --from: the classes are those of the model"
        raise InputError(what, mend="leave one of the two out")
    config = _read_config(options.config, start)
    if options.backoff is not None and (
        start is not None or config.architecture.output != "short-list"
    ):
        what = "--backoff has no effect without output: short-list, or with --from"
        raise InputError(what, mend="leave it out")
    task = Task.read(
        config,
        options.train,
        options.dev,
        options.classes,
        options.backoff,
        start,
        sources=_source_files(options.train_source, options.train_alignment, "--train-"),
        dev_source=_source_file(options.dev_source, options.dev_alignment, "--dev-"),
    )
    result = train_folder(
        task,
        options.out,
        resume="always" if options.resume else "never",
        threads=options.threads,
    )
    print(f"dev perplexity: {result.dev.perplexity:.2f} (pass {result.progress.best_pass})")
    print(f"model: {options.out}")
    return 0


def _perplexity(options: argparse.Namespace) -> int:
    start = time.perf_counter()
    model = NeuralLM.load(options.model, threads=options.threads)
    found = model.corpus_perplexity(_read_text(model, options))
    print(f"perplexity: {found.perplexity:.4f}")
    print(f"perplexity without OOV: {found.perplexity_without_oov:.4f}")
    print(f"words: {found.words}, sentences: {found.sentences}, OOV: {found.oov}")
    print(f"log probability: {found.log_probability:.4f} (natural)")
    print(f"seconds: {time.perf_counter() - start:.2f}")
    return 0


def _score(options: argparse.Namespace) -> int:
    model = NeuralLM.load(options.model, threads=options.threads)
    model.normalised = not options.unnormalised
    corpus = _read_text(model, options)
    text = corpus.ids, corpus.offsets, corpus.places()
    for score in model.score_sentences_with_statistics(*text)[0].tolist():
        print(f"{score:.6f}")
    return 0


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


def _read_text(model: NeuralLM, options: argparse.Namespace) -> Corpus:
    """The text that a model is asked about, with its source where one is given."""
    corpus = encode(read_lines(options.text), model.vocabulary)
    if not corpus.sentences:
        raise InputError("no text", path=options.text, mend="give at least one sentence")
    files = _source_file(options.source, options.alignment, "--")
    if files is None:
        return corpus
    if model.source_vocabulary is None:
        raise InputError(NO_SOURCE, path=options.model, mend="leave --source and --alignment out")
    return with_source(corpus, files, model.source_vocabulary)


def _source_file(text: Path | None, alignment: Path | None, prefix: str) -> SourceFiles | None:
    """The source side of a text, from the two options that give it."""
    files = _source_files(_listed(text), _listed(alignment), prefix)
    return files[0] if files else None


def _source_files(
    texts: Sequence[Path], alignments: Sequence[Path], prefix: str
) -> list[SourceFiles]:
    """The source sides of texts."""
    if len(texts) != len(alignments):
        what = f"{prefix}source has {len(texts)} files, {prefix}alignment {len(alignments)}"
        raise InputError(what, mend="give an alignment for each source text")
    return [SourceFiles(*pair) for pair in zip(texts, alignments, strict=True)]


def _listed(path: Path | None) -> list[Path]:
    return [] if path is None else [path]


def _read_config(path: Path, start: NeuralLM | None) -> NeuralConfig:
    """The configuration of a file; what it does not say of the parts is as in `start`."""
    try:
        settings = yaml.safe_load("\n".join(read_lines(path)))
    except yaml.YAMLError as error:
        raise InputError(f"no YAML: {' '.join(str(error).split())}", path=path) from error
    if settings is None:
        settings = {}
    if not isinstance(settings, dict):
        raise InputError("no mapping of keys to values", path=path, mend="write: order: 5")
    if start is not None:
        settings = start.config.parts() | settings
    try:
        return NeuralConfig.from_dict(settings)
    except InputError as error:
        raise InputError(str(error), path=path) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nlmt lm", description=__doc__.split(": ", 1)[1])
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    cores = len(os.sched_getaffinity(0))

    train = commands.add_parser(
        "train",
        help="train a model",
        description=TRAIN,
        epilog=KEYS.format(keys=describe_keys()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = train.add_argument
    add("--config", type=Path, required=True, metavar="YAML", help="parts and training, see below")
    texts = "sentences, plain or gzip; several: the key resampling has a share for each"
    add("--train", type=Path, required=True, nargs="+", metavar="FILE", help=texts)
    add("--dev", type=Path, required=True, metavar="FILE", help="sentences for early stopping")
    source = {"type": Path, "metavar": "FILE"}
    what = "their source sentences, line for line, for a model with a source"
    add("--train-source", **source, nargs="+", default=[], help=what)
    what = "their links 0-0 1-2, source-target, line for line"
    add("--train-alignment", **source, nargs="+", default=[], help=what)
    add("--dev-source", **source, help="the same of the dev sentences")
    add("--dev-alignment", **source)
    add("--classes", type=Path, metavar="FILE", help="word classes, of nlmt classes or wcluster")
    backoff = "ARPA file for a short-list; left out: a Kneser-Ney model of the training texts"
    add("--backoff", type=Path, metavar="FILE", help=backoff)
    add("--out", type=Path, required=True, metavar="DIR", help="folder of the model")
    start = "model to go on from: its words, classes and parts stay"
    add("--from", type=Path, metavar="DIR", dest="start", help=start)
    add("--resume", action="store_true", help="go on from the checkpoint in the folder")
    add("--threads", type=_positive, default=cores, metavar="N", help="default: all cores")
    train.set_defaults(command=_train)

    for name, command, what in (
        ("perplexity", _perplexity, "exactly normalised perplexity of a text"),
        ("score", _score, "natural-log probability of each sentence of a text, </s> counted"),
    ):
        one = commands.add_parser(name, help=what, description=f"Print the {what}.")
        one.add_argument("model", type=Path, metavar="DIR", help="folder of the model")
        one.add_argument("text", type=Path, metavar="FILE", help="sentences, plain or gzip")
        what = "source sentences, line for line, for a model with a source"
        one.add_argument("--source", type=Path, metavar="FILE", help=what)
        what = "links 0-0 1-2 of each sentence pair, source-target"
        one.add_argument("--alignment", type=Path, metavar="FILE", help=what)
        one.add_argument("--threads", type=_positive, default=cores, metavar="N")
        one.set_defaults(command=command)
        if command is _score:
            what = "do not divide by the normaliser: no probabilities, but faster"
            one.add_argument("--unnormalised", action="store_true", help=what)

    info = commands.add_parser("info", help="what a model is made of and how it was trained")
    info.add_argument("model", type=Path, metavar="DIR", help="folder of the model")
    info.set_defaults(command=_info)
    return parser


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of at least 1")
    return int(text)
