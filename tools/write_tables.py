"""Write the tables of measured figures into the documents, from the frames in docs/results/.

    python -m tools.write_tables

In a document of docs/ and in README.md the lines between `<!-- table: NAME -->` and
`<!-- end of table -->` are replaced by the table of that name. Frames are written by benchmarks
(`python -m benchmarks NAME --frames docs/results` writes NAME.tsv), those of scale medium by
tools/medium_frames.py, and those of the papers by `nlmt papers publish`, whose verdicts and figures
are made again here, by the present rules; findings.svg has all verdicts. demo.txt is what the demo
printed; the needs of the rules are those of the points that tools/measure_needs.py writes.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pandas as pd

from nlmt.io.json_files import read_json
from nlmt.needs.curves import fit
from nlmt.needs.page import needs_table
from nlmt.papers import PAPERS
from nlmt.papers.numbers import number as in_digits
from nlmt.papers.provenance import duration
from nlmt.papers.publish import derive, published_places, read_publications
from nlmt.papers.published import read_published
from nlmt.papers.published_runs import RECORD
from nlmt.papers.results import records
from nlmt.papers.scales import published_html, scores_html
from tools import paper_times
from tools.draw_findings import findings_svg

DOCS = Path(__file__).parents[1] / "docs"
PUBLISHED = DOCS / "results/papers"
FINDINGS = DOCS / "findings.svg"
VALUES = DOCS.parent / "config/papers"  # published values and claims
PLACE = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
ORIGIN = ("machine", "date", "commit", "yardstick: lmplz -o 5")
# Benchmarks that have figures of existing tools.
BESIDE = ("decoder", "tuning", "phrases", "classes", "neural", "neural_softmax")
INSIDE, ALONE = "KenLM and nce", ("KenLM alone", "")
NCE, GRU = "`nce`, 10 samples, the defaults", "`gru`, `likelihood`, dropout 0.2, 3 epochs"
KENLM = "KenLM, order 5"
SCORE = "mean model score"
SPREADS = {"max": "largest", "mean": "mean"}
POWERS = (1.0, *(twentieth / 20 for twentieth in range(4, 41)))  # of a text's size
SLOWEST = 8  # scripts that are shown
# pairs, whether of all papers together, cores, most minutes
GOALS = (
    ("fr-en", False, 2, 25),
    ("all pairs", True, 2, 240),
    ("all pairs", True, 32, 25),
)
# label; benchmark, step and setting of a figure; step and setting of the one it is divided by
RATIOS = (
    ("decoding, neural model unnormalised", "decoder_neural", (INSIDE, "unnormalised"), ALONE),
    ("decoding, normalised by classes", "decoder_neural", (INSIDE, "normalised"), ALONE),
    ("the same with kept scores", "decoder_neural", (INSIDE, "normalised, again"), ALONE),
    ("perplexity, NCE after 3 epochs", "neural", (NCE, "after 3 epochs"), (KENLM, "at best")),
    ("perplexity, NCE at best", "neural", (NCE, "at best"), (KENLM, "at best")),
    ("perplexity, GRU after 3 epochs", "neural_sentences", (GRU, "dev"), (KENLM, "dev")),
)


def frame_of(name: str) -> pd.DataFrame:
    """A frame in docs/results/, as text."""
    path = DOCS / "results" / f"{name}.tsv"
    return pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)


def measured(name: str) -> pd.DataFrame:
    """The figures of a benchmark."""
    frame = frame_of(name)
    return frame[~frame["step"].isin(ORIGIN)]


def origins(*names: str) -> str:
    """The benchmarks that measured some figures, where and when."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(place(name), []).append(name)
    return "".join(
        f"\nMeasured by `python -m benchmarks {' '.join(own)}` on {where}.\n"
        for where, own in groups.items()
    )


def place(name: str) -> str:
    """The machine that measured a frame, its speed, and when."""
    frame = frame_of(name)
    facts = dict(frame.loc[frame["step"].isin(ORIGIN), ["step", "figure"]].to_numpy().tolist())
    machine, date, commit, lmplz = (facts.get(key, "") for key in ORIGIN)
    machine = re.sub(r" \([^)]*\)", "", machine)  # without the instructions of the processor
    if lmplz:
        machine += f", where `lmplz` takes {lmplz} CPU s"
    return f"{machine} ({_joined([date, commit])})"


