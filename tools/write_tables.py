"""Write the tables of measured figures into the documents, from the frames in docs/results/.

    python tools/write_tables.py

In a document of docs/ and in README.md the lines between `<!-- table: NAME -->` and
`<!-- end of table -->` are replaced by the table of that name. Benchmarks write the frames
(benchmarks/gpu.sh), and `nlmt papers publish` those of the papers, whose verdicts and figures are
made anew here, by the present rules. demo.txt is what the demo printed. Frames of `FIGURES` are
tables as they are shown, with the machine and the date of each figure.
"""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from nlmt.papers import PAPERS
from nlmt.papers.pages import published_html
from nlmt.papers.provenance import duration
from nlmt.papers.publish import RECORD, derive, published_places, read_published
from nlmt.papers.scales import scales_html

DOCS = Path(__file__).parents[1] / "docs"
PUBLISHED = DOCS / "results/papers"
VALUES = DOCS.parent / "config/papers"  # published values and claims
PLACE = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
FIGURES = (
    *("speed", "scale-tables", "tuning-loop"),
    *("neural-feed-forward", "neural-sentences", "neural-source"),
)
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


def results_of(key: str) -> str:
    """The findings of a paper at each scale and over scales, its figures, and what made them."""
    publications = read_published(PUBLISHED, key, VALUES)
    known = {pair for one in publications for pair in one.records}
    missing = ", ".join(pair for pair in PAPERS.get(key).pairs if pair not in known)
    absent = f"Nothing of {missing} has been published yet.\n" if missing else ""
    if not publications:
        return absent
    made = [
        (f"{key}/{one.scale}/{pair}", one, pair, record)
        for one in publications
        for pair, record in one.records.items()
    ]
    rows = [
        [
            f"[{pair}](results/papers/{place}/{RECORD})",
            one.scale,
            "" if record["words"] is None else f"{record['words']:,}",
            f"{record['jobs']} jobs, {duration(record['cpu_seconds'])} of processor",
            ", ".join(map(str, record["runs"])),
            ", ".join(commit[:10] for commit in record["commits"]),
            "; ".join(processor.partition(" (")[0] for processor in record["processors"]),
        ]
        for place, one, pair, record in made
    ]
    figure = PAPERS.get(key).figure
    title = PAPERS.get(key).tables[figure].title if figure else ""
    pictures = [
        f"![{title}, {pair}, {one.scale}](results/papers/{place}/{figure}.svg)\n"
        for place, one, pair, _ in made
        if (PUBLISHED / place / f"{figure}.svg").exists()
    ]
    findings = [
        part
        for one in publications
        for part in (f"**Scale {one.scale}**\n", published_html(one.results))
    ]
    heads = ["pair", "scale", "words", "took", "seeds", "commit", "on"]
    table = markdown(heads, rows)
    return "\n".join(filter(None, [absent, *findings, scales_html(publications), *pictures, table]))


def figures(name: str) -> str:
    """A frame as it is, and where and when its figures were measured."""
    path = DOCS / "results" / f"{name}.tsv"
    frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    shown = frame.drop(columns=["machine", "date"])
    table = markdown(list(map(str, shown)), shown.to_numpy().tolist())
    origins = dict.fromkeys(zip(frame["date"], frame["machine"], strict=True))
    return table + "".join(f"\nMeasured in {date} on {machine}.\n" for date, machine in origins)


def demo() -> str:
    """The output of the demo."""
    lines = (DOCS / "results/demo.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    return f"```\n{''.join(lines[1:])}```\n"


def reranking() -> str:
    """BLEU on dev2 after each method of reranking, by pair, and its losses, smallest first."""
    frame = frame_of("reranking.tsv")
    bleu = frame.pivot(index="method", columns="setting", values="dev2")
    losses = bleu.max() - bleu
    own = frame.groupby("method")
    facts = own[["deviation", "seconds"]].mean().join(own[["no_gain", "runs"]].sum())
    facts = facts.join(bleu).assign(worst=losses.max(axis=1), mean=losses.mean(axis=1))
    rows = [
        [
            str(row["method"]),
            *(f"{row[key]:.2f}" for key in (*bleu.columns, "worst", "mean", "deviation")),
            f"{row['no_gain']:.0f} of {row['runs']:.0f}",
            f"{row['seconds']:.1f}",
        ]
        for _, row in facts.sort_values(["worst", "mean"]).reset_index().iterrows()
    ]
    pairs = [setting.split(" ")[1] for setting in bleu.columns]
    heads = ["worst loss", "mean loss", "deviation", "no gain", "CPU s"]
    return markdown(["method", *pairs, *heads], rows)


def medium_text() -> str:
    """Words of each package that filters leave out of text for language models."""
    frame = frame_of("medium-text.tsv")
    filters = list(frame.columns[1:])
    rows = [
        [str(row["package"]), *(f"{int(row[name]):,}" for name in filters)]
        for _, row in frame.iterrows()
    ]
    total = [f"{frame[name].astype(int).sum():,}" for name in filters]
    heads = ["package", *(name.replace("_", " ") for name in filters)]
    return markdown(heads, [*rows, ["all", *total]])


def medium_downloads() -> str:
    """Size of each package of scale medium."""
    frame = frame_of("medium-downloads.tsv")
    total = f"{frame['MB'].astype(float).sum():.1f}"
    rows = [[str(package), f"{size:.1f}"] for package, size in frame.to_numpy()]
    return markdown(["package", "MB"], [*rows, ["all", total]])


def medium_bitext() -> str:
    """Sentence pairs of scale medium by the step that leaves them out."""
    frame = frame_of("medium-bitext.tsv")
    rows = [[str(what), *(f"{int(n):,}" for n in counts)] for what, *counts in frame.to_numpy()]
    return markdown([*map(str, frame)], rows)


TABLES: dict[str, Callable[[], str]] = {
    "gpu-training": gpu_training,
    "gpu-ceilings": gpu_ceilings,
    "threads": threads,
    "demo": demo,
    "reranking": reranking,
    "medium-text": medium_text,
    "medium-downloads": medium_downloads,
    "medium-bitext": medium_bitext,
    **{name: partial(figures, name) for name in FIGURES},
    **{f"results-{key}": partial(results_of, key) for key in PAPERS.names()},
}


def with_tables(text: str) -> str:
    """The text of a document with its tables as the frames have them."""
    return PLACE.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


def main() -> None:
    """Write the verdicts and figures of published results, and the tables of all documents."""
    for key in PAPERS.names():
        for place in published_places(PUBLISHED, key):
            derive(place, VALUES)
    for page in sorted([DOCS.parent / "README.md", *DOCS.glob("*.md")]):
        text = page.read_text(encoding="utf-8")
        if (new := with_tables(text)) != text:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
