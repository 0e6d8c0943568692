"""The whole chain on a tiny corpus: it runs, and reruns what it must."""

import csv
import json
import re

import numpy as np
import pytest
import yaml
from conftest import PAIR, change, differences, run_snakemake

from nlmt.io.nbest import read_nbest


def rules_to_run(output: str) -> set[str]:
    """Names of the rules in the job table that a dry run prints."""
    table = output.split("Job stats:")[1].split("total")[0]
    return set(re.findall(r"^([a-z]\w+) +\d+$", table, flags=re.MULTILINE))


def test_report_compares_the_systems(finished):
    with (finished / PAIR / "report/results.tsv").open() as stream:
        rows = {row["system"]: row for row in csv.DictReader(stream, delimiter="\t")}
    assert set(rows) == {"baseline", "nlm", "nlm_decoder"}
    for row in rows.values():
        assert 20 < float(row["mean"]) <= 100
        assert "tok:none" in row["signature"]
    assert (finished / PAIR / "report/index.html").read_text().count("<svg") >= 1


def test_scores_are_means_over_the_seeds(finished):
    scores = json.loads((finished / PAIR / "eval/nlm.json").read_text())
    assert scores["seeds"] == [1, 2]
    for metric in ("BLEU", "TER", "chrF", "detokenised BLEU"):
        values = scores["scores"]["test"][metric]
        assert values["mean"] == pytest.approx(sum(values["runs"]) / 2)


def test_second_run_has_nothing_to_do(finished):
    result = run_snakemake(finished, "--dry-run", "all")
    assert "Nothing to be done" in result.stdout + result.stderr


def test_same_seed_gives_the_same_bytes(finished, project):
    result = run_snakemake(project, "--cores", "1", "all")
    assert result.returncode == 0, result.stderr
    assert differences(finished, project) == []


NEURAL = {"train_neural_lm", "measure_perplexity", "rescore_nbest", "tune_reranking"}
NEURAL |= {"write_moses_ini", "tune_weights", "decode", "rerank_nbest"}
REPORT = {"evaluate_system", "compare_sentences", "write_report"}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"evaluation": {"resamples": 50}}, {"evaluate_system", "write_report"}),
        (
            {"rescoring": {"nbest": 100, "restarts": 3}},
            {"tune_reranking", "rerank_nbest"} | REPORT,
        ),
        ({"language_models": {"nce": {"dim": 30}}}, NEURAL | REPORT),
        ({"language_models": {"nce": {"min_count": 1}}}, {"encode_text"} | NEURAL | REPORT),
        (
            {"decoder": {"pop_limit": 50, "stack": 100}},
            {"tune_weights", "decode", "rescore_nbest", "tune_reranking", "rerank_nbest"} | REPORT,
        ),
        (
            {"tuning": {"seeds": [1, 2, 3], "nbest": 50, "restarts": 5, "max_iterations": 3}},
            {"tune_weights", "decode", "rescore_nbest", "tune_reranking", "rerank_nbest"}
            | {"evaluate_system", "write_report"},
        ),
    ],
)
def test_one_change_reruns_only_what_depends_on_it(copy_of_finished, changed, expected):
    change(copy_of_finished, **changed)
    result = run_snakemake(copy_of_finished, "--dry-run", "all")
    assert rules_to_run(result.stdout) - {"all"} == expected


def test_neural_model_in_the_decoder_scores_as_in_rescoring(copy_of_finished):
    systems = {
        "inside": {"label": "inside", "language_models": ["kn5", "nce"]},
        "twice": {"label": "twice", "decoded_by": "inside", "rescored_with": ["nce"]},
    }
    tuning = {"seeds": [1, 2], "method": "lattice-mert", "restarts": 5, "max_iterations": 2}
    change(copy_of_finished, systems=systems, tuning=tuning)
    path = f"{PAIR}/rescore/twice/run1/test.nbest.gz"
    result = run_snakemake(copy_of_finished, path)
    assert result.returncode == 0, result.stderr
    nbest = read_nbest(copy_of_finished / path)
    labels = [label for label, width in nbest.feature_names for _ in range(width)]
    assert [label for label in labels if "LM" in label] == ["LM0", "NLM0", "NLM1"]
    inside, after = (nbest.features[:, labels.index(label)] for label in ("NLM0", "NLM1"))
    assert np.allclose(inside, after, rtol=2e-6, atol=1e-4)  # a list has six digits
    assert len(nbest) > 1000


