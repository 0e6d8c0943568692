"""`nlmt translate`: raw text in, text out, by a system of the workflow."""

import logging
import sys
from collections.abc import Iterator

from nlmt.cli.arguments import add_system, add_threads, positive, warn_of_unknown_words
from nlmt.cli.files import IN_FOLDER, STANDARD, TEXT_STREAM, input_lines
from nlmt.cli.parser import Options, Parser
from nlmt.steps import hidden_steps, step
from nlmt.translation import BATCH, Translation, Translator

DESCRIPTION = """\
Translates raw text, a sentence a line, as a system of the workflow does: it prepares the text as it
did the training text, decodes with the tuned weights, rescores where the system does, and gives the
translation its case and spaces. A line in is a line out; of one without words, an empty one.
"""
EPILOG = """\
The folder is that of a language pair, results/TASK/SOURCE-TARGET, or one of nlmt export. Without
--system, the best system on the tuning set translates (docs/translate.md).

With --n-best each line has the number of its sentence, from 0, the text and the system's score.
--alignment adds the tokens of source and translation, and pairs of their numbers.

examples:
  echo "Cliquez sur l'icône Enregistrer." | nlmt translate results/help/fr-en
  nlmt translate results/help/fr-en --system nlm_decoder text.fr > text.en
  nlmt translate results/help/fr-en --n-best 10 --unknown mark text.fr
"""


def check(options: Options) -> None:
    """Refuse contradictory options."""
    if options.alignment and options.unknown == "drop":
        options.parser.error("--alignment counts all words: it does not go with --unknown drop")


def run(options: Options) -> None:
    """Translate, and print line by line."""
    logging.getLogger().setLevel(logging.WARNING)  # no counts of each batch's scores
    path = options.text
    translator = Translator.load(
        options.folder,
        options.system,
        run=options.run,
        threads=options.threads,
        unknown=options.unknown,
    )
    typed = path == STANDARD and sys.stdin.isatty()
    source = "standard input" if path == STANDARD else path
    found = translator.translations(
        input_lines(path), options.n_best, batch=1 if typed else BATCH, source=source
    )
    words = unknown = 0
    with hidden_steps(), step("translate") as progress:
        for number, several in enumerate(found):
            for one in several:
                print(*_columns(one, number, options), sep=" ||| ", flush=typed)
            for one in several[:1]:
                words += len(one.source.split())
                unknown += len(one.unknown)
            progress.done += 1
    warn_of_unknown_words(unknown, words, "is it in the system's source language, and raw text?")


def _columns(one: Translation, number: int, options: Options) -> Iterator[str]:
    """The columns of a translation's line."""
    listed = options.n_best > 1
    if listed:
        yield str(number)
    yield one.text
    if listed:
        yield f"{one.score:.4f}"
    if options.alignment:
        yield from (one.source, one.target, one.alignment)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt translate", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add(
        "folder",
        type=IN_FOLDER,
        metavar="FOLDER",
        help="results of a language pair, or nlmt export's",
    )
    add(
        "text",
        type=TEXT_STREAM,
        nargs="?",
        default=STANDARD,
        help="raw text, plain or gzip (default: standard input)",
    )
    add_system(parser)
    add("--n-best", type=positive, default=1, help="translations of a sentence (default: 1)")
    add("--alignment", action="store_true", help="print tokens and word alignment, too")
    add(
        "--unknown",
        choices=("keep", "drop", "mark"),
        default="keep",
        help="words without a translation: copied, left out, or in brackets (default: keep)",
    )
    add_threads(parser)
    return parser
