"""Benchmarks in small, their frames, and the tables that are made from these."""

import gzip
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from default_experiment import default_experiment

from benchmarks import (
    classes,
    decoder,
    decoder_counters,
    decoder_moses2,
    decoder_neural,
    false_alarms,
    frames,
    full_scale,
    limits,
    neural,
    neural_orderings,
    neural_sentences,
    neural_source,
    phrases,
    tables,
    tuners,
    tuning_loop,
)
from benchmarks.__main__ import names
from nlmt.classes import brown_cluster, count_bigrams, write_paths
from nlmt.corpora import downloads
from nlmt.experiment import Estimate, PlannedJob
from nlmt.io.moses_ini import read_ini
from nlmt.io.weights import write_weights
from nlmt.papers.published_runs import JOBS, RECORD
from nlmt.provenance.timeline import TimedJob, write_jobs
from tools import medium_frames, paper_times, write_tables

GOLDEN = Path(__file__).parents[1] / "golden"
FRAMES = [path.stem for path in sorted(write_tables.DOCS.glob("results/*.tsv"))]
OTHERS = ("medium-", "long_runs")  # of tools/medium_frames.py and tests/long_runs.py
PUBLISHED = [name for name in FRAMES if not name.startswith(OTHERS)]
MODELS: dict[str, tuple[ModuleType, str]] = {  # a benchmark's models, and what stands beside them
    "decoder_neural": (decoder_neural, "KenLM alone"),
    "neural": (neural, "KenLM, order 5"),
    "neural_sentences": (neural_sentences, "KenLM, order 5"),
    "neural_source": (neural_source, ""),
}


def keys(rows: Iterable[frames.Row]) -> set[tuple[object, ...]]:
    """Names of the rows with a figure, each of which has known columns only."""
    rows = list(rows)
    assert all(set(row) <= set(frames.COLUMNS) for row in rows)
    found = filter(frames.measured, rows)
    return {tuple(row.get(key, "") for key in ("step", "setting", "unit")) for row in found}


def published(name: str) -> set[tuple[object, ...]]:
    """Names of the rows of a published frame."""
    return set(write_tables.measured(name)[["step", "setting", "unit"]].itertuples(index=False))


def packed(path: Path, lines: Iterable[str]) -> Path:
    """Write lines as gzip."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a small language pair that benchmarks read."""
    folder = tmp_path_factory.mktemp("pair")
    for language in ("fr", "en"):
        lines = (GOLDEN / f"train.{language}").read_text(encoding="utf-8").splitlines()
        for part, own in (
            ("train", lines[:300]),
            ("dev", lines[300:330]),
            ("test", lines[330:360]),
        ):
            packed(folder / f"text/{part}.{language}.gz", own)
    links = (GOLDEN / "aligned.grow-diag-final-and").read_text(encoding="utf-8").splitlines()
    packed(folder / "tm/aligned.gz", links[:300])
    packed(folder / "tm/dev.aligned.gz", links[300:330])
    path = folder / neural.CLASSES
    path.parent.mkdir(parents=True)
    write_paths(brown_cluster(count_bigrams(lines[:300]), 20), path)
    return folder


