"""Small artefacts of systems and models, as the rules write them, with made-up numbers."""

import contextlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
from job_records import job_record

from nlmt.experiment import Experiment
from nlmt.papers import PAPERS, read_claims
from nlmt.papers.overview import OverviewEntry, make_overview, read_overview
from nlmt.papers.pages import PaperResults, read_results
from nlmt.papers.results import write_frame
from nlmt.papers.verdicts import judge_claims
from nlmt.provenance import FileRecord
from nlmt.report import Changes, compare_sentences

ROOT = Path(__file__).parents[3]
VALUES = ROOT / "config/papers"  # published values and claims
MakeTables = Callable[..., dict[str, pd.DataFrame]]
MARKUP = '<img src="https://nlmt.invalid/x.png"> & <style>* { display: none }</style> </dd>'


def write_job(results: Path, name: str, changes: Mapping[str, Any]) -> None:
    """Write the record of a job, and those of its outputs with their digests."""
    job = asdict(job_record(rule="write_paper_table")) | changes
    write_json(results / f"provenance/jobs/{name}.json", job)
    for path, digest in job["outputs"].items():
        record = asdict(FileRecord(digest, 0, 0, 0, name))
        write_json(results / f"provenance/files/{path}.json", record)


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def luck(*names: object) -> float:
    """A number from 0 to 1 that depends on the names alone."""
    return zlib.crc32("/".join(map(str, names)).encode()) / 2**32


def scores(
    system: str,
    baseline: str,
    others: Sequence[str],
    test_sets: Sequence[str] = ("test",),
    runs: Sequence[float] = (),
    p: float = 0.01,
) -> dict[str, Any]:
    """What `eval/<system>.json` holds."""

    def metric(test_set: str, name: str) -> dict[str, Any]:
        sign = 1 if name == "BLEU" else -1
        own = runs or [50 + sign * luck(system, run) + luck(name) for run in (1, 2, 3)]
        mean = sum(own) / len(own)
        found = {"difference": mean - 50, "low": mean - 50.4, "high": mean - 49.6, "p_value": p}
        found |= {"deviation": 0.2, "freedom": 100.0}
        facts = {"runs": list(own), "mean": mean, "stdev": 0.1, "difference": None}
        facts["signature"] = f"{name}|version:2"
        return facts | {"comparisons": {one: {**found} for one in others if one != system}}

    metrics = ("BLEU", "TER", "chrF", "(TER-BLEU)/2")
    sets = (*test_sets, *["average"] * (len(test_sets) > 1))
    facts: dict[str, Any] = {"system": system, "label": system, "seeds": [1, 2, 3]}
    facts |= {"baseline": baseline}
    return facts | {"scores": {name: {one: metric(name, one) for one in metrics} for name in sets}}


def perplexity(model: str, words: int = 6000) -> dict[str, Any]:
    """What `lm/<model>/perplexity.json` holds."""
    split = {"words": 13000, "events": 14000, "oov": 400}
    split |= {"mean_abs_log_z": 0.25, "predicted_share": 0.875}
    split |= {"source_cosine": 0.5, "source_cosine_error": 0.0625}
    return {
        "vocabulary": {"words": words, "hash": f"{words:016x}"},
        "dev": {**split, "perplexity": 50 + 9 * luck(model)},
        "test": {**split, "perplexity": 49 + 9 * luck(model)},
    }


