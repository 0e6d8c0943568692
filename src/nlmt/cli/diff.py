"""`nlmt diff`: show the first difference between two folders of results, and its size."""

import json
from dataclasses import asdict
from itertools import islice

from nlmt.cli.arguments import count
from nlmt.cli.files import IN_FOLDER
from nlmt.cli.parser import Options, Parser
from nlmt.provenance.compare import Difference, Scores, compare, compare_scores

DESCRIPTION = """\
Compares two folders of results, or the folders of one language pair in each: BLEU of all systems,
and the files that differ, in the order of the pipeline. Look at the first one: later ones follow
from it. JSON is compared by keys, tables by cells, text by lines (compressed or not), anything else
by bytes; times within files, logs and benchmarks are ignored.
"""
EPILOG = """\
The exit status is 0 if nothing differs, 1 otherwise.

examples:
  nlmt diff results ../theirs/results
  nlmt diff results/help/fr-en ../theirs/results/help/fr-en --show 0
"""
_FILES = 20


def run(options: Options) -> int:
    """Print the differences; return 1 if there are any."""
    found = list(compare(options.first, options.second))
    scores = compare_scores(options.first, options.second)
    if options.json:
        content = {
            "differences": [asdict(one) for one in found],
            "scores": [asdict(one) for one in scores],
        }
        print(json.dumps(content, indent=2))
    else:
        _print(found, scores, options.show or None)
    return 1 if found else 0


def _print(found: list[Difference], scores: list[Scores], most: int | None) -> None:
    for one in scores:
        print(f"{one.path}, {one.test_set}: BLEU {_bleu(one)}")
    if not found:
        print("nothing differs")
        return
    print(f"{len(found)} files differ; the first is {found[0].path}")
    for difference in islice(found, most):
        print(f"  {difference.path}: {difference.what}")
    if most is not None and len(found) > most:
        print(f"  ... and {len(found) - most} more (--show 0 shows all)")


def _bleu(scores: Scores) -> str:
    first, second = (
        "none" if value is None else f"{value:.2f}" for value in (scores.first, scores.second)
    )
    if scores.first is None or scores.second is None:
        return f"{first} and {second}"
    if scores.first == scores.second:
        return f"{first}, the same"
    return f"{first} and {second} ({scores.second - scores.first:+.2f})"


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt diff", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("first", type=IN_FOLDER, metavar="A", help="a folder of results")
    add("second", type=IN_FOLDER, metavar="B", help="the other folder")
    add(
        "--show",
        type=count,
        default=_FILES,
        help=f"list the first N files, 0: all (default: {_FILES})",
    )
    add("--json", action="store_true", help="print all differences as JSON")
    return parser
