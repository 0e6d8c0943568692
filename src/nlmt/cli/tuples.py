"""`nlmt tuples`: the bilingual tuples of a word-aligned text."""

import argparse
from pathlib import Path

from nlmt.tuples import extract_tuples

DESCRIPTION = """\
Writes the sequence of the smallest bilingual units of each sentence pair, in the order of the
target, the source unfolded; docs/tuples.md has the rules. A tuple is a word of the output:
la_maison=the_house. Any language model can be trained on it, and scores n-best lists with
`nlmt rescore --tuple-model`.
"""
EPILOG = """\
examples:
  nlmt tuples --source train.fr --target train.en --alignment aligned.gz --out tuples.gz
  nlmt lm train --config model.yaml --train tuples.gz --dev dev.tuples.gz --out ctm
"""


def run(arguments: list[str]) -> int:
    """Write the tuples and print their counts."""
    options = _parser().parse_args(arguments)
    print(extract_tuples(options.source, options.target, options.alignment, options.out))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nlmt tuples",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--source", type=Path, required=True, metavar="FILE", help="tokenised, plain or gzip")
    add("--target", type=Path, required=True, metavar="FILE", help="its translation")
    add("--alignment", type=Path, required=True, metavar="FILE", help="links source-target: 0-0")
    add("--out", type=Path, required=True, metavar="FILE", help="compressed if it ends in .gz")
    return parser
