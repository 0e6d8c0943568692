"""`nlmt evaluate`: BLEU, TER and chrF of translations, and whether they beat a baseline's."""

import argparse
import json
from pathlib import Path

from nlmt.cli.arguments import positive, read_texts
from nlmt.evaluation import EvaluationSet, SystemScores, evaluate_system
from nlmt.io.files import read_lines, write_text
from nlmt.report import METRIC_COLUMNS, format_table, metric_rows, write_side_by_side

DESCRIPTION = """\
Scores tokenised translations by BLEU, TER and chrF without case, with sacreBLEU's signatures.
Several files of translations are runs of one system (seeds of tuning): given are the mean over the
runs, the standard deviation between them, and that which the choice of the sentences causes
(bootstrap within each run). Against a baseline with as many runs: the difference of the means,
p of the paired bootstrap (one-sided) and p of approximate randomisation over all runs (two-sided).
"""

EPILOG = """\
For several test sets give --reference, --hypotheses and the rest once for each: then the average
over the sets is shown too. With --raw-reference, references as running text, the translations are
detokenised and scored once more with sacreBLEU's own tokenisation.

examples:
  nlmt evaluate --reference test.en --hypotheses test.hyp
  nlmt evaluate --reference test.en --hypotheses nlm/run*/test.hyp --baseline base/run*/test.hyp
  nlmt evaluate --reference nt12.en --hypotheses nt12.hyp --reference nt13.en \\
      --hypotheses nt13.hyp --name newstest2012 --name newstest2013 --json scores.json
"""


def run(arguments: list[str]) -> int:
    """Evaluate, print the table, and write it as JSON if asked to."""
    parser = _parser()
    options = parser.parse_args(arguments)
    sets = len(options.hypotheses)
    for name in ("reference", "baseline", "raw_reference", "name"):
        given = getattr(options, name)
        if len(given) != sets and (given or name == "reference"):
            parser.error(f"{sets} times --hypotheses, but {len(given)} times --{name}")
    if options.raw_reference and not options.language:
        parser.error("--raw-reference needs --language")
    if options.side_by_side and not (options.source and options.baseline):
        parser.error("--side-by-side needs --source and --baseline")
    scores = evaluate_system(
        "system",
        [
            EvaluationSet(
                options.name[i] if options.name else f"set {i + 1}" if sets > 1 else "test",
                read_texts(options.hypotheses[i]),
                read_texts(options.baseline[i]) if options.baseline else [],
                read_texts(options.reference[i]),
                read_texts(options.raw_reference[i]) if options.raw_reference else [],
                options.language,
            )
            for i in range(sets)
        ],
        baseline="baseline" if options.baseline else "system",
        seeds=range(1, len(options.hypotheses[0]) + 1),
        resamples=options.resamples,
        seed=options.seed,
        threads=options.threads,
    )
    print(_format(scores))
    if options.json:
        write_text(options.json, json.dumps(scores.to_dict()["scores"], indent=2) + "\n")
    if options.side_by_side:
        write_side_by_side(
            options.side_by_side,
            ("baseline", "system"),
            list(read_lines(options.source)),
            read_texts(options.reference[0]),
            list(read_lines(options.baseline[0][0])),
            list(read_lines(options.hypotheses[0][0])),
        )
    return 0


def _format(scores: SystemScores) -> str:
    rows = metric_rows([scores.to_dict()])
    columns = {**METRIC_COLUMNS, "runs": "runs"}
    del columns["system"]
    if rows[0]["difference"] is None:
        columns = {name: columns[name] for name in columns if not name.startswith(("p_", "diff"))}
    signatures = {row["metric"]: row["signature"] for row in rows}
    lines = [f"{name}: {signature}" for name, signature in signatures.items()]
    return "\n".join([format_table(rows, columns), "", *lines])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nlmt evaluate",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )

    def add_files(name: str, text: str, required: bool = False) -> None:
        parser.add_argument(
            name,
            type=Path,
            nargs="+",
            action="append",
            default=[],
            metavar="FILE",
            required=required,
            help=text,
        )

    add_files("--hypotheses", "translations, a file a run", required=True)
    add_files("--reference", "one or more sets of references", required=True)
    add_files("--baseline", "translations of the baseline, as many runs")
    add_files("--raw-reference", "references as running text")
    add = parser.add_argument
    add("--language", default="", help="of the translations, to detokenise them (en, cs ...)")
    add("--name", action="append", default=[], help="of the test set")
    add("--resamples", type=positive, default=1000, metavar="N", help="trials (default: 1000)")
    add("--seed", type=int, default=1, metavar="N", help="of the trials (default: 1)")
    add("--threads", type=positive, default=1, metavar="N", help="changes the time only")
    add("--side-by-side", type=Path, metavar="FILE", help="page of the sentences of the first run"
        " and test set that changed most")  # fmt: skip
    add("--source", type=Path, metavar="FILE", help="what was translated, for that page")
    add("--json", type=Path, metavar="FILE", help="write all scores")
    return parser
