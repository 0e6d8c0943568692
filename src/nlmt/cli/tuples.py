"""`nlmt tuples`: extract the bilingual tuples of a word-aligned text."""

from nlmt.cli.files import IN, OUT, TEXT
from nlmt.cli.parser import Options, Parser
from nlmt.tuples import extract_tuples

DESCRIPTION = """\
Writes the sequence of the smallest bilingual units of each sentence pair, in the order of the
target, with the source unfolded; docs/tuples.md has the rules. A tuple is a word of the output:
la_maison=the_house. Any language model can be trained on them, and scores n-best lists with
`nlmt rescore --tuple-model`.
"""
EPILOG = """\
examples:
  nlmt tuples --source train.fr --target train.en --alignment aligned.gz --out tuples.gz
  nlmt lm train --config model.yaml --train tuples.gz --dev dev.tuples.gz --out ctm
"""


def run(options: Options) -> None:
    """Write the tuples and print their counts."""
    print(extract_tuples(options.source, options.target, options.alignment, options.out))


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt tuples", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("--source", type=TEXT, required=True, help="tokenised, plain or gzip")
    add("--target", type=TEXT, required=True, help="its translation")
    add("--alignment", type=IN, required=True, help="links source-target: 0-0")
    add("--out", type=OUT, required=True, help="compressed if it ends in .gz")
    return parser
