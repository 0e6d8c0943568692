"""The parser of both forms of `nlmt tune`, and their common options."""

from typing import Any

from nlmt.cli.arguments import count, key_and_value, positive
from nlmt.cli.parser import Options, Parser
from nlmt.tuning import OBJECTIVES, TUNERS, LatticeTuner, ListTuner, TunerSettings
from nlmt.tuning.tuners import names_for


def tuner_parser(description: str, epilog: str) -> Parser:
    """A parser of `nlmt tune`; its epilog shows the methods on lists and those on lattices."""
    methods = {"lists": _summaries(ListTuner), "lattices": _summaries(LatticeTuner)}
    return Parser(prog="nlmt tune", description=description, epilog=epilog.format(**methods))


def add_tuner_options(parser: Parser, default: TunerSettings) -> None:
    """Add the options to a parser."""
    add = parser.add_argument
    add("--method", choices=TUNERS.names(), help="see below")
    what = "an option of the method"
    add("--option", type=key_and_value, action="append", default=[], help=what)
    add("--objective", choices=OBJECTIVES.names(), default=default.objective,
        help="default: %(default)s")  # fmt: skip
    add("--tune", nargs="+", default=[], metavar="LABEL", help="features to tune (default: all)")
    add("--left-out", nargs="+", default=[], metavar="LABEL", help="features with weight 0")
    add("--runs", type=positive, default=default.runs, help="mean of N runs (default: %(default)s)")
    add(
        "--restarts",
        type=count,
        default=default.restarts,
        help="random points of MERT (default: %(default)s)",
    )
    add("--seed", type=count, default=1, help="seed of all random numbers (default: 1)")
    add("--threads", type=positive, default=1, help="only changes the time")


def tuner_values(options: Options, method: str, default: TunerSettings) -> dict[str, Any]:
    """The keys of `TunerSettings` from the options; the method's own are added to defaults."""
    own = {**default.options.get(method, {}), **dict(options.option)}
    return {
        "method": method,
        "objective": options.objective,
        "tuned": options.tune,
        "left_out": options.left_out,
        "runs": options.runs,
        "restarts": options.restarts,
        "options": {method: own} if own else {},
    }


def _summaries(kind: type[ListTuner[Any]] | type[LatticeTuner[Any]]) -> str:
    """A line for each method of a kind, and one for its options."""
    width = max(map(len, TUNERS.names()))
    lines = []
    for name in names_for(kind):
        tuner = TUNERS.get(name)
        keys = ", ".join(tuner.options_type.model_fields)
        lines.append(f"  {name:<{width}}  {tuner.summary}")
        if keys:
            lines.append(f"  {'':<{width}}  options: {keys}")
    return "\n".join(lines)
