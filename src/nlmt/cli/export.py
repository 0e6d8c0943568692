"""`nlmt export`: a translation system as one folder that can be carried elsewhere."""

from nlmt.cli.arguments import add_system, add_threads
from nlmt.cli.files import IN_FOLDER, OUT_FOLDER
from nlmt.cli.parser import Options, Parser
from nlmt.translation import SystemsFolder, export_system

DESCRIPTION = """\
Writes all that translation by a system needs into a new folder: moses.ini with tuned weights,
binary tables, language models, weights of rescoring, settings of text. Paths in it are relative, so
that it works wherever it is moved, with nlmt translate and nlmt decode.
"""
EPILOG = """\
Without --system, the best system on the tuning set is taken. The folder appears once
it is complete.

examples:
  nlmt export results/help/fr-en fr-en
  nlmt export results/help/fr-en --system nlm_decoder --run 2 fr-en.nlm_decoder
  nlmt translate fr-en text.fr
"""


def run(options: Options) -> None:
    """Write the folder."""
    systems = SystemsFolder.read(options.folder)
    name = systems.best(options.run) if options.system is None else options.system
    export_system(systems, name, options.run, options.out, threads=options.threads)
    size = sum(path.stat().st_size for path in options.out.rglob("*") if path.is_file())
    print(f"{options.out}: {name}, run {options.run}, {size / 1e6:.1f} MB")


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt export", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("folder", type=IN_FOLDER, metavar="RESULTS", help="folder of a language pair")
    add("out", type=OUT_FOLDER, metavar="FOLDER", help="a new one")
    add_system(parser)
    add_threads(parser)
    return parser