def test_models_of_tuples_and_of_the_source_rescore(copy_of_finished):
    settings = yaml.safe_load((copy_of_finished / "config/papers/cslm.yaml").read_text())
    del settings["pairs"], settings["systems"]["tuples_neural_tm"]
    for system in ("tuples_backoff", "tuples_neural_lm"):
        settings["systems"][system] = None
    bilingual = ["tm3", "ctm", "nce", "joint", "lsa", "averaged"]
    settings["systems"]["tuples_neural_both"]["rescored_with"] = bilingual
    small = {"kind": "neural", "dim": 30}
    vectors = small | {"source_dim": 20}
    settings["language_models"] |= {
        "joint": {**small, "source": "window", "processes": 2},
        "lsa": {**vectors, "source": "lsa"},
        "french": {"kind": "neural", "units": "source", "dim": 20},
        "averaged": vectors
        | {"source": "averaged", "source_window": 0, "source_embeddings": "french"},
    }
    settings["papers"]["deep"] = {"systems": ["baseline", "tuples_neural_both"]}
    change(copy_of_finished, **settings)
    result = run_snakemake(copy_of_finished, "cslm", "deep")
    assert result.returncode == 0, result.stderr
    with (copy_of_finished / "results/papers/cslm/table2.tsv").open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert [row["mean"] == "not run" for row in rows] == [False, True, True, True, False]
    assert float(rows[-1]["mean"]) > 20
    assert "not run" in (copy_of_finished / "results/papers/cslm/index.html").read_text()
    with (copy_of_finished / "results/papers/deep/models.tsv").open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert [row["label"] for row in rows] == ["ctm", *bilingual[2:]]
    assert all(float(row["log_z"]) > 0 and row["hidden"] == "0" for row in rows)
    nbest = read_nbest(copy_of_finished / PAIR / "rescore/tuples_neural_both/run1/test.nbest.gz")
    labels = [label for label, _ in nbest.feature_names]
    assert labels[-6:] == ["TM0", "NTM0", "NLM0", "NLM1", "NLM2", "NLM3"]
    assert (nbest.features[:, -6:] < 0).all()
    folder = copy_of_finished / PAIR / "lm"
    alone, *given = (
        json.loads((folder / name / "perplexity.json").read_text())["test"]
        for name in ("nce", "joint", "averaged")
    )
    for one in given:
        assert one["perplexity"] < alone["perplexity"]
        for count in ("words", "sentences", "oov"):  # the same vocabulary
            assert one[count] == alone[count]


def test_lattices_are_rescored_and_compared(copy_of_finished):
    lattice = {"decoded_by": "baseline", "rescored_with": ["nce", "gru"], "lattice": {"items": 5}}
    gru = {"network": "gru", "dim": 20, "output": "short-list", "short_list": 50}
    joint = {"systems": ["baseline", "nlm", "lattice"], "search": "lattice"}
    change(
        copy_of_finished,
        language_models={"gru": {"kind": "neural", "objective": "likelihood", **gru}},
        systems={"lattice": {"label": "on lattices", **lattice}},
        papers={"joint": {**joint, "lists": [1, 20], "items": [1, 20]}},
    )
    result = run_snakemake(copy_of_finished, "joint")
    assert result.returncode == 0, result.stdout + result.stderr
    folder = copy_of_finished / "results/papers/joint"
    with (folder / "table1.tsv").open() as stream:
        rows = {row["label"]: row for row in csv.DictReader(stream, delimiter="\t")}
    assert float(rows["on lattices"]["mean"]) > float(rows["5-gram Kneser-Ney"]["mean"]) - 5
    with (folder / "figure3.tsv").open() as stream:
        points = list(csv.DictReader(stream, delimiter="\t"))
    scores = {(row["kind"], row["size"]): float(row["score"]) for row in points}
    assert scores["list", "1"] <= scores["list", "20"] + 1e-6
    assert scores["items", "1"] <= scores["items", "20"] + 1e-6
    nbest = read_nbest(copy_of_finished / PAIR / "rescore/lattice/run1/dev.nbest.gz")
    assert nbest.feature_names[-2:] == [("NLM0", 1), ("NLM1", 1)]
    dry = run_snakemake(copy_of_finished, "--dry-run", "joint")
    assert "Nothing to be done" in dry.stdout + dry.stderr


@pytest.mark.parametrize("paper", ["joint", "cslm", "deep"])
def test_table_of_a_paper_says_what_it_needs(finished, paper):
    result = run_snakemake(finished, "--dry-run", paper)
    assert result.returncode != 0
    assert f"config/papers/{paper}.yaml" in result.stdout + result.stderr