def test_a_frame_has_the_figures_and_their_origin(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    rows: list[frames.Row] = [
        {"step": "a", "figure": "not run: needs b"},
        {"step": "c", "setting": "d", "figure": 1.5, "unit": "s", "note": "e"},
    ]
    assert list(frames.keep(rows[:1], path, frames.origin())) == rows[:1]
    assert not path.exists()
    assert list(frames.keep(rows, path, frames.origin())) == rows
    header, machine, date, commit, figure = path.read_text(encoding="utf-8").splitlines()
    assert header.split("\t") == list(frames.COLUMNS)
    assert [line.split("\t")[0] for line in (machine, date, commit)] == [
        "machine",
        "date",
        "commit",
    ]
    assert figure.split("\t") == ["c", "d", "1.5", "s", "", "", "e"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_benchmark_writes_each_frame(name: str) -> None:
    assert name in (*names(), "false_alarms")  # by itself, as it takes hours
    frame = write_tables.frame_of(name)
    assert tuple(frame) == frames.COLUMNS
    assert list(frame["step"][:2]) == ["machine", "date"]
    assert write_tables.measured(name)["figure"].astype(float).notna().all()


def test_tables_are_made_from_every_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()
    frame_of = write_tables.frame_of

    def recorded(name: str) -> pd.DataFrame:
        read.add(name)
        return frame_of(name)

    monkeypatch.setattr(write_tables, "frame_of", recorded)
    for name, make in write_tables.TABLES.items():
        if not name.startswith("results-"):
            make()
    assert read == set(FRAMES)


def test_downloads_of_scale_medium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages of other corpora in the folder are left out."""
    corpora = default_experiment("medium.yaml").config.corpora
    for path in map(Path, downloads(corpora)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    monkeypatch.setattr(medium_frames, "FRAMES", tmp_path)
    medium_frames.write_downloads(tmp_path)
    found = pd.read_csv(tmp_path / "medium-downloads.tsv", sep="\t")
    assert list(found["package"]) == list(write_tables.frame_of("medium-downloads")["package"])


def test_texts_of_scale_medium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """English text beside Italian is filtered by other bitext, and is not shown."""
    for number, place in enumerate(("fr-en/text/{}.en", "it-en/text/{}.en", "en-fr/text/{}.fr")):
        path = tmp_path / f"results/medium/{place.format('mono.documentation')}.counts.json"
        path.parent.mkdir(parents=True)
        path.write_text(
            json.dumps({"a.deb": {f"{n}_words": number for n in medium_frames.COUNTED}})
        )
    monkeypatch.setattr(medium_frames, "FRAMES", tmp_path)
    medium_frames.write_texts(tmp_path)
    found = {path.name: path.read_text()[-2:] for path in tmp_path.glob("*.tsv")}
    assert found == {"medium-text.tsv": "0\n", "medium-text-fr.tsv": "2\n"}


def test_systems_of_both_scales(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of small scale one system on one set, of medium another one on two; one of another run."""
    (tmp_path / "medium-systems.tsv").write_text("test set\tsmall: nlm\ntest\t56.55\n")
    for path, means in (
        ("help/fr-en/eval/baseline.json", {"test": 55.716}),
        ("medium/fr-en/eval/nlm.json", {"test": 53.5, "man": 44.0}),
    ):
        scores = {name: {"BLEU": {"mean": mean}} for name, mean in means.items()}
        (tmp_path / "results" / path).parent.mkdir(parents=True)
        (tmp_path / "results" / path).write_text(json.dumps({"scores": scores}))
    monkeypatch.setattr(medium_frames, "FRAMES", tmp_path)
    medium_frames.write_systems(tmp_path)
    lines = (tmp_path / "medium-systems.tsv").read_text().splitlines()
    assert lines == [
        "test set\tsmall: nlm\tsmall: baseline\tmedium: nlm",
        "test\t56.55\t55.72\t53.5",
        "man\t\t\t44.0",
    ]


@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_frames_are_those_of_the_benchmarks(name: str) -> None:
    module, beside = MODELS[name]
    if name == "decoder_neural":
        steps = {f"KenLM and {model}" for model, *_ in decoder_neural.VARIANTS}
    else:
        steps = set(module.MODELS)
    assert set(write_tables.measured(name)["step"]) <= {*steps, beside}


def test_orderings(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = [(name, method) for name, _, method in neural_orderings.MODELS]
    assert {row[:2] for row in published("neural_orderings")} <= set(models)
    monkeypatch.setattr(neural_orderings, "TEXT", pair / "text/train.en.gz")
    monkeypatch.setattr(neural_orderings, "DEV", pair / "text/dev.en.gz")
    monkeypatch.setattr(neural_orderings, "MODELS", neural_orderings.MODELS[:1])
    units = {"perplexity", "CPU s", "mean abs. log Z"}
    name, _, method = neural_orderings.MODELS[0]
    assert keys(neural_orderings.run()) == {(name, method, unit) for unit in units}


def test_perplexities(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural, "PAIR", pair)
    monkeypatch.setattr(neural, "SENTENCES", 2)
    monkeypatch.setattr(neural, "MODELS", {neural.NCE: {}})
    found = keys(neural.run())
    assert {row for row in published("neural") if row[0] in (neural.NCE, "KenLM, order 5")} < found


def test_sentences(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {**neural_sentences.MODELS[neural_sentences.GRU], "dim": 8, "minibatch": 60}
    monkeypatch.setattr(neural_sentences, "PAIR", pair)
    monkeypatch.setattr(neural_sentences, "MODELS", {neural_sentences.GRU: small})
    found = keys(neural_sentences.run())
    steps = {step for step, *_ in found}
    assert found == {row for row in published("neural_sentences") if row[0] in steps}


def test_sources(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {
        name: {**settings, "dim": 8} | ({"source_dim": 8} if "source_dim" in settings else {})
        for name, settings in neural_source.MODELS.items()
    }
    monkeypatch.setattr(neural_source, "PAIR", pair)
    monkeypatch.setattr(neural_source, "FRENCH", {"epochs": 1, "dim": 8, "output": "full"})
    monkeypatch.setattr(neural_source, "EPOCHS", {"epochs": 1})
    monkeypatch.setattr(neural_source, "MODELS", small)
    assert keys(neural_source.run()) == published("neural_source")


def test_tables_of_phrases(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bitext = pair / "text/train.fr.gz", pair / "text/train.en.gz", pair / "tm/aligned.gz"
    for module in (phrases, tables):
        for name, path in zip(("SOURCE", "TARGET", "ALIGNED"), bitext, strict=True):
            monkeypatch.setattr(module, name, path)
    assert published("phrases") < keys(phrases.run())
    monkeypatch.setattr(tables, "LINES", 1000)
    model = GOLDEN / "model"
    golden = model / "phrase-table.gz", model / "reordering-table.wbe-msd-bidirectional-fe.gz"
    rows = list(tables.measure("help", *golden, pair))
    loaded = {row for row in published("tables") if not row[0].startswith("extraction")}
    assert {row for row in loaded if row[1] == "help"} == keys(rows)
    figures = {str(row["step"]): row["figure"] for row in rows}
    lines = [gzip.decompress(path.read_bytes()) for path in golden]
    count = len(lines[0].splitlines())
    assert figures["lines"] == count
    size = sum(map(len, lines)) / count
    assert figures["both text tables, not compressed"] == pytest.approx(size, rel=0.01)
    for step in ("reading from the disk", "decompressing"):
        assert figures[step] > 0  # per cent of loading


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = packed(tmp_path / "x.gz", map(str, range(100_000)))
    blocks: list[bytes] = []
    tables.forget(path)
    tables.read(path, blocks.append)
    assert len(blocks) > 1
    assert b"".join(blocks) == path.read_bytes()


def test_clustering(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "TEXT", pair / "text/train.en.gz")
    assert published("classes") < keys(classes.run())


def test_decoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "INI", GOLDEN / "moses.ini")
    lines = (GOLDEN / "test.fr").read_text(encoding="utf-8").splitlines()[:5]
    monkeypatch.setattr(decoder, "SOURCE", packed(tmp_path / "fr.gz", lines))
    monkeypatch.chdir(GOLDEN)
    assert published("decoder") == keys(decoder.run())


def test_decoding_with_neural_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times of all are over the first one's, OxLM's too."""
    monkeypatch.setattr(decoder_neural, "INI", GOLDEN / "moses.ini")
    monkeypatch.setattr(decoder_neural, "WEIGHTS", tmp_path / "weights.json")
    write_weights(tmp_path / "weights.json", read_ini(GOLDEN / "moses.ini").weights)
    lines = (GOLDEN / "test.fr").read_text(encoding="utf-8").splitlines()[:2]
    monkeypatch.setattr(decoder_neural, "SOURCE", packed(tmp_path / "fr.gz", lines))
    monkeypatch.chdir(GOLDEN)
    alone, *others = decoder_neural.run()
    assert (alone["step"], alone["figure"], alone["reference_figure"]) == ("KenLM alone", 1, 1)
    assert all(str(row["figure"]).startswith("not run") for row in others)
    assert {unit for *_, unit in published("decoder_neural")} == {alone["unit"]}
    nce = decoder_neural._row("KenLM and nce", "unnormalised", 5.4, 3.0, 3310, 0.0)
    assert (nce["figure"], nce["reference_figure"]) == (1.8, 2.02)


def test_decoding_beside_moses2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours stands in for Moses2, with the pop limit of the other."""
    stand_in = tmp_path / "bin/moses2"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\nexec {decoder_moses2.NLMT} decode "$@"\n')
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}", prepend=":")
    write_weights(tmp_path / "weights.json", read_ini(GOLDEN / "moses.ini").weights)
    lines = (GOLDEN / "test.fr").read_text(encoding="utf-8").splitlines()[:2]
    monkeypatch.setattr(decoder_moses2, "INI", GOLDEN / "moses.ini")
    monkeypatch.setattr(decoder_moses2, "WEIGHTS", tmp_path / "weights.json")
    monkeypatch.setattr(decoder_moses2, "SOURCE", packed(tmp_path / "fr.gz", lines))
    monkeypatch.setattr(decoder_moses2, "LIMITS", {decoder_moses2.TUNED: (400,)})
    monkeypatch.setattr(decoder_moses2, "TURNS", 1)
    monkeypatch.chdir(GOLDEN)
    rows = list(decoder_moses2.run())
    of_case = {row for row in published("decoder_moses2") if row[1] == rows[0]["setting"]}
    assert keys(rows) == {row for row in of_case if row[0] == decoder_moses2.TUNED}
    assert rows[0]["figure"] == pytest.approx(rows[0]["reference_figure"], abs=1e-3)


def test_counts_of_valgrind() -> None:
    report = """\
==7== Cachegrind, a high-precision tracing profiler
==7== I   refs:      2,888,905
==7== D   refs:      1,120     (754 rd   + 366 wr)
==7== D1  misses:       23     ( 19 rd   +   4 wr)
==7== LLd misses:        6     (  4 rd   +   2 wr)
==7== LL misses:         7     (  5 rd   +   2 wr)
"""
    assert [*decoder_counters.read_counts(report).values()] == [2_888_905, 1120, 23, 7]


def timed(name: str, minutes: float, *after: str) -> TimedJob:
    """A job on one core."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return TimedJob(name, start, 60 * minutes, 60 * minutes, 1, frozenset(after))


def test_times_of_papers(tmp_path: Path) -> None:
    """A text, a model of each paper from it, and its table; one paper is older than its times."""
    places = {key: tmp_path / key for key in paper_times.KEYS}
    for minutes, (key, place) in enumerate(places.items(), start=10):
        text, model = "prepare_text/help.fr-en", f"train_neural_lm/help.fr-en.{key}/run1"
        table = timed(f"write_paper_table/{key}.table1", 2, model)
        jobs = [timed(text, 1), timed(model, minutes, text), table]
        place.mkdir()
        write_jobs(place / JOBS, {job.name: job for job in jobs})

    def figures() -> dict[tuple[str, str], dict[str, str]]:
        found: dict[tuple[str, str], dict[str, str]] = {}
        for row in paper_times.published_times(places):
            found.setdefault((row["step"], row["setting"]), {})[row["unit"]] = row["figure"]
        return found

    found = figures()
    auli, every = found["auli2013", "fr-en"], found["all papers", "fr-en"]
    assert (auli["jobs"], auli["CPU min training"], auli["CPU min the rest"]) == (
        "3",
        "10.0",
        "3.0",
    )
    assert (auli["min on 2 cores"], auli["min, longest path"]) == ("13.0", "13.0")
    assert (every["jobs"], every["CPU min"], every["min on 32 cores"]) == ("9", "55.0", "16.0")
    # Seven pairs, of which the papers have thirteen in all; a table is written once.
    assert found["all papers", "all pairs"]["jobs"] == str(7 + 13 + 4)

    (places["auli2013"] / JOBS).unlink()
    (places["auli2013"] / RECORD).write_text('{"jobs": 7, "cpu_seconds": 90}')
    found = figures()
    assert found["auli2013", "fr-en"] == {"jobs": "7", "CPU min": "1.5"}
    assert {setting for _, setting in found} == {"fr-en"}
    assert "all papers" not in {step for step, _ in found}


def test_jobs_of_several_pairs_are_before_what_they_share() -> None:
    table = "write_paper_table/auli2013.table1"
    jobs = {"a/fr-en": timed("a/fr-en", 1), table: timed(table, 1, "a/fr-en")}
    every = paper_times.on_all_pairs({"auli2013": jobs})
    assert every[table].after == {"a/fr-en", "a/de-en", "a/en-de"}
    assert every["a/en-de"].name == "a/en-de"


def test_needs_of_full_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hours of a processor, one and a half of a GPU, and a page."""
    estimates = [
        Estimate(PlannedJob(rule, {}, (), (), 1), "", mem_mb, seconds, gpus, 500, 0, True, 0)
        for rule, mem_mb, seconds, gpus in (
            ("train_neural_lm", 900, 7200, 0),
            ("train_neural_lm", 1000, 5400, 1),
            ("write_papers_page", 600, 36, 0),
        )
    ]
    monkeypatch.setattr(full_scale, "planned", lambda *_: (None, []))
    monkeypatch.setattr(full_scale, "estimate", lambda *_: estimates)
    figures = {(row["step"], row["unit"]): row["figure"] for row in full_scale.run()}
    units = ("jobs", "CPU hours", "GPU hours", "disk GB", "memory MB")
    assert [figures["language models", unit] for unit in units] == [2, 2.0, 1.5, 1.0, 1000]
    assert [figures["all", unit] for unit in units] == [3, 2.01, 1.5, 1.5, 1000]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of an hour and 200 MB for the text of medium: 96 times as much takes a day."""

    def estimated(*_: object, times: int) -> list[Estimate]:
        job = PlannedJob("train_neural_lm", {}, (), (), 1)
        seconds = 900.0 * times
        return [Estimate(job, "", 200 * times, seconds, 0, 500 * times, 0, True, seconds)]

    monkeypatch.setattr(limits, "planned", lambda *_: (None, []))
    monkeypatch.setattr(limits, "estimate", estimated)
    rows = list(limits.run())
    steps = ["1 times", "4 times", "16 times", "96 times"]
    assert list(dict.fromkeys(row["step"] for row in rows)) == steps
    assert [row["figure"] for row in rows[-4:]] == [24, 24, 19200, 48]
    monkeypatch.setattr(limits, "MEMORY_MB", 3999)
    assert list(limits.run())[-1]["step"] == "19 times"


def test_false_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = published("false_alarms")
    monkeypatch.setattr(false_alarms.Pool, "read", lambda _: None)
    shares = {str(unit): 5.0 for *_, unit in rows if unit}
    monkeypatch.setattr(false_alarms, "simulate", lambda *_: shares)
    assert keys(false_alarms.rows(2)) == rows


def test_tuning_in_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning_loop, "RESULTS", tmp_path)
    path = tmp_path / "help/fr-en/eval/mert.json"
    path.parent.mkdir(parents=True)
    bleu = {"BLEU": {"mean": 30.123, "stdev": 0.04, "length": 0.98}}
    path.write_text(json.dumps({"scores": {"dev2": bleu, "test": bleu}, "seeds": [1, 2]}))
    for run, seconds in ((1, 10.0), (2, 11.0)):
        log = tmp_path / f"benchmarks/tune_weights/help.fr-en.mert.run{run}.tsv"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(f"s\tcpu_time\n1\t{seconds}\n")
    rows = list(tuning_loop.run())
    units = {unit for *_, unit in published("tuning_loop")}
    assert units <= {unit for *_, unit in keys(rows)}
    figures = {str(row["unit"]): row["figure"] for row in rows}
    assert (figures["BLEU on dev2"], figures["CPU s"]) == (30.12, 10.5)
    steps = {step for step, *_ in published("tuning_loop")}
    assert steps <= set(tuning_loop.METHODS.values())


def test_reranking() -> None:
    cells = pd.DataFrame(
        {"kind": "lists", "setting": "help fr-en nlm", "method": "mert", "part": part}
        | {"run": run, "bleu": bleu, "length": 1.0, "gain": gain, "seconds": 2.0}
        for part in tuners.PARTS
        for run, bleu, gain in ((1, 30.0, 0.0), (2, 31.0, 0.5))
    )
    rows = list(tuners.means(cells))
    assert {unit for *_, unit in published("tuners")} <= {unit for *_, unit in keys(rows)}
    figures = {str(row["unit"]): row["figure"] for row in rows}
    assert figures["BLEU on dev2"] == 30.5
    assert figures["deviation on dev2"] == 0.71  # sqrt(0.5)
    assert (figures["runs"], figures["runs without a gain"]) == (2, 1)
    steps = {step for step, *_ in published("tuners")}
    assert steps <= {method.name for method in tuners.METHODS}


def test_losses_of_methods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(write_tables, "DOCS", tmp_path)
    bleu = {"a": (30.0, 20.0), "b": (29.5, 20.25)}

    def rows() -> Iterable[frames.Row]:
        for method, values in bleu.items():
            for language, value, spread in zip(("fr", "de"), values, (0.1, 0.3), strict=True):
                one: frames.Row = {"step": method, "setting": f"help {language}-en"}
                yield one | {"figure": value, "unit": "BLEU on dev2"}
                yield one | {"figure": spread, "unit": "deviation on dev2"}
                yield one | {"figure": 2, "unit": "CPU s"}

    head: list[frames.Row] = [
        {"step": "machine", "figure": "a machine"},
        {"step": "date", "figure": "2026-11"},
    ]
    list(frames.keep(rows(), tmp_path / "results/tuning_loop.tsv", head))
    assert write_tables.tuned("tuning_loop", "max", pairs=True) == (
        "| method | de-en | fr-en | worst loss | mean loss | largest deviation | CPU s |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| a | 20.00 | 30.00 | 0.25 | 0.12 | 0.30 | 2.0 |\n"
        "| b | 20.25 | 29.50 | 0.50 | 0.25 | 0.30 | 2.0 |\n"
        "\nMeasured by `python -m benchmarks tuning_loop` on a machine (2026-11).\n"
    )


def test_ceilings_of_a_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(write_tables, "DOCS", tmp_path)
    rows: list[frames.Row] = [
        {"step": "matrix product", "figure": 300.0, "unit": "GFLOP/s"},
        {"step": "a", "figure": 1000, "unit": "tokens/s"},
        {"step": "a", "figure": 60.5, "unit": "% of matrix product"},
    ]
    head: list[frames.Row] = [{"step": "machine", "figure": "a machine"}]
    list(frames.keep(rows, tmp_path / "results/neural_cpu.tsv", head))
    assert write_tables.cpu_training() == (
        "| model | tokens/s | % of matrix product |\n"
        "| --- | --- | --- |\n"
        "| a | 1,000 | 60.5 |\n"
        "\nCeilings: matrix product 300 GFLOP/s.\n"
        "\nMeasured by `python -m benchmarks neural_cpu` on a machine ().\n"
    )


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        (["0.02"], "0.02"),
        (["61.0"], "61.0"),
        (["54.04"], "54.0"),
        (["0.570837"], "0.571"),
        (["623400"], "623,000"),
        (["12", "2.5", "10"], "2.5 to 12"),
        (["3.0", "3.0"], "3.0"),
    ],
)
def test_figures_have_three_digits(figures: list[str], text: str) -> None:
    assert write_tables.shown(figures) == text
