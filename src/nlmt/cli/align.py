"""`nlmt align`: the word alignment of a bitext."""

from nlmt.alignment import METHODS, AlignedText, align, symmetrise
from nlmt.cli.arguments import count, positive
from nlmt.cli.files import OUT, TEXT
from nlmt.cli.parser import Options, Parser
from nlmt.io.files import scratch_folder

DESCRIPTION = """\
Aligns the words of each sentence pair in both directions (eflomal) and joins them: one line of
links 0-0 1-2, source-target, for each pair. Words are separated by spaces and tabs, and compared in
lower case. The same texts and seed give the same bytes.
"""
EPILOG = """\
Align short texts with `--like`, which uses the training links as priors; for that, keep the links
of both directions (--directed).

examples:
  nlmt align --source train.fr --target train.en --out train.align \\
      --directed train.forward train.reverse
  nlmt align --source dev.fr --target dev.en --out dev.align \\
      --like train.fr train.en train.forward train.reverse
"""


def run(options: Options) -> None:
    """Write the links."""
    with scratch_folder(options.out) as folder:
        forward, reverse = options.directed or (folder / "forward", folder / "reverse")
        align(
            options.source,
            options.target,
            forward,
            reverse,
            like=None if options.like is None else AlignedText(*options.like),
            seed=options.seed,
            threads=options.threads,
        )
        symmetrise(forward, reverse, options.out, options.method)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt align", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("--source", type=TEXT, required=True, help="tokenised, plain or gzip")
    add("--target", type=TEXT, required=True, help="its translation")
    add("--out", type=OUT, required=True, help="compressed if it ends in .gz")
    both = ("FORWARD", "REVERSE")
    what = "write the links of both directions, too"
    add("--directed", type=OUT, nargs=2, metavar=both, help=what)
    what = "a bitext that is already aligned"
    add("--like", type=TEXT, nargs=4, metavar=("SOURCE", "TARGET", *both), help=what)
    default = "grow-diag-final-and"
    what = f"method of joining the directions (default: {default})"
    add("--method", choices=sorted(METHODS.names()), default=default, help=what)
    add("--seed", type=count, default=1, help="seed of sampling (default: 1)")
    add("--threads", type=positive, default=2, help="one per direction (default: 2)")
    return parser
