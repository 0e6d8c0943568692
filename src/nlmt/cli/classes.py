"""`nlmt classes`: cluster words."""

import argparse
import time
from pathlib import Path

from nlmt.classes import METHODS, read_bigrams, write_paths
from nlmt.errors import InputError

DESCRIPTION = """\
{what}
Counts the bigrams within each line, the line's ends included; words are what white space separates.
Prints the number of words and of classes, and the average mutual information of neighbouring
classes in nats.
"""

EPILOG = """\
The output has a line for each word: the path from the root to its class (0 left, 1 right), the
word, its count, with tabs between, as the `paths` file of Liang's wcluster. The classes of every
method are merged two by two into this tree, each merge losing the least mutual information.

examples:
  nlmt classes {name} --text train.en.gz --out classes.tsv
  nlmt classes {name} --text train.en --classes 1000 --out classes.tsv
"""


def run(arguments: list[str]) -> int:
    """Cluster the words of a text, write the classes and print what came out."""
    options = _parser().parse_args(arguments)
    if options.out.resolve() == options.text.resolve():
        raise InputError("input and output are the same file", path=options.text)
    start = time.perf_counter()
    method = METHODS.get(options.method)
    cluster = method.cluster
    if method.unrefined is not None and options.no_refine:
        cluster = method.unrefined
    clustering = cluster(read_bigrams(options.text), options.classes)
    write_paths(clustering, options.out)
    before, after = clustering.start_mutual_information, clustering.average_mutual_information
    print(f"words V: {len(clustering.words)}")
    print(f"classes K: {len(clustering.bits)}")
    print(f"average mutual information: {after:.5f} nats")
    if before != after:
        print(f"before the exchange: {before:.5f} nats")
    print(f"seconds: {time.perf_counter() - start:.2f}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nlmt classes", description="Cluster words.")
    methods = parser.add_subparsers(title="methods", metavar="METHOD", required=True, dest="method")
    for name, method in METHODS.items():
        one = methods.add_parser(
            name,
            help=method.summary,
            description=DESCRIPTION.format(what=method.description),
            epilog=EPILOG.format(name=name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        text = "sentences, one a line, plain or gzip"
        one.add_argument("--text", type=Path, required=True, metavar="FILE", help=text)
        out = "the classes, compressed if it ends in .gz"
        one.add_argument("--out", type=Path, required=True, metavar="FILE", help=out)
        count = "number of classes (default: 3 sqrt(V))"
        one.add_argument("--classes", type=int, metavar="K", help=count)
        if method.unrefined is not None:
            what = "do not move words to better classes at the end"
            one.add_argument("--no-refine", action="store_true", help=what)
    return parser
