"""Write the tables of measured figures into the documents, from the frames in docs/results/.

    python tools/write_tables.py

In a document the lines between `<!-- table: NAME -->` and `<!-- end of table -->` are replaced by
the table of that name. Benchmarks write the frames (benchmarks/gpu.sh).
"""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd

DOCS = Path(__file__).parents[1] / "docs"
PLACE = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
PRECISIONS = ("float32", "tf32", "bfloat16")


def frame_of(name: str) -> pd.DataFrame:
    """A frame in docs/results/."""
    return pd.read_csv(DOCS / "results" / name, sep="\t", keep_default_na=False)


def markdown(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def number(text: str) -> str:
    """A measured figure with three digits that count."""
    value = float(f"{float(text):.3g}")
    return f"{value:,.0f}" if value >= 100 else f"{value:g}"


def gpu_training() -> str:
    """Tokens a second of each model on a GPU, by precision."""
    frame = frame_of("gpu-h100.tsv")
    parts = frame["step"].str.rsplit(", ", n=1, expand=True)
    frame["model"], frame["precision"] = parts[0], parts[1]
    trained = frame[frame["precision"].isin(PRECISIONS) & frame["unit"].eq("tokens/s")]
    rows = []
    for model, own in trained.groupby("model", sort=False):
        figures = dict(zip(own["precision"], own["figure"], strict=True))
        share = own["note"].str.split(" of ").str[0]
        best = share[own["figure"].astype(float).idxmax()]
        rows.append([str(model), *(number(figures[p]) for p in PRECISIONS), best])
    return markdown(["model", *PRECISIONS, "share of the ceiling, fastest"], rows)


def gpu_ceilings() -> str:
    """The ceilings measured beside, and the speed of scoring."""
    frame = frame_of("gpu-h100.tsv")
    own = frame[~frame["unit"].isin(["tokens/s", "days"])]
    rows = own[["step", "figure", "unit", "note"]].to_numpy().tolist()
    return markdown(
        ["measured", "figure", "unit", "of"],
        [[step, number(figure), unit, note] for step, figure, unit, note in rows],
    )


def threads() -> str:
    """Tokens a second of the kernel on growing numbers of threads."""
    frame = frame_of("threads-16.tsv")
    parts = frame["step"].str.extract(r"kernel, (?P<model>.*), threads: (?P<threads>\d+)")
    frame = frame.join(parts)
    counts = list(dict.fromkeys(frame["threads"]))
    rows = [
        [str(model), *map(number, own["figure"]), own["note"].iloc[-1].split(" ")[0]]
        for model, own in frame.groupby("model", sort=False)
    ]
    return markdown(["model", *counts, f"{counts[-1]} over {counts[0]}"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "gpu-training": gpu_training,
    "gpu-ceilings": gpu_ceilings,
    "threads": threads,
}


def with_tables(text: str) -> str:
    """The text of a document with its tables as the frames have them."""
    return PLACE.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


def main() -> None:
    """Write the tables of all documents."""
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (new := with_tables(text)) != text:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
