"""The pages of Auli, Galley, Quirk and Zweig (2013): systems, and what a wider search brings.

Table 1 has BLEU of each system; figure 3 shows BLEU, model score and seconds against the size of
n-best lists and the number of states a node.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from nlmt.io.files import write_text
from nlmt.report.figures import BLUE, GREY, RED, figure_as_svg
from nlmt.report.paper import PaperTable, write_page
from nlmt.report.table import COLUMNS, NOT_RUN, write_tsv

KINDS = {"list": ("n-best lists", RED, "s"), "states": ("lattices, states a node", BLUE, "o")}
PANELS = {"bleu": "BLEU", "score": "model score", "seconds": "seconds a sentence"}


def mean_searches(runs: Sequence[Sequence[Mapping[str, Any]]]) -> pd.DataFrame:
    """Figure 3: means over the runs, and the standard deviation of BLEU between them.

    Args:
        runs: of each the searches, the same ones in the same order; `kind`, `size`, `bleu`,
            `score` and `seconds` of each.

    Returns:
        One row a search: `kind`, `size`, `bleu`, `score`, `seconds`, `stdev`.
    """
    rows = []
    for same in zip(*runs, strict=True):
        values = {name: [float(one[name]) for one in same] for name in PANELS}
        spread = float(np.std(values["bleu"], ddof=1)) if len(same) > 1 else 0.0
        means = {name: float(np.mean(some)) for name, some in values.items()}
        rows.append({"kind": same[0]["kind"], "size": same[0]["size"], **means, "stdev": spread})
    return pd.DataFrame.from_records(rows, columns=["kind", "size", *PANELS, "stdev"])


def draw_searches(searches: pd.DataFrame) -> str:
    """The three panels of figure 3 as an `<svg>` element."""

    def draw(figure: Figure) -> None:
        for axes, (name, title) in zip(figure.subplots(1, 3), PANELS.items(), strict=True):
            for kind, (label, color, marker) in KINDS.items():
                some = searches[searches["kind"] == kind]
                sizes, means = some["size"].tolist(), some[name].tolist()
                spread = some["stdev"].tolist() if name == "bleu" else None
                axes.errorbar(
                    sizes, means, spread, color=color, ecolor=GREY, marker=marker, ms=4, lw=1.5,
                    capsize=3, label=label,
                )  # fmt: skip
            axes.spines[["top", "right"]].set_visible(False)
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
            axes.set_xlabel("hypotheses, or states a node")
            axes.set_title(title, fontsize=11)
            axes.grid(alpha=0.3)
            if name == "seconds":
                axes.set_yscale("log")
                axes.yaxis.set_major_formatter("{x:g}")
                axes.yaxis.set_minor_formatter(NullFormatter())
                axes.legend(frameon=False, fontsize=9)

    return figure_as_svg(draw, "searches", (11, 3.6))


def write_search_page(
    folder: Path,
    title: str,
    systems: pd.DataFrame,
    searches: pd.DataFrame,
) -> None:
    """Write table1.tsv, figure3.tsv, figure3.svg and index.html into a folder, each atomically.

    Args:
        folder: where.
        title: heading of the page.
        systems: of `results_table`.
        searches: of `mean_searches`.
    """
    svg = draw_searches(searches)
    columns = {key: heading or "system" for key, heading in COLUMNS.items() if key != "system"}
    note = (
        "Test set, tokenised text without case; mean and standard deviation over tuning runs; "
        "p: paired bootstrap against the baseline."
    )
    table = PaperTable("Table 1: systems", columns, systems, note)
    write_tsv(folder / "table1.tsv", systems.reindex(columns=list(columns), fill_value=NOT_RUN))
    write_tsv(folder / "figure3.tsv", searches)
    write_text(folder / "figure3.svg", f'<?xml version="1.0" encoding="utf-8"?>\n{svg}')
    caption = (
        "Figure 3: the same lattices and weights for all; the n best different translations of the "
        "decoder scored by the model, or the lattice rescored with k states a node. Means over "
        "tuning runs; bars: standard deviation between them."
    )
    about = "After Auli, Galley, Quirk and Zweig (2013), table 1 and figure 3."
    write_page(folder / "index.html", title, about, [table], [(svg, caption)])
