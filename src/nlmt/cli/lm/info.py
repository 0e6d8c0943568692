"""`nlmt lm info`: describe a language model."""

import argparse
import json
from pathlib import Path

from nlmt.cli.files import IN_EITHER
from nlmt.cli.parser import Commands
from nlmt.errors import InputError
from nlmt.io.json_files import read_json
from nlmt.kinds import KINDS, load_language_model
from nlmt.neural import NeuralLM
from nlmt.ngram.class_model import CLASSES, load_table
from nlmt.ngram.files import read_facts, read_vocabulary
from nlmt.ngram.model import NgramModel
from nlmt.vocabulary import SPECIAL

DESCRIPTION = """\
Prints parts, sizes, configuration and training of a neural model; form, number of n-grams and words
of a KenLM file, binary or ARPA; for a class n-gram model also its words and classes.
"""


def add(commands: Commands) -> None:
    """Add the command to those of `nlmt lm`."""
    parser = commands.add_parser("info", help="describe a model", description=DESCRIPTION)
    what = "folder of a neural or class n-gram model, or a KenLM file"
    parser.add_argument("model", type=IN_EITHER, metavar="MODEL", help=what)
    parser.set_defaults(command=run, check=lambda options: None)


def run(options: argparse.Namespace) -> int:
    """Print a description that depends on the kind."""
    path: Path = options.model
    for name, describe in (
        ("ngram", _describe_ngram),
        ("class-ngram", _describe_classes),
        ("neural", _describe_neural),
    ):
        found = KINDS.get(name).find(path)
        if found is not None:
            describe(found)
            return 0
    load_language_model(path)  # reports the fault, if it is not a model
    raise InputError("models of this kind have no description", path=path)


def _describe_ngram(path: Path) -> None:
    NgramModel(path)  # checks the whole file
    facts = read_facts(path)
    print(f"n-gram model: {facts.form}")
    print(f"order: {len(facts.counts)}")
    for order, count in enumerate(facts.counts, start=1):
        print(f"  {order}-grams: {count}")
    vocabulary = read_vocabulary(path) if facts.has_words else None
    if vocabulary is None:
        print("words: not in the file")
    else:
        print(f"words: {len(set(vocabulary.words).difference(SPECIAL))}, and <unk>, <s>, </s>")
    print(f"bytes: {path.stat().st_size}")


def _describe_classes(path: Path) -> None:
    table = load_table(path.parent)
    print(f"words: {len(table.members)}, in {len(table.masses())} classes, and <unk>, <s>, </s>")
    print("of classes:")
    _describe_ngram(path.with_name(CLASSES))


def _describe_neural(path: Path) -> None:
    model = NeuralLM.load(path)
    print(f"parameters: {model.parameter_count}")
    for name, values in model.parameters.items():
        print(f"  {name}: {' x '.join(map(str, values.shape))}")
    print(f"words: {len(model.vocabulary)}")
    if model.source_vocabulary is not None:
        print(f"source words: {len(model.source_vocabulary)}")
    print(f"{model.layout.name}: {model.layout.count}")
    for key, value in model.config.to_dict().items():
        print(f"{key}: {value}")
    metrics = path / "metrics.json"
    if metrics.is_file():
        print(json.dumps(read_json(metrics), indent=2))
