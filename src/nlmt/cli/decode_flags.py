"""The flags of `nlmt decode`, which are Moses'."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from typing_extensions import override

from nlmt.cli.arguments import metavar_of
from nlmt.cli.files import IN, OUT, OUT_FOLDER, OUT_STREAM, STANDARD, TEXT_STREAM, FileKind
from nlmt.cli.parser import Options, Parser, shown_options
from nlmt.decoder import MinimumRisk, SearchOptions
from nlmt.decoder.ini_search import IDLE, parse_switch
from nlmt.decoder.search_options import MARKUP
from nlmt.errors import UsageError
from nlmt.registry import closest

DESCRIPTION = """Translate tokenised sentences, one per line, with the model of a moses.ini.

Translations go to standard output in the order of the input. Settings that are not given here come
from the moses.ini or are Moses' defaults. Results do not depend on the number of threads. Flags may
have one dash or two; switches may be followed by true or false.
"""
EXAMPLE = """example:
  nlmt decode -f moses.ini -i test.fr -threads 2 -search-algorithm 1 \\
      -cube-pruning-pop-limit 400 -s 400 -n-best-list test.nbest.gz 100 distinct > test.hyp

  nlmt decode -f moses.ini -weights weights.json -i test.fr > test.hyp

An output named - replaces the translations on standard output, as in Moses. docs/decoder.md lists
the differences from Moses.
"""
# The option of the search for each flag that concerns it.
SEARCH_FLAGS = {
    "search_algorithm": "cube_pruning",
    "stack": "stack",
    "cube_pruning_pop_limit": "pop_limit",
    "beam_threshold": "beam_threshold",
    "distortion_limit": "distortion_limit",
    "max_trans_opt_per_coverage": "max_options_per_span",
    "drop_unknown": "drop_unknown",
    "xml_input": "xml_input",
    "monotone_at_punctuation": "monotone_at_punctuation",
    "recombination_context": "recombination_context",
}
# The setting of MinimumRisk for each flag of minimum Bayes risk with a number, type and help.
_RISK_FLAGS: dict[str, tuple[str, type, str]] = {
    "mbr-size": ("size", int, "for -mbr and -lmbr: different translations to choose from (200)"),
    "mbr-scale": ("scale", float, "for -mbr and -lmbr: scale of the scores (1)"),
    "lmbr-p": ("precision", float, "for -lmbr: precision of single words (0.8)"),
    "lmbr-r": ("ratio", float, "for -lmbr: ratio of the precisions of n+1 and n words (0.6)"),
    "lmbr-pruning-factor": ("density", float, "for -lmbr: arcs of the lattice per word (30)"),
    "lmbr-map-weight": ("map_weight", float, "for -lmbr: weight of the best one's score (0)"),
}


def flag_parser() -> "FlagParser":
    """The parser of all flags."""
    parser = FlagParser()
    _add_model(parser)
    _add_search(parser)
    _add_lists(parser)
    _add_graphs(parser)
    _add_risk(parser)
    _add_output(parser)
    return parser


def search_options(search: SearchOptions, flags: Options) -> SearchOptions:
    """The options of the flags; those not given are taken from `search`."""
    given = {option: getattr(flags, flag) for flag, option in SEARCH_FLAGS.items()}
    if given["cube_pruning"] is not None:
        given["cube_pruning"] = given["cube_pruning"] == 1
    return replace(search, **{name: value for name, value in given.items() if value is not None})


def minimum_risk(flags: Options) -> MinimumRisk | None:
    """The settings of the flags of minimum Bayes risk; None without -mbr and -lmbr.

    Raises:
        UsageError: -mbr and -lmbr together, or a setting without its flag.
        InputError: a value that does not fit.
    """
    given = {name: getattr(flags, name.replace("-", "_")) for name in _RISK_FLAGS}
    settings = {_RISK_FLAGS[name][0]: value for name, value in given.items() if value is not None}
    if flags.lmbr and flags.mbr:
        raise UsageError("-mbr and -lmbr", hint="choose one of them")
    if flags.lmbr:
        return MinimumRisk(thetas=tuple(flags.lmbr_thetas or ()), **settings)
    unused = [name for name, value in given.items() if value is not None]
    unused += ["lmbr-thetas"] if flags.lmbr_thetas else []
    unused = [name for name in unused if not (flags.mbr and name.startswith("mbr"))]
    if unused:
        needed = "-mbr or -lmbr" if unused[0].startswith("mbr") else "-lmbr"
        raise UsageError(f"-{unused[0]} without {needed}", hint=f"add {needed}")
    return MinimumRisk(lattice=False, **settings) if flags.mbr else None


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Shows each name of a flag once, with one dash."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        values = (
            self._format_args(action, action.dest.upper()) if action.nargs not in (0, "?") else ""
        )
        return f"{', '.join(shown_options(action))} {values}".rstrip()


class FlagParser(Parser):
    """Accepts flags with one dash or two, as Moses does, and only whole names."""

    def __init__(self) -> None:
        super().__init__(
            prog="nlmt decode",
            description=DESCRIPTION,
            epilog=EXAMPLE,
            formatter_class=_Formatter,
            allow_abbrev=False,
            add_help=False,
            usage="nlmt decode -f INI [-i FILE] [flags] > TRANSLATIONS",
        )
        self.names = {"-h", "-help"}
        self.add_argument("-h", "-help", "--help", action="help", help=argparse.SUPPRESS)
        self._open: argparse._ArgumentGroup = self.add_argument_group()

    def group(self, title: str) -> None:
        """Begin a group of flags."""
        self._open = self.add_argument_group(title)

    def flag(self, *names: str, file: tuple[FileKind, int] | None = None, **settings: Any) -> None:
        """Add a flag; `file` is the kind and the position of a file among its values."""
        self.names.update(f"-{name}" for name in names)
        both = [dashes + name for name in names for dashes in ("-", "--")]
        metavar = metavar_of(settings.get("type"))
        named = {"metavar": metavar} if metavar else {}
        action = self._open.add_argument(*both, **named | settings)
        if file is not None:
            kind, place = file
            self.name_files(action, kind, place, place)

    def switch(self, *names: str, **settings: Any) -> None:
        """Add a switch, which may also take true or false."""
        settings = {"default": None, "const": True, "metavar": "", **settings}
        self.flag(*names, nargs="?", type=_switch, **settings)

    def number(self, *names: str, kind: type = int, **settings: Any) -> None:
        """Add a flag with a number."""
        self.flag(*names, type=kind, metavar="N" if kind is int else "X", **settings)

    @override
    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Options | None = None
    ) -> tuple[Options, list[str]]:
        for argument in args or ():
            # argparse would read -foo as -f oo.
            name = re.sub("^--", "-", argument)
            if re.match("-[A-Za-z]", name) and name not in self.names:
                near = closest(name, self.names)
                guess = f", perhaps {near}" if near else ""
                self.error(f"unknown flag {argument}{guess}")
        return super().parse_known_args(args, namespace)

    @override
    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint="nlmt decode --help lists the flags")


def _switch(text: str) -> bool:
    value = parse_switch(text)
    if value is None:
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return value


def _add_model(parser: FlagParser) -> None:
    parser.group("model and input")
    flag = parser.flag
    flag("config", "f", type=IN, metavar="INI", required=True, help="the moses.ini")
    what = "sentences, plain or .gz (standard input)"
    flag("input-file", "i", type=TEXT_STREAM, default=STANDARD, help=what)
    flag(
        "xml-input",
        "xi",
        choices=tuple(MARKUP),
        metavar="POLICY",
        help="treatment of tags in the input: as words (pass-through, the default), dropped "
        "(ignore), or as translations, walls and zones that replace the tables' (exclusive), "
        "compete with them (inclusive) or must be contained in them (constraint)",
    )
    flag(
        "weight-overwrite",
        action="append",
        default=[],
        metavar="WEIGHTS",
        help='replace weights: "LM0= 0.5 TM0= 0.2 x 0.1 x"; x keeps one',
    )
    what = "weights of a weights.json or another moses.ini, instead of those of INI"
    flag("weights", type=IN, help=what)
    parser.switch("show-weights", help="print the weights and end")
    flag("threads", "th", metavar="N", default="1", help="threads, or all (1)")
    parser.number(
        "start-translation-id",
        default=0,
        help="number of the first sentence in lists and graphs (0)",
    )
    parser.number(
        "verbose",
        "v",
        default=0,
        help="1: times and mean score; 2: also the search effort of each sentence",
    )


def _add_search(parser: FlagParser) -> None:
    parser.group("search")
    number = parser.number
    number("search-algorithm", choices=(0, 1), help="0: stacks, 1: cube pruning")
    number("stack", "s", help="hypotheses kept per stack (200); 0: all")
    number(
        "cube-pruning-pop-limit", "cbp", help="hypotheses that cube pruning makes per stack (1000)"
    )
    number(
        "beam-threshold",
        "b",
        kind=float,
        help="keep hypotheses of at least this fraction of a stack's best probability (0.00001)",
    )
    number(
        "distortion-limit",
        "dl",
        help="words from the end of one source phrase to the next; 0: monotone, -1: any",
    )
    parser.switch("monotone-at-punctuation", "mp", help="walls before and after punctuation marks")
    number(
        "recombination-context",
        help="last words that recombined hypotheses must share, if more than the models use; not "
        "in Moses (0)",
    )
    number("ttable-limit", "ttl", help="translations per source phrase of each table; 0: all (20)")
    number(
        "max-trans-opt-per-coverage",
        help="translations per span, from all tables together; 0: all (5000)",
    )
    parser.switch("drop-unknown", "du", help="leave out unknown words, not numbers")


def _add_lists(parser: FlagParser) -> None:
    parser.group("n-best lists")
    parser.flag(
        "n-best-list",
        nargs="+",
        file=(OUT_STREAM, 0),
        metavar="ARG",
        help="FILE N [distinct]: write the N best translations of each sentence; .gz compresses, "
        "- is standard output",
    )
    parser.switch(
        "include-segmentation-in-n-best",
        help="add a column 0-1=0-2: source and target words of each phrase",
    )
    parser.switch(
        "print-alignment-info-in-n-best",
        "include-alignment-in-n-best",
        help="add a column 0-0 1-2: the aligned words",
    )
    parser.switch("labeled-n-best-list", help="name the features, LM0= (true)")


def _add_graphs(parser: FlagParser) -> None:
    parser.group("search graphs and lattices")
    flag = parser.flag
    flag("output-search-graph", "osg", type=OUT, help="write Moses' search graphs")
    flag(
        "output-search-graph-extended",
        "osgx",
        type=OUT,
        help="the same with feature values and source words",
    )
    flag(
        "output-search-graph-hypergraph",
        nargs=3,
        file=(OUT_FOLDER, 2),
        metavar=("true", "gz|txt", "FOLDER"),
        help="write a hypergraph for each sentence",
    )
    flag(
        "output-search-graph-slf",
        type=OUT_FOLDER,
        metavar="FOLDER",
        help="write a lattice in HTK's format for each sentence",
    )
    flag(
        "output-lattice",
        type=OUT,
        help="write all lattices to one file; nlmt lattice reads and converts it",
    )
    parser.number(
        "lattice-beam",
        kind=float,
        help="prune lattices to translations that score at most X below the best (all)",
    )
    parser.number(
        "lattice-density",
        kind=float,
        help="prune lattices to about X phrases per word of the best translation (all)",
    )


def _add_risk(parser: FlagParser) -> None:
    parser.group("minimum Bayes risk")
    parser.switch(
        "mbr",
        "minimum-bayes-risk",
        help="print the translation of least expected loss by BLEU over the n-best list",
    )
    parser.switch(
        "lmbr",
        "lminimum-bayes-risk",
        help="print the translation of the highest gain by lattice MBR, not the best one",
    )
    for name, (_, kind, text) in _RISK_FLAGS.items():
        parser.number(name, kind=kind, help=text)
    parser.flag(
        "lmbr-thetas",
        type=float,
        nargs="+",
        help="for -lmbr: gain of a word and of n-grams of each length, instead of p and r",
    )


def _add_output(parser: FlagParser) -> None:
    parser.group("further output")
    parser.switch("report-segmentation", "t", help="print the words |0-1| of phrases")
    parser.switch("print-alignment-info", help="print ||| 0-0 1-2 after translations")
    parser.flag("alignment-output-file", type=OUT, help="write the aligned words")
    parser.flag("output-unknowns", type=OUT, help="write each sentence's unknown words")
    parser.group("accepted for Moses' command lines, without effect")
    parser.number("inputtype", choices=(0,), help="only 0, text, is supported")
    parser.number("n-best-factor", help="distinct lists are exact without a limit")
    for name in IDLE:
        if name != "description":
            parser.flag(
                name, nargs="?", metavar="", help="no effect: caches are managed automatically"
            )
