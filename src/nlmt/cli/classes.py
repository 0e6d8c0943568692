"""`nlmt classes`: cluster words; convert files of classes."""

import time

from nlmt.classes import METHODS, ClassMethod, class_measures, cluster_words, read_bigrams
from nlmt.classes.class_files import FORMATS, convert_classes
from nlmt.classes.methods import class_options
from nlmt.cli.arguments import key_and_value, positive
from nlmt.cli.files import IN, OUT, TEXT
from nlmt.cli.parser import Commands, Options, Parser
from nlmt.io.json_files import write_json
from nlmt.settings_texts import help_text

DESCRIPTION = """\
Clusters words by the bigrams within each line of a text, including the line's ends; spaces and tabs
separate words. Prints the average mutual information of neighbouring classes in bits, the
perplexity of the text in the classes' bigram model, and the cost of a class-factored softmax: the
rows by which the hidden vector is multiplied for a word of the text, for all classes and for the
words of its class.

The output has a line for each word: the path from the root to its class (0 left, 1 right),
the word and its count, separated by tabs, like the `paths` file of Liang's wcluster. The classes of
every method are merged pairwise into this tree, where each merge loses the least mutual
information.
"""
EPILOG = """\
examples:
  nlmt classes brown --text train.en.gz --out classes.tsv
  nlmt classes exchange --text train.en --classes 1000 --metrics metrics.json --out classes.tsv
"""
CONVERT = """\
Reads another program's classes, or writes classes for one.

{formats}

paths has the tree of the classes, the others do not: their classes get bit strings of equal length,
or with --text a tree from the bigrams of that text, and the words' counts. Words that the file
lacks stay without a class; with --text, words that are not in the text are dropped.
"""

CONVERT_EPILOG = """\
examples:
  nlmt classes convert train.vcb.classes --from mkcls --text train.en --out classes.tsv
  nlmt classes convert classes.tsv --to clustercat --out clusters.tsv
"""


def run(options: Options) -> None:
    """Cluster the words of a text, or convert classes, and print figures of the result."""
    options.command(options)


def check(options: Options) -> None:
    """Refuse options that the method does not have."""
    if options.command is _cluster:
        class_options(options.method, dict(options.option))


def _cluster(options: Options) -> None:
    start = time.perf_counter()
    bigrams = read_bigrams(options.text)
    own = dict(options.option)
    clustering = cluster_words(options.method, bigrams, options.classes, own)
    FORMATS.get(options.to).write(clustering, options.out)
    _report(
        {"method": options.method, "options": own, **class_measures(clustering, bigrams)}, options
    )
    print(f"seconds: {time.perf_counter() - start:.2f}")


def _convert(options: Options) -> None:
    bigrams = None if options.text is None else read_bigrams(options.text)
    clustering = convert_classes(options.file, options.source, bigrams)
    FORMATS.get(options.to).write(clustering, options.out)
    measures = {} if bigrams is None else class_measures(clustering, bigrams)
    _report({"words": len(clustering.words), "classes": len(clustering.bits), **measures}, options)


def _report(measures: dict[str, object], options: Options) -> None:
    """Print the figures, and write them to the file of --metrics."""
    for key, value in measures.items():
        if isinstance(value, int | float):
            shown = f"{value:.5g}" if isinstance(value, float) else str(value)
            print(f"{key.replace('_', ' ')}: {shown}")
    if options.metrics is not None:
        write_json(options.metrics, measures)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt classes", description=DESCRIPTION, epilog=EPILOG)
    methods = parser.add_subparsers(title="methods", metavar="METHOD", required=True, dest="method")
    for name, method in METHODS.items():
        _add_method(methods, name, method)
    formats = "\n".join(f"  {name:<12}{part.summary}" for name, part in FORMATS.items())
    one = methods.add_parser(
        "convert",
        help="convert another program's classes, or classes for one",
        description=CONVERT.format(formats=formats),
        epilog=CONVERT_EPILOG,
    )
    one.add_argument("file", type=IN, help="classes, plain or gzip")
    known = "default: recognised by the first lines"
    one.add_argument("--from", choices=FORMATS.names(), dest="source", help=known)
    text = "text for making a tree and counting words"
    one.add_argument("--text", type=TEXT, help=text)
    _add_output(one)
    one.set_defaults(command=_convert)
    return parser


def _add_method(methods: Commands, name: str, method: ClassMethod) -> None:
    keys = help_text(method.options_type)
    one = methods.add_parser(
        name,
        help=method.summary,
        description=f"{method.description}\nText, output and figures: nlmt classes --help.",
        epilog=f"options:\n{keys}" if keys else None,
    )
    text = "sentences, one per line, plain or gzip"
    one.add_argument("--text", type=TEXT, required=True, help=text)
    count = "number of classes (default: 3 sqrt(V))"
    one.add_argument("--classes", type=positive, metavar="K", help=count)
    if keys:
        what = "of the method's own, see below"
        one.add_argument("--option", type=key_and_value, action="append", default=[], help=what)
    _add_output(one)
    one.set_defaults(command=_cluster, option=[])


def _add_output(parser: Parser) -> None:
    out = "the classes, compressed if it ends in .gz"
    parser.add_argument("--out", type=OUT, required=True, help=out)
    what = "format (default: paths)"
    parser.add_argument("--to", choices=FORMATS.names(), default="paths", help=what)
    metrics = "write the printed figures as JSON"
    parser.add_argument("--metrics", type=OUT, help=metrics)
