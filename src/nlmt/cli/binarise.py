"""`nlmt binarise`: write phrase and reordering tables as one file that the decoder maps."""

from nlmt.cli.arguments import add_threads
from nlmt.cli.files import IN, OUT
from nlmt.cli.parser import Options, Parser
from nlmt.decoder.binary_tables import DEFAULT_MEMORY, binarise_tables, check_binary_table
from nlmt.errors import InputError
from nlmt.ngram.training import memory_bytes

DESCRIPTION = """\
Writes the phrase table and its reordering table as one binary file for tables that do not fit into
memory: the decoder maps it and reads only the pages that it needs. Translations have the same bytes
as with text tables. Every page of the file has a checksum, so damage is found on reading.
"""
EPILOG = """\
In moses.ini the binary file replaces both text tables:
  PhraseDictionaryMemory name=TranslationModel0 num-features=4 path=tables.bin
  LexicalReordering name=LexicalReordering0 type=... path=tables.bin

examples:
  nlmt binarise --phrase-table phrase-table.gz --reordering-table reordering-table.gz \\
      --out tables.bin --memory 4G --threads 2
  nlmt binarise --check tables.bin
"""


def run(options: Options) -> None:
    """Write a binary table, or check one."""
    if options.check is not None:
        check_binary_table(str(options.check))
        print(f"{options.check}: all checksums are right")
        return
    binarise_tables(
        options.phrase_table,
        options.reordering_table,
        options.out,
        memory=options.memory,
        threads=options.threads,
    )


def check(options: Options) -> None:
    """Refuse options that do not fit together; read the size of the memory."""
    if options.check is not None:
        if any((options.phrase_table, options.reordering_table, options.out)):
            raise InputError("--check together with other files", hint="it only reads one table")
    elif options.phrase_table is None or options.out is None:
        raise InputError("nothing to do", hint="--phrase-table FILE --out FILE, or --check FILE")
    options.memory = memory_bytes(options.memory)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt binarise", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("--phrase-table", type=IN, help="text, plain or .gz")
    add("--reordering-table", type=IN, help="reordering scores of the same phrase pairs")
    add("--out", type=OUT, help="the binary table; temporary files go into its folder")
    add(
        "--memory",
        default=f"{DEFAULT_MEMORY >> 30}G",
        metavar="SIZE",
        help="for sorting, such as 500M or 4G; only changes the time (default: %(default)s)",
    )
    add_threads(parser)
    add("--check", type=IN, help="read a binary table and verify its checksums")
    return parser
