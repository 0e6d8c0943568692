"""`nlmt classes`: cluster words."""

import argparse
import time
from functools import partial
from pathlib import Path

from nlmt.classes import METHODS, brown_cluster, read_bigrams, write_paths
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

# method: (in the list of methods, in its own help)
METHOD_HELP = {
    "brown": (
        "Brown et al. 1992, with an exchange and a tree of classes",
        """\
Brown clustering: words whose neighbours are alike come into one class. The most frequent words
begin as classes, the others join them one by one (Brown et al. 1992; Liang 2005), then words move
to better classes.""",
    ),
    "exchange": (
        "the exchange alone, Martin et al. 1998",
        """\
The exchange alone (Martin, Liermann and Ney 1998): from classes of the most frequent words and one
of all others, a word at a time moves to the class that raises the mutual information most.""",
    ),
    "frequency": (
        "bins of equal frequency, Mikolov et al. 2011",
        "Bins: words by falling count, so that all classes occur about equally often.",
    ),
    "square-root": (
        "bins of equal sums of the square roots of counts",
        """\
Bins: words by falling count, so that the square roots of the counts of each add up to about the
same. Their sizes differ less than those of bins of equal frequency.""",
    ),
}


def run(arguments: list[str]) -> int:
    """Cluster the words of a text, write the classes and print what came out."""
    options = _parser().parse_args(arguments)
    if options.out.resolve() == options.text.resolve():
        raise InputError("input and output are the same file", path=options.text)
    start = time.perf_counter()
    method = METHODS[options.method]
    if options.method == "brown":
        method = partial(brown_cluster, refine=not options.no_refine)
    clustering = method(read_bigrams(options.text), options.classes)
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
    for name, (what, description) in METHOD_HELP.items():
        one = methods.add_parser(
            name,
            help=what,
            description=DESCRIPTION.format(what=description),
            epilog=EPILOG.format(name=name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        text = "sentences, one a line, plain or gzip"
        one.add_argument("--text", type=Path, required=True, metavar="FILE", help=text)
        out = "the classes, compressed if it ends in .gz"
        one.add_argument("--out", type=Path, required=True, metavar="FILE", help=out)
        count = "number of classes (default: 3 sqrt(V))"
        one.add_argument("--classes", type=int, metavar="K", help=count)
        if name == "brown":
            what = "stop at Liang's clustering: no exchange"
            one.add_argument("--no-refine", action="store_true", help=what)
    return parser