def searches() -> list[dict[str, Any]]:
    """What `rescore/<system>/run<k>/test.searches.json` holds."""
    sizes = [("list", size) for size in (1, 10, 100, 1000)]
    sizes += [("states", size) for size in (1, 2, 5, 10, 100)]
    return [
        {
            "kind": kind,
            "size": size,
            "bleu_statistics": [
                [*(5, 6, 4, 5, 3, 4), *(1, 1 + (sentence // (1 + size % 7)) % 3, 6)]
                for sentence in range(50)
            ],
            "scores": [-10 + luck(kind, size, sentence) for sentence in range(50)],
            "seconds": [0.01 * size],
        }
        for kind, size in sizes
    ]


def write_artefact(folder: Path, path: str, of: Experiment) -> None:
    """Write one file that a table needs, below the folder of a pair."""
    parts = Path(path).parts
    name = parts[1] if len(parts) > 2 else Path(path).stem
    if parts[0] == "lm" and parts[2] != "run1" and len(parts) > 3:
        name += parts[2]  # chance decides what a further run measures
    if parts[0] == "eval":
        systems = of.systems
        content: object = scores(
            name, systems[name].baseline, systems[name].compared_with, systems[name].test_sets
        )
    elif parts[-1] == "perplexity.json":
        content = perplexity(name, 7000 if name in ("kn5", "schwenk2010_kn4") else 6000)
    elif parts[-1] == "sentences.json":
        text = {
            "log_probability": [-70 - luck(name, sentence) for sentence in range(100)],
            "abs_log_z": [35 * luck(sentence, name) for sentence in range(100)],
            "source_cosine": [None, *(luck(name, sentence) for sentence in range(99))],
        }
        content = {"dev": text, "test": text}
    elif parts[-1] == "metrics.json":
        content = {"tokens": 1_000_000, "tokens_per_second": 150_000.0 + 1000 * luck(name)}
        content |= {"dev": {"perplexity": 60.0}, "dev_unigram_perplexity": 300.0, "seconds": 60.0}
        content |= {"dev_mean_abs_log_z": luck(name), "epochs": 10, "best_epoch": 7.5}
        content |= {"train_source_cosine": 0.625, "train_source_cosine_error": 0.015625}
        if "run1" in parts and "transform" not in name:
            content["searched"] = {
                "learning_rate 1": {"perplexity": 60.0, "epochs": 4, "end": "trained"},
                "learning_rate 3": {"perplexity": 62.5, "epochs": 1, "end": "stopped"},
            }
        if "transform" in name:
            content["transform_errors"] = {"0.03": 0.5, "0.1": 0.25, "0.3": 0.375}
    elif parts[-1] == "config.json":
        content = {"parameters": 123_456, "model": {"short_list": 1024, "epochs": 10}}
    elif parts[-1].endswith(".counts.json"):
        content = {"kept": 9000, "source_tokens": 180_000, "target_tokens": 170_000}
    elif "requests" in parts:
        content = {"requests": 1000, "predicted": 890}
    elif parts[-1].endswith(".requests.json"):
        content = {model: {"seconds": 1.5} for model in of.systems[name].rescoring_features(1)}
    elif parts[-1].endswith(".search.json"):
        content = {"seconds": 4.0, "lattices": 850}
    elif parts[-1] in ("speed.json", "speed_again.json"):
        machine = {"threads": 1, "processor": "a processor", "busy": False}
        speeds = [150_000 * (1 + luck(name, k)) for k in (1, 2, 3)]
        first = 0.02 if parts[-1] == "speed.json" else 0.01
        times = [first * (1 + luck(name, k)) for k in (1, 2, 3)]
        ways = dict.fromkeys(("apart", "ngrams", "contexts"), speeds)
        counts = {"requests": 1000, "ngrams": 300, "contexts": 200}
        content = {
            **{**machine, **counts, "requests_per_second": ways},
            **{"tokens_per_second": speeds, "epoch_tokens": 100_000, "seconds_a_sentence": times},
            "timing": {way: {"busy": True} for way in ways},
        }
    elif parts[-1] == "weights.json":
        weights = {label: [0.01 + luck(path, label)] for label in ("LM0", "NLM0")}
        content = {"bleu": 30 * (1 + luck(path)), "weights": weights}
    elif parts[-1] == "memory.json":
        content = {"bytes": {"LM0": int(1e6 * (1 + luck(name)))}}
    elif parts[-1] == "complexity.json":
        powers = {"Standard": 1.0, "Class Factored": 0.5, "Tree Factored": 0.1, "NCE": 0.9}
        columns = ("Training", "Exact Decoding")
        quiet = {column: {"busy": False} for column in columns}
        points = [
            {"row": row, "words": words, **dict.fromkeys(columns, times), "timing": quiet}
            for words in (1_000, 10_000, 100_000)
            for row, power in powers.items()
            for times in [[1e-6 * words**power, 2e-6 * words**power]]
        ]
        content = {"points": points, "threads": 1, "processor": "a processor"}
    elif parts[-1].endswith(".searches.json"):
        content = searches()
    elif parts[-1] == "corpus_statistics.tsv":
        write_corpus_sizes(folder / path, folder.name)
        return
    elif parts[-1].endswith(".sizes.tsv"):
        write_text_size(folder / path, folder.name)
        return
    elif parts[-1] == "log.tsv":
        write_curve(folder / path, [(k * 10_240_000, 60 - k) for k in (1, 2, 3)])
        return
    elif parts[0] == "lm":
        content = "x" * int(10_000 * (1 + 99 * luck(name)))
    else:
        raise AssertionError(f"no such artefact: {path}")
    write_json(folder / path, content)


def write_curve(path: Path, points: Sequence[tuple[int, float]]) -> None:
    """What `lm/<model>/log.tsv` holds: tokens and test perplexity of each evaluation."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{k}\t{tokens}\t{value}" for k, (tokens, value) in enumerate(points, 1)]
    path.write_text("\n".join(["epoch\ttokens\ttest_perplexity", *rows]) + "\n")


def write_corpus_sizes(path: Path, pair: str) -> None:
    """What `text/corpus_statistics.tsv` holds."""
    source, _, target = pair.partition("-")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "text\tlanguage\tsentences\ttokens\twords\n"
        f"train\t{source}\t30000\t500000\t9000\n"
        f"train\t{target}\t30000\t450000\t8000\n"
        f"dev\t{source}\t800\t13000\t1500\ndev\t{target}\t800\t12000\t1400\n"
        f"test\t{source}\t900\t15000\t1700\ntest\t{target}\t900\t14000\t1600\n"
        f"dev2\t{source}\t850\t14000\t1600\ndev2\t{target}\t850\t13000\t1500\n"
        f"texts/default\t{target}\t40000\t600000\t8000\n"
    )


def write_text_size(path: Path, pair: str) -> None:
    """What `texts/<text>.sizes.tsv` holds."""
    name, language = path.name.removesuffix(".sizes.tsv"), pair.partition("-")[2]
    path.parent.mkdir(parents=True, exist_ok=True)
    tokens = 1000 if name.endswith("_4pct") else 300_000
    path.write_text(
        "text\tlanguage\tsentences\ttokens\twords\n"
        f"texts/{name}\t{language}\t20000\t{tokens}\t9000\n"
    )


def cell(frame: pd.DataFrame, row: str, column: str, pair: str = "fr-en") -> pd.Series:
    """The one row of a frame for a cell."""
    found = frame[(frame["pair"] == pair) & (frame["row"] == row) & (frame["column"] == column)]
    assert len(found) == 1, (pair, row, column)
    return found.iloc[0]


def write_overview_files(
    folder: Path, entries: Sequence[OverviewEntry], of: Experiment
) -> pd.DataFrame:
    """The table of these systems, by way of its file, from artefacts that are written."""
    for path in {path for entry in entries for path in entry.files()}:
        if not (folder / path).exists():
            parts = Path(path).parts
            write_artefact(folder.joinpath(*parts[:3]), str(Path(*parts[3:])), of)
    with contextlib.chdir(folder):
        write_frame(folder / "overview.tsv", make_overview(entries))
    return read_overview(folder / "overview.tsv")


def judged(
    key: str, tables: Mapping[str, pd.DataFrame], pairs: Sequence[str] = ("fr-en",)
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The verdicts on the claims of a paper, and their comparisons."""
    claims, paper = read_claims(VALUES, key), PAPERS.get(key)
    return judge_claims(claims, tables, pairs, paper.published_pairs, paper.trainings)


def paper_results(
    folder: Path, key: str, make_tables: MakeTables, pairs: Sequence[str]
) -> PaperResults:
    """Results of a paper by way of the files that the rules write."""
    tables = make_tables(key, tuple(pairs))
    verdicts, comparisons = judged(key, tables, pairs)
    frames = {**tables, "claims": verdicts, "comparisons": comparisons}
    paths = [folder / key / f"{name}.tsv" for name in frames]
    for path, frame in zip(paths, frames.values(), strict=True):
        write_frame(path, frame)
    return read_results(key, pairs, paths)


def sentence_changes() -> Changes:
    """Changes of twelve sentences, some with markup in them, one with a very long word."""
    source = [f"phrase {k} {MARKUP}" for k in range(12)]
    reference = [f"sentence {k} of the text {MARKUP}" for k in range(12)]
    baseline = [" ".join(["a sentence", *["worse"] * k, MARKUP]) for k in range(12)]
    system = [*reference[:-1], f"sentence {'long' * 100}"]
    names = ("the back-off model in the decoder", "a class-factored model beside it")
    return compare_sentences(names, source, [reference], baseline, system)
