"""`nlmt text`: tokenise, detokenise and recase text."""

from collections.abc import Iterator

from nlmt.chunks import in_chunks
from nlmt.cli.files import IN, IN_FOLDER, STANDARD, TEXT_STREAM, input_lines
from nlmt.cli.parser import Options, Parser
from nlmt.text import Casing, Detokeniser, Tokenisation, check_language, warn_of_general_rules
from nlmt.text.segmenters import SEGMENTERS
from nlmt.text.tokenise import check_segmenter
from nlmt.translation import Recaser

EPILOG = """\
Each reads text, a sentence a line, from a file or standard input, and prints it line by line.

examples:
  nlmt text tokenise --language fr text.fr > text.tok.fr
  nlmt text tokenise --language en --casing keep text.en | nlmt text detokenise --language en
  nlmt text recase results/help/fr-en/recaser < translations.tok.en
"""


def run(options: Options) -> None:
    """Run one of the commands."""
    for line in options.command(options):
        print(line)


def check(options: Options) -> None:
    """Refuse unknown languages, and segmenters of others."""
    if options.command is not _recase:
        check_language(options.language)
    if options.command is _tokenise and options.segmenter is not None:
        check_segmenter(options.language, options.segmenter)


def _tokenise(options: Options) -> Iterator[str]:
    language = options.language
    segmenter = {} if options.segmenter is None else {language: options.segmenter}
    truecasers = {} if options.truecaser is None else {language: str(options.truecaser)}
    casing: Casing = "truecase" if truecasers else options.casing
    tokenise = Tokenisation(segmenter=segmenter, casing=casing, truecasers=truecasers).of(language)
    warn_of_general_rules(language)
    return map(tokenise, input_lines(options.text))


def _detokenise(options: Options) -> Iterator[str]:
    return map(Detokeniser(options.language), input_lines(options.text))


def _recase(options: Options) -> Iterator[str]:
    recase = Recaser(options.recaser)
    return (line for lines in in_chunks(input_lines(options.text)) for line in recase(lines))


def parser() -> Parser:
    """The arguments."""
    what = "Tokenises, detokenises and recases text."
    parser = Parser(prog="nlmt text", description=what, epilog=EPILOG)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    what = "normalise, tokenise and, by default, lower-case"
    one = commands.add_parser("tokenise", help=what, description=what)
    one.set_defaults(command=_tokenise)
    _add_language(one)
    case = one.add_mutually_exclusive_group()
    case.add_argument("--casing", choices=("lower", "keep"), default="lower",
                      help="case of the tokens (default: lower)")  # fmt: skip
    case.add_argument("--truecaser", type=IN, metavar="FILE",
                      help="casing/LANGUAGE.gz of a pair: sentences begin as it says")  # fmt: skip
    one.add_argument("--segmenter", choices=SEGMENTERS.names(),
                     help="segmenter of Chinese and Japanese (default: characters)")  # fmt: skip
    _add_text(one)
    what = "make running text of tokens"
    one = commands.add_parser("detokenise", help=what, description=what)
    one.set_defaults(command=_detokenise)
    _add_language(one)
    _add_text(one)
    what = "give lower-cased tokens their case"
    one = commands.add_parser("recase", help=what, description=what)
    one.set_defaults(command=_recase)
    one.add_argument("recaser", type=IN_FOLDER, metavar="FOLDER", help="recaser of a pair")
    _add_text(one)
    return parser


def _add_language(parser: Parser) -> None:
    code = "language code of ISO 639, such as en"
    parser.add_argument("--language", required=True, metavar="CODE", help=code)


def _add_text(parser: Parser) -> None:
    text = "the text, plain or gzip (default: standard input)"
    parser.add_argument("text", type=TEXT_STREAM, nargs="?", default=STANDARD, help=text)
