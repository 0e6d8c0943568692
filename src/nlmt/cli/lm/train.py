"""`nlmt lm train`: train a language model of any kind."""

from pathlib import Path
from typing import Any

from nlmt.cli.arguments import add_threads, positive
from nlmt.cli.files import IN, IN_FOLDER, OUT_FOLDER, STANDARD, TEXT
from nlmt.cli.lm.neural_training import train_neural
from nlmt.cli.parser import Commands, Options
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.yaml_files import parse_yaml
from nlmt.io.yaml_places import check_keys
from nlmt.kinds import KINDS
from nlmt.lm import SourceFiles, TrainingData
from nlmt.neural import Architecture, Training
from nlmt.neural.train.checkpoints import NAME as CHECKPOINT
from nlmt.settings_check import read_settings
from nlmt.settings_texts import help_text

NEURAL = "neural"
DESCRIPTION = """\
Trains a model until the dev perplexity no longer falls, and keeps the best one. Meanwhile the
folder has a checkpoint and the learning curve (log.tsv); an interrupted run resumes from there with
--resume, and ends with the same model, bit for bit, as an uninterrupted one.

Several processes may train together, each on its part of every minibatch and on its own GPU, if
there are any: --processes 4; on several machines by torchrun (docs/clusters.md).

The key kind chooses another kind of model, such as kind: ngram, with the keys of that kind
(docs/configuration.md).
"""
KEYS = """\
The configuration is a YAML mapping. Keys that are left out have their defaults:

{keys}
Layer sizes and shares are lists: [400, 200]. Classes (--classes) are needed by a class-factored
output and by the tree brown. A key that has no effect with the others is refused. docs/neural.md
describes each part and names its paper.

example:
  nlmt classes brown --text train.en --out classes.tsv
  nlmt lm train --config model.yaml --train train.en --dev dev.en --classes classes.tsv --out model
  nlmt lm train --config joint.yaml --train train.en --train-source train.fr \\
      --train-alignment train.align --dev dev.en --dev-source dev.fr --dev-alignment dev.align \\
      --classes classes.tsv --out joint
  nlmt lm train --config further.yaml --train news.en --dev news.dev.en --from model --out adapted
"""


def add(commands: Commands) -> None:
    """Add the command to `nlmt lm`."""
    parser = commands.add_parser(
        "train",
        help="train a model",
        description=DESCRIPTION,
        epilog=KEYS.format(keys=help_text(Architecture) + help_text(Training)),
    )
    add = parser.add_argument
    add("--config", type=IN, required=True, metavar="YAML", help="parts and training, see below")
    texts = "sentences, plain, gzip or encoded; several: the key resampling has a share for each"
    add("--train", type=TEXT, required=True, nargs="+", help=texts)
    add("--dev", type=TEXT, required=True, help="sentences for early stopping")
    what = "their source sentences, line for line, or encoded, for a model conditioned on them"
    add("--train-source", type=TEXT, nargs="+", default=[], help=what)
    what = "their links 0-0 1-2, as from nlmt align; not for source: lsa, transform"
    add("--train-alignment", type=IN, nargs="+", default=[], help=what)
    add("--dev-source", type=TEXT, help="source sentences of the dev text")
    add("--dev-alignment", type=IN, help="links of the dev text")
    what = "model of the source language, for source: averaged or concatenated"
    add("--source-embeddings", type=IN_FOLDER, help=what)
    add("--classes", type=IN, help="word classes, from nlmt classes or wcluster")
    backoff = "ARPA file for a short-list; left out: a Kneser-Ney model of the training texts"
    add("--backoff", type=IN, help=backoff)
    add("--out", type=OUT_FOLDER, required=True, help="folder of the model")
    start = "model to start from: its words, classes and parts stay"
    add("--from", type=IN_FOLDER, dest="start", help=start)
    add("--resume", action="store_true", help="resume from the folder's checkpoint, if it has one")
    what = "replace the model in the folder"
    add("--overwrite", action="store_true", help=what)
    what = "number that train together, in torch, and share the threads (default: 1)"
    add("--processes", type=positive, default=1, help=what)
    add_threads(parser)
    parser.set_defaults(command=run, check=_check)


def _check(options: Options) -> None:
    files = (options.config, *options.train, options.dev, options.classes, options.backoff)
    sources = (*options.train_source, *options.train_alignment, options.dev_source)
    if options.processes > 1 and STANDARD in (*files, *sources, options.dev_alignment):
        options.parser.error("several --processes cannot share standard input: give a file")
    for name in ("train_source", "train_alignment"):
        given = getattr(options, name)
        if given and len(given) != len(options.train):
            flag = f"--{name.replace('_', '-')}"
            options.parser.error(f"{len(options.train)} --train, but {len(given)} {flag}")
    for part in ("train", "dev"):
        if getattr(options, f"{part}_alignment") and not getattr(options, f"{part}_source"):
            options.parser.error(f"--{part}-alignment without --{part}-source")
    if bool(options.train_source) != bool(options.dev_source):
        options.parser.error("--train-source and --dev-source go together")
    for name in ("classes", "source_embeddings"):
        if options.start and getattr(options, name):
            flag = f"--{name.replace('_', '-')}"
            options.parser.error(f"{flag} has no effect with --from: the model keeps its own")
    if not options.overwrite and options.out.is_dir():
        _check_unfinished(options.out)


def _check_unfinished(folder: Path) -> None:
    """Refuse a folder with a trained model, unless a training into it was interrupted."""
    if (folder / CHECKPOINT).is_file():
        return
    for _, kind in KINDS.items():
        found = kind.find(folder)
        if found is not None:
            hint = "give another folder, or --overwrite"
            raise InputError("the folder has a trained model", path=folder, hint=hint)


def run(options: Options) -> int:
    """Train a model."""
    values = _read_values(options.config)
    sources = zip(*filter(None, (options.train_source, options.train_alignment)), strict=True)
    dev_source = options.dev_source
    data = TrainingData(
        texts=options.train,
        dev=options.dev,
        classes=options.classes,
        backoff=options.backoff,
        sources=[SourceFiles(*files) for files in sources],
        dev_source=dev_source and SourceFiles(dev_source, options.dev_alignment),
        source_embeddings=options.source_embeddings,
        start=options.start,
    )
    name = str(values.get("kind", NEURAL))
    if name == NEURAL:
        return train_neural(values, data, options)
    kind = KINDS.get(name)
    settings = read_settings(kind.settings, values, files=[options.config])
    plan = kind.plan(settings)
    if settings.grid or plan.parts:
        what = f"{'grid' if settings.grid else f'kind: {name}'} is for models of the workflow"
        raise InputError(what, path=options.config)
    for option, given, used in (
        ("classes", data.classes, plan.classes),
        # Pretrained models read no text.
        ("train-source", data.sources, plan.sees_source and plan.cost != "pretrained"),
        ("from", data.start, plan.start),
        ("source-embeddings", data.source_embeddings, plan.source_embeddings),
        ("backoff", data.backoff, False),
        ("resume", options.resume, False),
        ("processes", options.processes > 1, False),
    ):
        if given and not used:
            raise InputError(f"--{option} has no effect on kind: {name}", hint="leave it out")
    kind.train(settings, data, options.out, threads=options.threads)
    print(f"model: {options.out}")
    return 0


def _read_values(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file."""
    values = parse_yaml("\n".join(read_lines(path)), path)
    check_keys(path)
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise InputError("not a mapping of keys to values", path=path, hint="write: order: 5")
    return values
