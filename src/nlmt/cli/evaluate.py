"""`nlmt evaluate`: score translations, with significance."""

import logging
from collections.abc import Sequence
from pathlib import Path

from nlmt.cli.arguments import count, positive, read_texts
from nlmt.cli.files import OUT, TEXT
from nlmt.cli.parser import Options, Parser
from nlmt.evaluation import TESTS, EvaluationSet, SystemScores, evaluate_system, read_evaluation_set
from nlmt.evaluation.system import AVERAGE
from nlmt.io.json_files import write_json
from nlmt.report import (
    COMPARISON_COLUMNS,
    METRIC_COLUMNS,
    compare_sentences,
    comparisons_table,
    format_table,
    metrics_table,
    write_side_by_side,
)
from nlmt.text import check_language

log = logging.getLogger(__name__)

DESCRIPTION = """\
Scores tokenised translations by BLEU, TER, chrF and (TER - BLEU) / 2, without case or with --case,
by sacreBLEU's signatures. Several files of translations are runs of one system (seeds of training
and tuning): reported are the mean over the runs, the standard deviation between them, and that due
to the choice of sentences (bootstrap within each run). For a baseline, and any other systems: the
difference of the means, its 95 % interval and two-sided p, for other sentences of the kind and
other runs. --tests adds the p-values that other programs print (docs/evaluation.md says what they
leave out).
"""

EPILOG = """\
Several files after one --reference are several references of the same sentences. For several test
sets give --reference, --hypotheses and the rest once for each: then the average over the sets is
shown, too. With --raw-reference, references as running text, the translations are also detokenised
and scored with sacreBLEU's own tokenisation.

examples:
  nlmt evaluate --reference test.en --hypotheses test.hyp
  nlmt evaluate --reference test.en --hypotheses test.hyp --metrics bleu chrf
  nlmt evaluate --reference test.en.0 test.en.1 test.en.2 test.en.3 --hypotheses test.hyp
  nlmt evaluate --reference test.en --hypotheses nlm/run*/test.hyp --baseline base/run*/test.hyp
  nlmt evaluate --reference test.en --hypotheses rescored/run*/test.hyp \\
      --baseline base/run*/test.hyp --paired baseline --tests bootstrap randomisation
  nlmt evaluate --reference test.en --hypotheses deep/run*/test.hyp --baseline base/run*/test.hyp \\
      --against shallow shallow/run*/test.hyp
  nlmt evaluate --reference nt12.en --hypotheses nt12.hyp --reference nt13.en \\
      --hypotheses nt13.hyp --name newstest2012 --name newstest2013 --json scores.json
"""

SYSTEM, BASELINE = "system", "baseline"
_METRICS = {"bleu": "BLEU", "ter": "TER", "chrf": "chrF", "ter-bleu": "(TER-BLEU)/2"}


def check(options: Options) -> None:
    """Refuse contradictory options."""
    parser, sets = options.parser, len(options.hypotheses)
    for name in ("reference", BASELINE, "raw-reference", "name"):
        given = getattr(options, name.replace("-", "_"))
        if len(given) != sets and (given or name == "reference"):
            parser.error(f"{sets} times --hypotheses, but {len(given)} times --{name}")
    if len({AVERAGE, *options.name}) <= len(options.name):
        parser.error(f"each --name must be another one, and not {AVERAGE}")
    if options.raw_reference and not options.language:
        parser.error("--raw-reference needs --language")
    if options.language:
        check_language(options.language)
    if options.source and not options.side_by_side:
        parser.error("--source needs --side-by-side")
    if options.side_by_side and not (options.source and options.baseline):
        parser.error("--side-by-side needs --source and --baseline")
    runs, others = len(options.hypotheses[0]), _others(options)
    for name in options.paired:
        if name not in others:
            parser.error(f"--paired {name}: there are {', '.join(others) or 'no other systems'}")
    as_many = set(others if options.tests else options.paired)
    for name, given in {**others, SYSTEM: options.hypotheses}.items():
        for files in given:
            if len(files) != (runs if name in {*as_many, SYSTEM} else len(given[0])):
                parser.error(f"{runs} runs, but {len(files)} files of the {name}")


def run(options: Options) -> None:
    """Evaluate, print the table, and write it as JSON if asked to."""
    sets = len(options.hypotheses)
    others = _others(options)
    test_sets = [
        read_evaluation_set(
            options.name[i] if options.name else f"set {i + 1}" if sets > 1 else "test",
            options.hypotheses[i],
            options.reference[i],
            others={name: files[i] for name, files in others.items()},
            raw_references=options.raw_reference[i] if options.raw_reference else [],
            language=options.language,
        )
        for i in range(sets)
    ]
    for one in test_sets:
        _warn_of_running_text(one)
    source = read_texts([options.reference[0][0], options.source])[1] if options.source else []
    scores = evaluate_system(
        SYSTEM,
        test_sets,
        baseline=BASELINE if options.baseline else SYSTEM,
        seeds=range(1, len(options.hypotheses[0]) + 1),
        paired=options.paired,
        tests=options.tests,
        resamples=options.resamples,
        seed=options.seed,
        threads=options.threads,
        metrics=[_METRICS[name] for name in options.metrics],
        case=options.case,
    )
    print(_format(scores))
    if options.json:
        write_json(options.json, scores.to_dict()["scores"])
    if options.side_by_side:
        _write_side_by_side(options.side_by_side, source, test_sets[0])


