"""The page of each paper and the front page over all papers, both self-contained."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from nlmt.io.files import read_lines, write_text
from nlmt.papers.changed import RULE, SENTENCES
from nlmt.papers.claim_views import (
    MARKS,
    RULES,
    ClaimView,
    claim_views,
    columns_of_claims,
    counts_of,
)
from nlmt.papers.numbers import deviation, number, probability
from nlmt.papers.paper import PAPERS, Paper
from nlmt.papers.provenance import Part, as_yaml, configuration_text, duration, versions
from nlmt.papers.results import ALL_PAIRS, read_tables, system_of
from nlmt.papers.verdicts import no_comparisons, no_verdicts, read_comparisons, read_verdicts
from nlmt.papers.views import overview_views, table_parts
from nlmt.report.changes import Changes
from nlmt.report.html import render


@dataclass(frozen=True)
class PaperResults:
    """The tables of a paper and the frames of `judge_claims`, which are empty without claims."""

    key: str
    paper: Paper
    pairs: Sequence[str]
    tables: Mapping[str, pd.DataFrame]
    verdicts: pd.DataFrame = field(default_factory=no_verdicts)
    comparisons: pd.DataFrame = field(default_factory=no_comparisons)

    def claims(self) -> list[ClaimView]:
        """Its claims with their verdicts."""
        return claim_views(self.verdicts, self.comparisons, self.pairs)


@dataclass(frozen=True)
class Provenance:
    """Further information on a page's numbers.

    Attributes:
        figures: `<svg>` element of each table that is drawn as a figure.
        parts: the systems and models of the tables, by name.
        run_times: seconds of all jobs of a system or model, by language pair, then by name.
        configuration: the entries of the configuration that belong to the paper.
        changes: of the systems whose sentences are shown, by language pair.
    """

    figures: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    run_times: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    configuration: Mapping[str, Any] = field(default_factory=dict)
    changes: Mapping[str, Sequence[Changes]] = field(default_factory=dict)
    warnings: Sequence[str] = ()


def read_results(key: str, pairs: Sequence[str], paths: Sequence[Path | str]) -> PaperResults:
    """Read the tables of a paper, `<table>.tsv`, and `claims.tsv` and `comparisons.tsv` if any."""
    files = {Path(path).stem: path for path in paths}
    verdicts, comparisons = files.pop("claims", None), files.pop("comparisons", None)
    return PaperResults(
        key,
        PAPERS.get(key),
        pairs,
        read_tables(files.values()),
        no_verdicts() if verdicts is None else read_verdicts(verdicts),
        no_comparisons() if comparisons is None else read_comparisons(comparisons),
    )


def read_figures(paths: Sequence[Path | str]) -> dict[str, str]:
    """The `<svg>` elements of files, by file name without its ending."""
    texts = {Path(path).stem: "\n".join(read_lines(path)) for path in paths}
    return {name: text[text.index("<svg") :] for name, text in texts.items()}


def write_paper_page(path: Path | str, results: PaperResults, provenance: Provenance) -> None:
    """Write the page of a paper: claims and verdicts, tables and figures, their provenance."""
    names = sorted(results.tables, key=lambda name: name != results.paper.figure)  # it comes first
    tables = [_table_view(results, name, provenance) for name in names]
    html = render_view(
        "paper.html.jinja",
        title=results.paper.title,
        about=results.paper.about,
        **_findings(results),
        rules=RULES,
        tables=tables,
        facts=[versions(), f"snakemake --cores all {results.key}"],
        changes={pair: shown for pair, shown in provenance.changes.items() if shown},
        change_rule=RULE,
        sentences=SENTENCES,
        configuration=as_yaml(provenance.configuration),
        warnings=provenance.warnings,
    )
    write_text(path, html)


def write_front_page(
    path: Path | str,
    papers: Sequence[PaperResults],
    overview: pd.DataFrame,
    warnings: Sequence[str] = (),
) -> None:
    """Write the page over all papers: verdicts of all claims, and all systems of `make_overview`.

    Papers without claims show their tables. The summary counts the findings of all papers together.
    """
    verdicts = pd.concat([results.verdicts for results in papers])
    pairs = list(dict.fromkeys(pair for results in papers for pair in results.pairs))
    html = render_view(
        "index.html.jinja",
        title="Four papers, one experiment",
        counts=counts_of(verdicts, pairs),
        papers=[
            {
                "key": r.key,
                "title": r.paper.title,
                **_findings(r),
                "tables": []
                if len(r.verdicts)
                else [_table_view(r, name, Provenance()) for name in r.tables],
            }
            for r in papers
        ],
        overview=overview_views(overview),
        warnings=warnings,
        rules=RULES,
    )
    write_text(path, html)


def _findings(results: PaperResults) -> dict[str, Any]:
    """The claims of a paper, and the number of each verdict and the columns of their matrix."""
    return {
        "claims": results.claims(),
        "counts": counts_of(results.verdicts, results.pairs),
        "columns": columns_of_claims(results.verdicts, results.pairs),
    }


def render_view(template: str, **values: Any) -> str:
    """The text of a template of the papers."""
    filters: dict[str, Callable[..., str]] = {
        "number": number,
        "deviation": deviation,
        "probability": probability,
    }
    return render(template, {**values, "marks": MARKS}, "nlmt.papers", filters)


def _table_view(results: PaperResults, name: str, provenance: Provenance) -> dict[str, Any]:
    """A table as the templates show it: cells by row and column."""
    table, frame = results.paper.tables[name], results.tables[name]
    figure = provenance.figures.get(name, "")
    measured = frame[frame["value"].notna()]
    names = list(dict.fromkeys(system_of(one) for own in measured["part"] for one in own.split()))
    parts = [provenance.parts[name] for name in names if name in provenance.parts]
    return {
        "name": name,
        "title": table.title,
        "short": table.title.partition(":")[0],
        "note": table.note,
        "figure": figure,
        "target": f"results/papers/{results.key}/{name}.tsv",
        "files": [f"{name}.tsv", *([f"{name}.svg", f"{name}.png"] if figure else [])],
        "parts": table_parts(frame, results.pairs, results.paper.trainings),
        "ours": [*results.pairs, ALL_PAIRS],
        "measured": ", ".join(names),
        "facts": _facts(measured, parts, provenance),
        "configuration": configuration_text(parts),
    }


def _facts(measured: pd.DataFrame, parts: Sequence[Part], provenance: Provenance) -> list[str]:
    """Seeds, signatures, machines, run time and versions of a table; none if not measured."""
    if measured.empty:
        return []
    facts = []
    seeds: dict[tuple[int, ...], list[str]] = {}
    for part in parts:
        if part.seeds:
            seeds.setdefault(tuple(part.seeds), []).append(part.name)
    for own, systems in seeds.items():
        facts.append(f"seeds of the runs {', '.join(map(str, own))}: {', '.join(systems)}")
    facts += [text for text in dict.fromkeys(measured["signature"]) if text]
    facts += [f"times: {text}" for text in dict.fromkeys(measured["machine"]) if text]
    used = dict.fromkeys(name for part in parts for name in part.uses)
    for pair, seconds in provenance.run_times.items():
        known = [seconds[name] for name in used if name in seconds]
        if known:
            facts.append(f"run time of all its jobs, {pair}: {duration(sum(known))}")
    return [*facts, versions()]
