"""`nlmt classes`: cluster words."""

import argparse
import time
from pathlib import Path

from nlmt.classes import brown_cluster, read_bigrams, write_paths
from nlmt.errors import InputError

DESCRIPTION = """\
Brown clustering: words whose neighbours are alike come into one class, and the classes are the
leaves of a binary tree. Counts the bigrams within each line, the line's ends included; words are
what white space separates. Prints the number of words and of classes, and the average mutual
information of neighbouring classes in nats, before and after words move to better classes.
"""

EPILOG = """\
The output has a line for each word: the path from the root to its class (0 left, 1 right), the
word, its count, with tabs between, as the `paths` file of Liang's wcluster.

examples:
  nlmt classes brown --text train.en.gz --out classes.tsv
  nlmt classes brown --text train.en --classes 1000 --out classes.tsv
"""


def run(arguments: list[str]) -> int:
    """Cluster the words of a text, write the classes and print what came out."""
    options = _parser().parse_args(arguments)
    if options.out.resolve() == options.text.resolve():
        raise InputError("input and output are the same file", path=options.text)
    start = time.perf_counter()
    bigrams = read_bigrams(options.text)
    clustering = brown_cluster(bigrams, options.classes, refine=not options.no_refine)
    write_paths(clustering, options.out)
    print(f"words V: {len(clustering.words)}")
    print(f"classes K: {len(clustering.bits)}")
    print(f"average mutual information: {clustering.average_mutual_information:.5f} nats")
    print(f"before the exchange: {clustering.window_mutual_information:.5f} nats")
    print(f"seconds: {time.perf_counter() - start:.2f}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nlmt classes", description="Cluster words.")
    methods = parser.add_subparsers(title="methods", metavar="METHOD", required=True)
    brown = methods.add_parser(
        "brown",
        help="Brown et al. 1992, with an exchange pass and a tree of classes",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = brown.add_argument
    add("--text", type=Path, required=True, help="sentences, one a line, plain or gzip")
    add("--out", type=Path, required=True, help="the classes, compressed if it ends in .gz")
    add("--classes", type=int, metavar="K", help="number of classes (default: 3 sqrt(V))")
    add("--no-refine", action="store_true", help="stop at Liang's clustering: no exchange pass")
    return parser
