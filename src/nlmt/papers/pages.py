"""The page of each paper and the front page over all of them; neither needs anything beside it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import yaml

from nlmt import __version__
from nlmt.experiment.papers import PAPERS, Paper
from nlmt.io.files import read_lines, write_text
from nlmt.papers.numbers import number
from nlmt.papers.results import is_result_frame, read_tables, records
from nlmt.papers.verdicts import (
    Verdict,
    no_comparisons,
    no_verdicts,
    read_comparisons,
    read_verdicts,
)
from nlmt.papers.views import (
    RULES,
    ClaimView,
    TableView,
    claim_views,
    columns_of,
    groups_of,
    summary_of,
)


@dataclass(frozen=True)
class PaperResults:
    """What was made of one paper.

    Attributes:
        key: of the paper.
        paper: its title and tables.
        pairs: language pairs of this experiment.
        tables: frame of each table by name.
        verdicts: of `judge_claims`; empty where the paper has no claims.
        comparisons: of `judge_claims`.
    """

    key: str
    paper: Paper
    pairs: Sequence[str]
    tables: Mapping[str, pd.DataFrame]
    verdicts: pd.DataFrame
    comparisons: pd.DataFrame

    def claims(self) -> list[ClaimView]:
        """Its claims with their verdicts."""
        return claim_views(self.verdicts, self.comparisons, self.pairs)


@dataclass(frozen=True)
class Provenance:
    """What else a page says of its numbers.

    Attributes:
        figures: `<svg>` element of each table that is drawn.
        seeds: of the tuning runs, by system.
        configuration: the entries of the configuration that belong to the paper.
        changes: the pages with the sentences that changed most, `<pair>/.../<system>.html`.
    """

    figures: Mapping[str, str] = field(default_factory=dict)
    seeds: Mapping[str, Sequence[int]] = field(default_factory=dict)
    configuration: Mapping[str, Any] = field(default_factory=dict)
    changes: Sequence[str] = ()


def read_results(key: str, pairs: Sequence[str], paths: Sequence[Path | str]) -> PaperResults:
    """Read the tables of a paper, and the verdicts on its claims if there are any.

    Args:
        key: of the paper.
        pairs: language pairs of this experiment.
        paths: `<table>.tsv` of each table, `claims.tsv` and `comparisons.tsv`.

    Raises:
        InputError: a missing or damaged file.
    """
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
    """The `<svg>` elements of files by the names of these, without their ends."""
    texts = {Path(path).stem: "\n".join(read_lines(path)) for path in paths}
    return {name: text[text.index("<svg") :] for name, text in texts.items()}


def write_paper_page(path: Path | str, results: PaperResults, provenance: Provenance) -> None:
    """Write the page of a paper: claims and verdicts, tables and figures, where they come from."""
    tables = [
        _table_view(results, name, provenance.figures.get(name, "")) for name in results.tables
    ]
    html = (
        _environment()
        .get_template("paper.html.jinja")
        .render(
            title=results.paper.title,
            about=results.paper.about,
            pairs=results.pairs,
            claims=results.claims(),
            summary=summary_of(results.verdicts, results.pairs),
            rules=RULES,
            tables=tables,
            facts=_facts(results, provenance),
            changes={_change_name(change): _address(change, path) for change in provenance.changes},
            configuration=yaml.safe_dump(
                _plain(provenance.configuration),
                sort_keys=False,
                default_flow_style=None,
                width=100,
            ),
        )
    )
    write_text(path, html)


def write_front_page(path: Path | str, papers: Sequence[PaperResults]) -> None:
    """Write the page over all papers: verdicts of all claims, and all systems."""
    verdicts = pd.concat([results.verdicts for results in papers], ignore_index=True)
    counts = [
        {
            "key": results.key,
            "paper": results.key,
            "pair": pair,
            "counts": [
                int(((results.verdicts["pair"] == pair)
                     & (results.verdicts["verdict"] == verdict.value)).sum())
                for verdict in Verdict
            ],
        }
        for results in papers
        for pair in results.pairs
    ]  # fmt: skip
    html = (
        _environment()
        .get_template("index.html.jinja")
        .render(
            title="Four papers, one experiment",
            summary=summary_of(verdicts, list(dict.fromkeys(p for r in papers for p in r.pairs))),
            verdicts=[verdict.value for verdict in Verdict],
            counts=counts,
            papers=[
                {"key": r.key, "title": r.paper.title, "pairs": r.pairs, "claims": r.claims()}
                for r in papers
            ],
            systems=_systems(papers),
            rules=RULES,
        )
    )
    write_text(path, html)


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("nlmt.papers"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )


def _table_view(results: PaperResults, name: str, figure: str) -> TableView:
    table, frame = results.paper.tables[name], results.tables[name]
    files = [f"{name}.tsv", *([f"{name}.svg", f"{name}.png"] if figure else [])]
    common: dict[str, Any] = {
        "name": name,
        "title": table.title,
        "note": table.note,
        "figure": figure,
        "target": f"results/papers/{results.key}/{name}.tsv",
        "files": files,
    }
    if not is_result_frame(frame):
        headings = [table.columns.get(column, column) for column in frame.columns]
        values = [[str(value) for value in row] for row in frame.itertuples(index=False)]
        return TableView(headings=headings, frame=values, **common)
    columns = columns_of(frame)
    measured = frame[frame["value"].notna()]
    return TableView(
        columns=columns,
        groups=groups_of(frame, columns, results.pairs),
        parts=", ".join(dict.fromkeys(measured["part"])),
        **common,
    )


def _facts(results: PaperResults, provenance: Provenance) -> list[str]:
    """Versions, seeds, signatures and machines."""
    frames = [frame for frame in results.tables.values() if is_result_frame(frame)]
    cells = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    facts = [f"nlmt {__version__}", f"snakemake --cores all {results.key}"]
    seeds: dict[tuple[int, ...], list[str]] = {}
    for system, own in provenance.seeds.items():
        seeds.setdefault(tuple(own), []).append(system)
    for own, systems in seeds.items():
        facts.append(f"tuning seeds {', '.join(map(str, own))}: {', '.join(systems)}")
    if len(cells):
        facts += [text for text in dict.fromkeys(cells["signature"]) if text]
        facts += [f"times: {text}" for text in dict.fromkeys(cells["machine"]) if text]
    return facts


def _change_name(change: str) -> str:
    """Pair and system of a page with changed sentences."""
    path = Path(change)
    return f"{path.parents[2].name} {path.stem}"


def _address(target: str, page: Path | str) -> str:
    """Where a file is, as seen from a page."""
    return os.path.relpath(target, Path(page).parent)


def _systems(papers: Sequence[PaperResults]) -> dict[str, list[dict[str, Any]]]:
    """BLEU of every system of all papers' tables, by pair, the best first."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for results in papers:
        for name, frame in results.tables.items():
            if not is_result_frame(frame):
                continue
            # Searches, which share a system, have no signature.
            scored = (frame["unit"] == "BLEU") & frame["value"].notna() & (frame["signature"] != "")
            cells = frame[scored & ~frame["column"].str.startswith("dev")]
            for row in records(cells):
                system = found.setdefault(row["pair"], {}).setdefault(
                    row["part"],
                    {
                        "name": row["part"],
                        "bleu": row["value"],
                        "value": number(row["value"], "BLEU"),
                        "spread": number(row["stdev"], "BLEU"),
                        "places": [],
                    },
                )
                if (results.key, name) not in system["places"]:
                    system["places"].append((results.key, name))
    return {
        pair: sorted(systems.values(), key=lambda system: -system["bleu"])
        for pair, systems in found.items()
    }


def _plain(value: Any) -> Any:
    """Mappings and lists as YAML writes them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
