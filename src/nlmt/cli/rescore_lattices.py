"""`nlmt rescore --lattice`: add the scores of language models to lattices."""

import argparse
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from nlmt.cli.arguments import label, number_of, positive, weights_for
from nlmt.cli.files import IN, IN_EITHER, OUT, TEXT
from nlmt.cli.parser import Options, Parser
from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import read_lines, write_lines
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_file import LatticeFile, write_lattices
from nlmt.io.lattice_nbest import write_nbest
from nlmt.io.weights import Weights
from nlmt.kinds import load_stepping_models
from nlmt.rescoring import LatticeRescorer, check_units

EPILOG = """\
FILE comes from `nlmt decode -output-lattice`, or from `nlmt lattice convert`. A model is the folder
of a neural model, recurrent or not, or a KenLM file, and becomes a separate feature. Each node is
split into at most K states with their own histories of the models (Auli et al. 2013), the best ones
by all features with --weights. N-gram models need no bound: without --states the search is exact.
Every path of the new lattices has the models' scores of its translation, unless arcs that would be
dropped are kept (--recombine), for lists on which to tune weights; `nlmt lattice` prunes and
converts them, and lists their best paths.

examples:
  nlmt decode -f moses.ini -i test.fr -output-lattice test.lattices > test.hyp
  nlmt lattice prune test.lattices small.lattices --density 30
  nlmt rescore --lattice small.lattices --model lm/lstm --model-weight 0.1 --states 10 \\
      --recombine --out rescored.lattices --nbest 1000 rescored.nbest.gz --distinct
  nlmt rescore --lattice small.lattices --model lm/lstm --weights weights.json --states 10 \\
      --out rescored.lattices --one-best test.hyp
"""


def check(options: Options) -> None:
    """Refuse options that do not fit together; fill in the labels of the new features."""
    parser, models = options.parser, len(options.model)
    options.label = options.label or [f"NLM{i}" for i in range(models)]
    if len(options.label) != models or len(set(options.label)) != models:
        parser.error("each --model needs its own --label")
    if options.model_weight and len(options.model_weight) != models:
        parser.error("each --model needs a --model-weight, or none")
    if options.distinct and not options.nbest:
        parser.error("--distinct is for --nbest")
    if options.nbest:
        try:
            options.nbest[0] = positive(options.nbest[0])
        except argparse.ArgumentTypeError as error:
            parser.error(f"--nbest: {error}")


def run(options: Options) -> None:
    """Rescore a file of lattices; write lists and best translations of the result."""
    logging.getLogger().setLevel(logging.WARNING)  # as for lists
    labels = options.label
    given: LatticeFile = LatticeFile(options.lattice)
    lattices: Iterable[Lattice] = given
    if options.source:
        lattices = with_source(lattices, list(read_lines(options.source)), options.source)
    weights: Weights = {}
    if options.weights is not None:
        weights = weights_for([*given.weights, *labels], options.weights, options.lattice)
    first = {name: [value] for name, value in zip(labels, options.model_weight or (), strict=False)}
    paths = dict(zip(labels, options.model, strict=True))
    models = load_stepping_models(paths, threads=options.threads)
    for name, path in paths.items():
        check_units(models[name], path, tuples=False)
    rescorer = LatticeRescorer(
        models, {**weights, **first}, states=options.states, recombine=options.recombine
    )
    write_lattices(options.out, rescorer.rescore(lattices))
    print(rescorer.counts)
    rescored = LatticeFile(options.out)
    if options.nbest:
        count, path = options.nbest
        write_nbest(path, rescored, count, distinct=options.distinct)
    if options.one_best:
        write_lines(options.one_best, (one.text(one.best_path()) for one in rescored))


def with_source(lattices: Iterable[Lattice], lines: Sequence[str], path: Path) -> Iterator[Lattice]:
    """The lattices, with sentences of a text as their source.

    Raises:
        InputError: a lattice of a sentence that the text lacks, or has with fewer or more words.
    """
    ids: dict[str, int] = {}
    words: list[str] = []
    shared: Sequence[str] = ()
    for lattice in lattices:
        if lattice.sentence >= len(lines):
            what = f"no sentence {lattice.sentence}: it has {len(lines)} lines"
            raise InputError(what, path=path, hint="give the text that was translated")
        if lattice.words is not shared:
            shared, words = lattice.words, list(lattice.words)
            ids = {word: number for number, word in enumerate(words)}
        text = split_fields(lines[lattice.sentence])
        reach = int(lattice.spans.max(initial=0))
        if reach not in (0, len(text)):  # 0: the lattice does not say
            what = f"{len(text)} words, but the lattice translates {reach}"
            hint = "give the text that was translated"
            raise InputError(what, path=path, line=lattice.sentence + 1, hint=hint)
        new = list(dict.fromkeys(word for word in text if word not in ids))
        if new:
            ids |= {word: number for number, word in enumerate(new, start=len(words))}
            words = [*words, *new]
        source = np.array([ids[word] for word in text], np.int32)
        yield replace(lattice, words=words, source=source)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(
        prog="nlmt rescore",
        description="Add language-model scores to lattices; list their best paths.",
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("--lattice", type=IN, required=True, help="the lattices")
    add("--model", type=IN_EITHER, action="append", required=True, help="may be repeated")
    add(
        "--label",
        type=label,
        action="append",
        help="label of each model's feature (default: NLM0, NLM1, ...)",
    )
    add(
        "--states",
        type=positive,
        metavar="K",
        help="largest number of states per node (default: no bound)",
    )
    add(
        "--recombine",
        action="store_true",
        help="redirect arcs to states that are not kept to the best one of the node, not drop them",
    )
    add(
        "--weights",
        type=IN,
        help="weights.json or moses.ini; features not in it keep the lattices' weights",
    )
    add(
        "--model-weight",
        type=number_of,
        action="append",
        metavar="W",
        help="weight of each model, in order",
    )
    add("--source", type=TEXT, metavar="TEXT", help="source text, if lattices lack it")
    add("--out", type=OUT, required=True, help="the new lattices")
    what = "write the N best paths of each sentence"
    parser.name_files(add("--nbest", nargs=2, metavar=("N", "LIST"), help=what), OUT, 1)
    add("--distinct", action="store_true", help="no two of them with equal words")
    add("--one-best", type=OUT, help="write the best translations")
    add("--threads", type=positive, default=1, help="threads of a neural model (default: 1)")
    return parser
