"""`nlmt papers`: keep results of the papers in the repository."""

from pathlib import Path

from nlmt.cli.files import IN_FOLDER, OUT_FOLDER
from nlmt.cli.parser import Options, Parser
from nlmt.errors import InputError
from nlmt.papers.publish import VALUES, publish
from nlmt.papers.repetitions import compare_repetitions, reversed_findings
from nlmt.papers.results import write_frame
from nlmt.workflow.project import project_folder

PUBLISH = """\
Writes what a run made of the papers into <out>/<paper>/<scale>/<pair>/: the tables as TSV, the
record of commits, versions, machines and seeds, the time of each job, and, by the present rules,
verdicts, comparisons and figures. The scale is small, medium, full, mini or, of another
configuration, its `task`. Former results of the same paper, scale and pair are replaced, others
stay; with --join, those former tables stay, too, that this run has not made. `make generated`
then writes the page of results.
"""
COMPARE = """\
Prints the verdicts of repetitions with disjoint seeds side by side, and how far their differences
lie apart, in units of what the runs of each let expect: about 1 if the intervals of the runs are
right. Beside it is the range of 90 % of random divisions of the same runs into as many repetitions.
"""
PUBLISHED = Path("docs/results/papers")


def run(options: Options) -> None:
    """Run one of the commands."""
    project = project_folder()
    if not (project / VALUES).exists():
        raise InputError("no such folder", path=VALUES, hint="run it in a checkout of nlmt")
    if options.command == "publish":
        for place in publish(options.results, options.out, project, options.join):
            print(place)
        return
    verdicts, spreads = compare_repetitions([options.one, *options.others], project / VALUES)
    print(verdicts.to_string(index=False))
    for unit, comparisons, deviation, low, high in spreads.itertuples(index=False):
        print(
            f"{unit}: {comparisons} comparisons differ by {deviation:.2f} times what their "
            f"runs let expect (by chance {low:.2f} to {high:.2f})"
        )
    count = len(reversed_findings(verdicts))
    print(f"{count} findings hold in one repetition and are opposite in another")
    if options.out is not None:
        write_frame(options.out / "verdicts.tsv", verdicts)
        write_frame(options.out / "spread.tsv", spreads)


def parser() -> Parser:
    """The arguments."""
    what = "Keeps results of the papers in the repository."
    parser = Parser(prog="nlmt papers", description=what)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    publishing = commands.add_parser(
        "publish", help="write the results of a run into the repository", description=PUBLISH
    )
    add = publishing.add_argument
    add("results", type=IN_FOLDER, metavar="RESULTS", help="results of the workflow")
    add("--out", type=OUT_FOLDER, default=PUBLISHED, help=f"folder (default: {PUBLISHED})")
    what = "keep the former tables of a paper that this run lacks"
    add("--join", action="store_true", help=what)
    comparing = commands.add_parser(
        "compare", help="verdicts of repetitions side by side", description=COMPARE
    )
    add = comparing.add_argument
    add("one", type=IN_FOLDER, metavar="FOLDER", help="folder of publish")
    add("others", type=IN_FOLDER, nargs="+", metavar="OTHER", help="those of other seeds")
    add("--out", type=OUT_FOLDER, help="folder for the same as verdicts.tsv and spread.tsv")
    return parser
