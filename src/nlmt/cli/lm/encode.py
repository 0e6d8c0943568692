"""`nlmt lm encode`: write texts as numbers that training maps into memory."""

from nlmt.cli.arguments import positive
from nlmt.cli.files import IN, OUT, TEXT
from nlmt.cli.parser import Commands, Options
from nlmt.neural import encode_texts
from nlmt.vocabulary import Vocabulary

DESCRIPTION = """\
Writes texts as numbers, once, for training that maps them into memory: two or four bytes per word,
however large the text. All texts of a call share one vocabulary, the words that occur often enough
in all of them together, or that of --vocabulary. The files are for nlmt lm train, as --train and
--dev, or as --train-source and --dev-source, whose texts have a separate vocabulary and therefore
need a separate call.

example:
  nlmt lm encode news.gz web.gz --out news.ids web.ids --min-count 5
"""


def add(commands: Commands) -> None:
    """Add the command to `nlmt lm`."""
    parser = commands.add_parser(
        "encode",
        help="write texts as numbers that training maps into memory",
        description=DESCRIPTION,
    )
    add = parser.add_argument
    add("text", type=TEXT, nargs="+", help="sentences, plain or gzip")
    add("--out", type=OUT, nargs="+", required=True, help="one for each text")
    words = parser.add_mutually_exclusive_group()
    least = "words that occur less often are <unk>, as with the key of this name; default: 2"
    words.add_argument("--min-count", type=positive, default=2, metavar="N", help=least)
    given = "one word per line, such as the vocabulary.txt of a model to start from"
    words.add_argument("--vocabulary", type=IN, metavar="FILE", help=given)
    parser.set_defaults(command=run, check=_check)


def _check(options: Options) -> None:
    if len(options.out) != len(options.text):
        options.parser.error("--out needs a file for each text")


def run(options: Options) -> None:
    """Encode texts; print the sizes."""
    given = None if options.vocabulary is None else Vocabulary.load(options.vocabulary)
    vocabulary, sizes = encode_texts(
        options.text, options.out, min_count=options.min_count, vocabulary=given
    )
    print(f"words in the vocabulary: {len(vocabulary)}")
    for path, size in zip(options.out, sizes, strict=True):
        print(f"{path}: {size.sentences} sentences, {size.words} words")
