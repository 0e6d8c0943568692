"""`nlmt crate`: archive a folder of results with their provenance."""

from nlmt.cli.files import IN_FOLDER, OUT
from nlmt.cli.parser import Options, Parser
from nlmt.provenance import Store
from nlmt.provenance.crate import write_crate
from nlmt.workflow.storage import project_path

DESCRIPTION = """\
Writes a folder of finished results as an RO-Crate: a zip file with these files and
ro-crate-metadata.json, which has every job behind them (Process Run Crate): inputs and outputs with
their hashes, parameters, versions, processor and times. Run it in the project's folder; all files
must be current (`nlmt provenance`).
"""
EPILOG = """\
examples:
  nlmt crate results/papers/baltescu2015 --out baltescu2015.zip --licence MPL-2.0
  nlmt crate results/help/fr-en/report --out demo.zip --licence MPL-2.0 --title "French to English"
"""


def run(options: Options) -> None:
    """Write the crate."""
    write_crate(
        options.out,
        Store(verify=True),
        project_path(options.folder),
        title=options.title or f"nlmt: {options.folder.name}",
        description=options.description,
        licence=options.licence,
    )


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt crate", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("folder", type=IN_FOLDER, metavar="FOLDER", help="results, such as results/papers/<paper>")
    add("--out", type=OUT, required=True, help="the zip file")
    add(
        "--licence",
        required=True,
        metavar="NAME",
        help="licence of the results: a name or an address",
    )
    add("--title", metavar="TEXT", help="title of the crate (default: the folder's name)")
    add("--description", default="Results of machine-translation experiments made with nlmt.",
        metavar="TEXT", help="description of the crate")  # fmt: skip
    return parser