def _warn_of_running_text(test_set: EvaluationSet) -> None:
    """Log a warning if only one of translations and references seems to be tokenised."""
    found = [_full_stops(lines[0]) for lines in (test_set.hypotheses, test_set.references)]
    if min(found) < 0 < max(found):
        which = ("translations", "references")[found[0] < 0]
        what = "%s: only the %s look tokenised: give both as nlmt text tokenise prints them"
        log.warning(what, test_set.name, which)


def _full_stops(lines: Sequence[str]) -> int:
    """The lines that end in a full stop of its own, less those that end in one behind a word."""
    ends = [line.rstrip()[-2:] for line in lines]
    return sum((1 if end[:1].isspace() else -1) for end in ends if end[1:] == ".")


def _others(options: Options) -> dict[str, list[list[Path]]]:
    """The files of runs of systems to compare with, by name, for each test set."""
    others: dict[str, list[list[Path]]] = {}
    error, sets = options.parser.error, len(options.hypotheses)
    if options.baseline:
        others[BASELINE] = options.baseline
    for name, *files in options.against:
        if name in (SYSTEM, BASELINE) or not files:
            error("--against needs a name, which is not system or baseline, and files")
        others.setdefault(name, []).append(files)
    for name, given in others.items():
        if len(given) != sets:
            error(f"{sets} times --hypotheses, but {len(given)} times --against {name}")
    return others


def _write_side_by_side(page: Path, source: Sequence[str], test_set: EvaluationSet) -> None:
    """Show the first runs of system and baseline."""
    changes = compare_sentences(
        (BASELINE, SYSTEM),
        source,
        test_set.references,
        test_set.others[BASELINE][0],
        test_set.hypotheses[0],
    )
    write_side_by_side(page, changes)


def _format(scores: SystemScores) -> str:
    facts = [scores.to_dict()]
    metrics, comparisons = metrics_table(facts), comparisons_table(facts)
    columns = {**METRIC_COLUMNS, "runs": "runs"}
    del columns["system"]
    if metrics["difference"].isna().all():
        for name in ("difference", "interval", "p_value"):
            del columns[name]
    parts = [format_table(metrics, columns)]
    tests = {f"p_{name}": f"p {name}" for name in TESTS if f"p_{name}" in comparisons}
    # The table above has the baseline, but for further tests.
    others = comparisons if tests else comparisons[comparisons["other"] != BASELINE]
    if len(others):
        names = {name: heading for name, heading in COMPARISON_COLUMNS.items() if name != "system"}
        parts.append(format_table(others, names | tests))
    signatures = dict(zip(metrics["metric"], metrics["signature"], strict=True))
    parts.append("\n".join(f"{name}: {signature}" for name, signature in signatures.items()))
    return "\n\n".join(parts)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt evaluate", description=DESCRIPTION, epilog=EPILOG)

    def add_files(name: str, text: str, required: bool = False) -> None:
        parser.add_argument(
            name, type=TEXT, nargs="+", action="append", default=[], required=required, help=text
        )

    add_files("--hypotheses", "translations, one file per run", required=True)
    add_files("--reference", "one or more references, one file each", required=True)
    add_files("--baseline", "translations of the baseline, one file per run")
    against = parser.add_argument(
        "--against",
        nargs="+",
        action="append",
        default=[],
        metavar=("NAME", "FILE"),
        help="translations of a further system to compare with; may be repeated",
    )
    parser.name_files(against, TEXT, 1)
    add_files("--raw-reference", "references as running text")
    add = parser.add_argument
    add(
        "--language",
        default="",
        help="language of the translations, for detokenisation (en, cs ...)",
    )
    add("--name", action="append", default=[], help="name of the test set")
    add("--metrics", nargs="+", choices=list(_METRICS), default=list(_METRICS), metavar="METRIC",
        help=f"metrics: {', '.join(_METRICS)} (default: all)")  # fmt: skip
    add("--case", action="store_true", help="words count only with the case of the references")
    add(
        "--paired",
        nargs="+",
        default=[],
        metavar="NAME",
        help="other systems (baseline, or a NAME of --against) whose run k shares a model or "
        "n-best lists with run k of the translations",
    )
    add(
        "--tests",
        nargs="+",
        choices=list(TESTS),
        default=[],
        metavar="TEST",
        help="further p-values: bootstrap (Koehn 2004, one-sided), randomisation (Riezler and "
        "Maxwell 2005, as in MultEval)",
    )
    add(
        "--resamples",
        type=positive,
        default=1000,
        help="draws of the sentences (default: 1000)",
    )
    add("--seed", type=count, default=1, help="seed of the draws (default: 1)")
    add("--threads", type=positive, default=1, help="only changes the time")
    add("--side-by-side", type=OUT, help="page with the sentences of the first run"
        " and test set that changed most")  # fmt: skip
    add("--source", type=TEXT, help="the translated text, for that page")
    add("--json", type=OUT, help="write all scores")
    return parser