def _joined(names: Iterable[str]) -> str:
    return ", ".join(filter(None, names))


def markdown(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def number(text: str) -> str:
    """A figure with at most three digits that count."""
    value = float(f"{float(text):.3g}")
    if value >= 100:
        return f"{value:,.0f}"
    return text if len(text.replace(".", "").lstrip("0")) <= 3 else f"{value:#.3g}"


def shown(figures: Iterable[str]) -> str:
    """A figure, or the range of repeated ones."""
    ends = [number(text) for text in sorted(figures, key=float)]
    return ends[0] if ends[0] == ends[-1] else f"{ends[0]} to {ends[-1]}"


def grid(frame: pd.DataFrame, head: str, down: list[str], across: list[str]) -> str:
    """A table of figures, whose rows and columns are named by columns of the frame."""
    rows, columns = (frame[names].agg(_joined, axis=1) for names in (down, across))
    cells = frame["figure"].groupby([rows, columns]).agg(shown).unstack(fill_value="")
    cells = cells.loc[rows.unique(), columns.unique()]
    return markdown([head, *cells.columns], cells.itertuples())


def benchmark(name: str, head: str, down: list[str], across: list[str], unit: str = "") -> str:
    """The figures of a benchmark, those of one unit or all, and where they were measured."""
    frame = measured(name)
    own = frame[frame["unit"] == unit] if unit else frame
    return grid(own, head, down, across) + origins(name)


def speed() -> str:
    """Figures of existing tools and ours."""
    rows = []
    for name in BESIDE:
        frame = measured(name)
        own = frame[frame["reference_figure"].ne("") & ~frame["unit"].isin(["perplexity", "BLEU"])]
        for (step, setting, unit), found in own.groupby(["step", "setting", "unit"], sort=False):
            figures = [f"{shown(found[key])} {unit}" for key in ("reference_figure", "figure")]
            rows.append([_joined([step, setting]), found["reference_tool"].iloc[0], *figures])
    for label, name, above, below in RATIOS:
        once = measured(name).drop_duplicates(["step", "setting"])
        frame = once.set_index(["step", "setting"]).sort_index()
        figures = []
        for key in ("reference_figure", "figure"):
            over, under = (frame.at[place, key] for place in (above, below))
            ratio = number(f"{float(over) / float(under):.2f}") if over else ""
            figures.append(ratio and f"{ratio} times KenLM's")
        rows.append([label, frame.at[above, "reference_tool"], *figures])
    names = dict.fromkeys([*BESIDE, *(name for _, name, *_ in RATIOS)])
    lmplz = frame_of(BESIDE[0]).set_index("step").at[ORIGIN[-1], "reference_figure"]
    return (
        markdown(["step", "existing tool", "its figure", "nlmt"], rows)
        + f"\nExisting tools were measured where `lmplz` takes {lmplz} CPU s, unless their column "
        "says otherwise.\n" + origins(*names)
    )


def false_alarms() -> str:
    """Percentages of simulated experiments, by design; ranges over the sizes of test sets."""
    frame = measured("false_alarms").set_index("step")
    experiments = int(frame.at["experiments", "figure"])
    frame = frame.drop("experiments").reset_index()
    designs = frame["step"].str.partition(", ")
    table = grid(frame.assign(step=designs[0]), "design", ["step", "setting"], ["unit"])
    sizes = " / ".join(designs[2].str.removesuffix(" sentences").unique())
    share = 196 * (0.05 * 0.95 / experiments) ** 0.5
    return (
        f"{table}\nPer cent of {experiments:,} simulated experiments ({experiments // 2:,} for "
        f"coverage and power), with test sets of {sizes} sentences; a share of 5 per cent is known "
        f"to {share:.1f} points.\n"
    )


def gpu_training() -> str:
    """Tokens a second of each model on a GPU, by precision."""
    frame = measured("neural_gpu")
    paces = frame[frame["unit"] == "tokens/s"]
    fastest = paces["figure"].astype(float).groupby(paces["step"]).idxmax()
    shares = frame[frame["unit"] == "% of the ceiling"].merge(
        paces.loc[fastest, ["step", "setting"]], on=["step", "setting"]
    )
    shares = shares.assign(setting="% of the ceiling, fastest")
    return grid(pd.concat([paces, shares]), "model", ["step"], ["setting"]) + origins("neural_gpu")


def gpu_ceilings() -> str:
    """The ceilings measured beside, and the speed of scoring."""
    frame = measured("neural_gpu")
    own = frame[~frame["unit"].isin(["tokens/s", "% of the ceiling", "days"])]
    rows = own[["step", "setting", "figure", "unit", "note"]].to_numpy().tolist()
    return markdown(
        ["measured", "figure", "unit", "of"],
        (
            [_joined([step, setting]), number(figure), *rest]
            for step, setting, figure, *rest in rows
        ),
    )


def gpu_sizes() -> str:
    """Size of each model in training, and days of an epoch at the pace of a GPU."""
    frame = measured("neural_gpu")
    sizes = frame.loc[frame["unit"] == "tokens/s", ["step", "note"]].drop_duplicates("step")
    days = frame.loc[frame["unit"] == "days", ["step", "setting", "figure"]].merge(sizes, on="step")
    rows = days[["step", "note", "figure"]].to_numpy().tolist()
    return markdown(["model", "size", f"days for {days['setting'].iloc[0]}"], rows)


def cpu_training() -> str:
    """Speed and costs of each model on a processor, in per cent of ceilings, and the ceilings."""
    frame = measured("neural_cpu")
    ceiling = frame["unit"].isin(["GFLOP/s", "GB/s"])
    rates = frame.loc[ceiling, ["step", "figure", "unit"]].to_numpy().tolist()
    found = ", ".join(f"{step} {number(figure)} {unit}" for step, figure, unit in rates)
    table = grid(frame[~ceiling], "model", ["step"], ["unit"])
    return f"{table}\nCeilings: {found}.\n{origins('neural_cpu')}"


def scale() -> str:
    """Time, memory and disk of each rule at growing sizes, with powers of the text."""
    frame = measured("scale")
    settings = frame["setting"].unique()
    pairs = [int(setting.split(" ")[0].replace(",", "")) for setting in settings]
    cells = frame.pivot(index=["unit", "step"], columns="setting", values="figure")[settings]

    def row(rule: str) -> Iterator[str]:
        yield f"`{rule}`"
        for unit in frame["unit"].unique():
            figures = list(cells.loc[unit, rule])
            yield " / ".join(map(number, figures))
            yield growth([*zip(pairs, map(float, figures), strict=True)])

    heads = ["rule", *(head for unit in frame["unit"].unique() for head in (unit, "power"))]
    return (
        f"{' / '.join(settings)}:\n\n"
        + markdown(heads, map(row, frame["step"].unique()))
        + f"\nMeasured by `python -m benchmarks.scale {pairs[-1]} FOLDER` on {place('scale')}.\n"
    )


def growth(points: list[tuple[float, float]]) -> str:
    """The power c of a + b n^c through points, if b n^c is at least half of the last one."""
    if min(figure for _, figure in points) <= 0:
        return ""
    curve, size = fit(points, POWERS), points[-1][0]
    return f"{curve.power:.2f}" if 2 * curve.fixed <= curve.at(size) else ""


def times_at(scale: str) -> str:
    """Time of the papers by stage, simulated on more and fewer cores."""
    frame = times_of_papers(scale)
    if scale != "small":
        frame = frame[frame["setting"] == paper_times.PAIR]  # the only pair
    table = grid(frame, "papers, pairs", ["step", "setting"], ["unit"])
    made = [read_json(place / RECORD) for place in of_papers(scale).values()]
    on = sorted({name.partition(" (")[0] for record in made for name in record["processors"]})
    begun = sorted(record["begun"][:10] for record in made)
    days = " to ".join(dict.fromkeys([begun[0], begun[-1]]))
    return f"{table}\nRun on {'; '.join(on)} ({days}).\n"


def of_papers(scale: str) -> dict[str, Path]:
    """The publication of each paper at a scale that has one."""
    places = {key: PUBLISHED / key / scale / paper_times.PAIR for key in paper_times.KEYS}
    return {key: place for key, place in places.items() if place.exists()}


def times_of_papers(scale: str) -> pd.DataFrame:
    """The times of the papers, in the form of a benchmark's figures."""
    return pd.DataFrame(paper_times.published_times(of_papers(scale)))


def reached() -> str:
    """The goals of speed, what was reached, and whether that is enough."""
    rows: list[tuple[str, str, str, bool]] = []
    frame = times_of_papers("small").astype({"figure": float})
    for setting, of_all, cores, most in GOALS:
        own = frame[
            (frame["step"].str.startswith("all ") == of_all) & (frame["setting"] == setting)
        ]
        minutes = own[own["unit"] == f"min on {cores} cores"].set_index("step")["figure"]
        least = ""
        if minutes.empty:  # without the times of jobs: no cores are faster than this
            least = "at least "
            minutes = own[own["unit"] == "CPU min"].set_index("step")["figure"] / cores
        if not minutes.empty:
            what, goal = f"{minutes.idxmax()}, {setting}", f"at most {most} min on {cores} cores"
            rows.append((what, goal, f"{least}{minutes.max():.0f}", minutes.max() <= most))
    frame = beside("decoder_moses2").drop_duplicates(["step", "unit"], keep="last")
    for one in frame[frame["unit"] != SCORE].itertuples():
        what, goal = f"decoding, {one.step}: {one.unit}", "3 times as fast as Moses2"
        rows.append((what, goal, f"{one.times:.1f}", one.times >= 3))
    frame = measured("decoder_neural").set_index(["step", "setting"])
    inside = frame.at[(INSIDE, "unnormalised"), "figure"]
    what = "decoding with a neural model inside"
    rows.append((what, "at most 1.5 times KenLM's time", inside, float(inside) <= 1.5))
    frame = measured("neural_cpu")
    frame = frame[frame["unit"].str.startswith("% of ")].astype({"figure": float})
    binding = frame.loc[frame.groupby("step", sort=False)["figure"].idxmax()]
    goal = "over half of the ceiling that binds"
    for one in binding.itertuples():
        share = f"{one.figure:.0f} {one.unit}"
        rows.append((f"training, {one.step}", goal, share, one.figure > 50))
    return markdown(
        ["", "goal", "reached", ""],
        ([*one, "met" if met else "missed"] for *one, met in rows),
    )


def beside(name: str) -> pd.DataFrame:
    """The figures of a benchmark, and how many times ours the reference's are."""
    frame = measured(name)
    times = frame["reference_figure"].astype(float) / frame["figure"].astype(float)
    return frame.assign(times=times)


def moses2() -> str:
    """Score and time of the decoder and of Moses2."""
    frame = beside("decoder_moses2")
    times = frame["times"].map("{:.1f}".format).where(frame["unit"] != SCORE, "")
    columns = ["step", "setting", "unit", "reference_figure", "figure", "times"]
    rows = frame.assign(times=times)[columns].to_numpy().tolist()
    heads = ["weights", "nlmt with", "measured", frame["reference_tool"].iloc[0], "nlmt", "times"]
    return markdown(heads, rows) + origins("decoder_moses2")


def starts() -> str:
    """CPU seconds before the work begins: of planning, and of imports of the slowest scripts."""
    frame = measured("starts")
    of_scripts = frame["setting"] == "imports"
    scripts = frame[of_scripts]
    rows = [
        [_joined([f"`{one.step}`", one.setting if not imports else ""]), one.figure, one.note]
        for imports in (False, True)
        for one in frame[of_scripts == imports].head(SLOWEST).itertuples()
    ]
    half = f"half of the {len(scripts)} scripts, at most"
    rows.append([half, scripts["figure"].iloc[len(scripts) // 2], ""])
    return markdown(["start of", "CPU s", "longest"], rows) + origins("starts")


def estimated(name: str, first: str) -> str:
    """Needs as `nlmt resources` estimates them: a row each step, a column each unit."""
    origin = frame_of(name).set_index("step")["figure"]
    table = grid(measured(name), first, ["step"], ["unit"])
    made = _joined(origin[key] for key in ("date", "commit"))
    return f"{table}\nEstimated by `python -m benchmarks {name}` ({made}).\n"


def counters() -> str:
    """Instructions and reads for a word in the search of the decoder and in that of Moses2."""
    rows = [
        [one.unit, one.reference_figure, one.figure, f"{one.times:.1f}"]
        for one in beside("decoder_counters").itertuples()
        if float(one.figure)
    ]
    return markdown(["", "Moses2", "nlmt", "times"], rows) + origins("decoder_counters")


def threads() -> str:
    """Tokens a second of the kernel on growing numbers of threads."""
    frame = measured("neural_threads")
    first, *_, last = frame["setting"].unique()
    paces = frame.pivot(index="step", columns="setting", values="figure").astype(float)
    times = (paces[last] / paces[first]).map("{:.1f}".format).rename("figure").reset_index()
    times = times.assign(setting=f"{last} over {first}")
    return grid(pd.concat([frame, times]), "model", ["step"], ["setting"]) + origins(
        "neural_threads"
    )


def results_of(key: str) -> str:
    """The findings of a paper at each scale and over scales, its figures, and what made them."""
    publications = read_publications(PUBLISHED, key, VALUES)
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
            ", ".join(f"{count:,}" for count in dict.fromkeys(record["words"].values())),
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
    warned = [
        f"Warning, {pair}, {one.scale}: {warning}.\n"
        for _, one, pair, record in made
        for warning in record["warnings"]
    ]
    heads = ["pair", "scale", "words", "took", "seeds", "commit", "on"]
    table = markdown(heads, rows)
    findings, scores = published_html(publications), scores_html(publications)
    parts = [absent, findings, *pictures, said_of_figure(key), scores, table, *warned]
    return "\n".join(filter(None, parts))


def said_of_figure(key: str) -> str:
    """The values of a paper's figure that its text gives, as the published figure is an image."""
    figure = PAPERS.get(key).figure
    if not figure.startswith("figure"):
        return ""
    frame = read_published(VALUES, key)
    known = frame[(frame["table"] == figure) & frame["value"].notna()]
    said = []
    for row in records(known):
        least = "more than " if row["note"].startswith("lower bound") else ""
        unit = "" if row["unit"] == row["column"] else f" {row['unit']}"
        value = f"{least}{in_digits(row['value'], row['unit'])}{unit}"
        said.append(f"{row['row']}: {row['column']} {value} ({row['where']})")
    given = f"gives of it {'; '.join(said)}" if said else "gives none of its values"
    return f"The published figure is an image; the paper's text {given}.\n"


def demo() -> str:
    """The output of the demo."""
    lines = (DOCS / "results/demo.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    return f"```\n{''.join(lines[1:])}```\n"


def tuned(name: str, spread: str, *, pairs: bool) -> str:
    """Losses of each method of tuning in BLEU on dev2, smallest first, its spread and its time.

    Args:
        name: of the benchmark.
        spread: of the deviations of all settings, `mean` or `max`.
        pairs: whether BLEU of each pair is shown.
    """
    frame = measured(name)
    frame = frame[~frame["setting"].str.endswith(" lattices")]
    frame = frame.assign(figure=frame["figure"].astype(float))
    of = {
        unit: own.pivot(index="step", columns="setting", values="figure")
        for unit, own in frame.groupby("unit")
    }
    bleu = of["BLEU on dev2"]
    losses = (bleu.max() - bleu).dropna()
    columns = {setting.split(" ")[1]: bleu[setting].map("{:.2f}".format) for setting in bleu}
    columns = columns if pairs else {}
    for head, figures in (
        ("worst loss", losses.max(axis=1)),
        ("mean loss", losses.mean(axis=1)),
        (f"{SPREADS[spread]} deviation", of["deviation on dev2"].agg(spread, axis=1)),
    ):
        columns[head] = figures.map("{:.2f}".format)
    if "runs" in of:
        counts = (
            of[unit].sum(axis=1).map("{:.0f}".format) for unit in ("runs without a gain", "runs")
        )
        columns["no gain"] = next(counts) + " of " + next(counts)
    columns["CPU s"] = of["CPU s"].mean(axis=1).map("{:.1f}".format)
    order = losses.agg(["max", "mean"], axis=1).sort_values(["max", "mean"]).index
    table = pd.DataFrame(columns).loc[order]
    return markdown(["method", *table], table.itertuples()) + origins(name)


def of_medium(name: str, form: str = "{:,.0f}") -> str:
    """A frame of tools/medium_frames.py, with the sums of all packages if it has packages."""
    frame = frame_of(name)
    heads = [head.replace("_", " ") for head in frame]
    frame = frame.set_index(heads[0]).replace("", "nan").astype(float)
    if heads[0] == "package":
        frame.loc["all"] = frame.sum()
    return markdown(heads, frame.map(form.format).replace("nan", "").itertuples())


def long_runs() -> str:
    """A table of what long runs of tests did in all, and how much they found."""
    frame = frame_of("long_runs")
    groups = frame.groupby(["test", "part", "unit"], sort=False)
    table = groups.agg(
        cpu=("cpu_s", lambda own: f"{own.astype(float).sum() / 3600:.2f}"),
        count=("count", lambda own: f"{own.astype(int).sum():,}"),
        findings=("findings", lambda own: f"{own.astype(int).sum():,}"),
        commits=("commit", lambda own: _joined(dict.fromkeys(own))),
    )
    rows = (
        [test, part, cpu, f"{count} {unit}", findings, commits]
        for (test, part, unit), cpu, count, findings, commits in table.itertuples()
    )
    return markdown(["test", "part", "CPU h", "tried", "findings", "of commit"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "long-runs": long_runs,
    "speed": speed,
    "false-alarms": false_alarms,
    "scale-tables": partial(benchmark, "tables", "measured", ["step", "unit"], ["setting"]),
    "neural-feed-forward": partial(
        benchmark, "neural", "model, D 200", ["step"], ["setting"], "perplexity"
    ),
    "neural-orderings": partial(
        benchmark, "neural_orderings", "model", ["step", "setting"], ["unit"]
    ),
    "neural-sentences": partial(
        benchmark, "neural_sentences", "model", ["step"], ["setting", "unit"]
    ),
    "neural-source": partial(benchmark, "neural_source", "source", ["step"], ["setting", "unit"]),
    "tuning-loop": partial(tuned, "tuning_loop", "max", pairs=False),
    "reranking": partial(tuned, "tuners", "mean", pairs=True),
    "gpu-training": gpu_training,
    "gpu-ceilings": gpu_ceilings,
    "gpu-sizes": gpu_sizes,
    "full-scale": partial(estimated, "full_scale", "stage"),
    "limits": partial(estimated, "limits", "text of medium"),
    "goals": partial(times_at, "small"),
    "medium-times": partial(times_at, "medium"),
    "moses2": moses2,
    "counters": counters,
    "reached": reached,
    "starts": starts,
    "threads": threads,
    "rehearsal": partial(benchmark, "neural_rehearsal", "model", ["step"], ["setting", "unit"]),
    "cpu-training": cpu_training,
    "scale": scale,
    "needs": needs_table,
    "demo": demo,
    "medium-text": partial(of_medium, "medium-text"),
    "medium-packages": partial(of_medium, "medium-packages"),
    "medium-text-fr": partial(of_medium, "medium-text-fr"),
    "medium-text-de": partial(of_medium, "medium-text-de"),
    "medium-downloads": partial(of_medium, "medium-downloads", "{:.1f}"),
    "medium-bitext": partial(of_medium, "medium-bitext"),
    "medium-systems": partial(of_medium, "medium-systems", "{:.1f}"),
    **{f"results-{key}": partial(results_of, key) for key in PAPERS.names()},
}


def with_tables(text: str) -> str:
    """The text of a document with its tables as the frames have them."""
    return PLACE.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


def findings() -> str:
    """The picture of the verdicts on all published findings."""
    return findings_svg({key: read_publications(PUBLISHED, key, VALUES) for key in PAPERS.names()})


def main() -> None:
    """Write the verdicts and figures of published results, and the tables of all documents."""
    for key in PAPERS.names():
        for place in published_places(PUBLISHED, key):
            derive(place, VALUES)
    FINDINGS.write_text(findings(), encoding="utf-8")
    for page in sorted([DOCS.parent / "README.md", *DOCS.glob("*.md")]):
        text = page.read_text(encoding="utf-8")
        if (new := with_tables(text)) != text:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
