"""Dry runs with the default configuration: every target and pair has its jobs."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import ROOT

FILES = ["config.yaml", "config/corpora.yaml", "config/papers/cslm.yaml"]
PAPER = ["--configfile", *(str(ROOT / file) for file in FILES)]  # in place of those of `dry_run`


def dry_run(
    folder: Path, *arguments: str, overlays: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """A dry run of the default configuration and overlays of it, its results in `folder`."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    files = ["config.yaml", "config/corpora.yaml", *overlays]
    command += ["--configfile", *(str(ROOT / file) for file in files)]
    command += ["--cores", "2", "--dry-run", "--directory", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


@pytest.mark.parametrize(
    "arguments",
    [
        ["all"],
        ["demo"],
        ["all", "--config", "pairs=[en-cs]"],
        ["results/help/en-de/lm/nce/model.safetensors"],
        ["cslm", *PAPER],
    ],
)
def test_target_has_its_jobs(arguments, tmp_path):
    result = dry_run(tmp_path, *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "total" in result.stdout
    other_pairs = "en-de" in result.stdout
    assert other_pairs == (arguments == ["all"] or "en-de" in arguments[0])


def test_joint_paper_has_its_jobs(tmp_path):
    result = dry_run(tmp_path, "joint", overlays=["config/papers/joint.yaml"])
    assert result.returncode == 0, result.stdout + result.stderr
    for rule in ("decode_lattices", "rescore_lattices", "search_lattices", "measure_search"):
        assert rule in result.stdout


def test_deep_paper_has_its_jobs(tmp_path):
    result = dry_run(tmp_path, "deep", overlays=["config/papers/deep.yaml"])
    assert result.returncode == 0, result.stdout + result.stderr
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", result.stdout, flags=re.MULTILINE))
    assert (jobs["train_joint_lm"], jobs["align_held_out_text"]) == ("4", "2")
    assert (jobs["rescore_nbest"], jobs["tune_reranking"]) == ("24", "12")
    assert "train_neural_lm" not in jobs
    inputs = re.findall(r"rule rescore_nbest:\n +input: (.*)", result.stdout)
    assert all("/source-vocabulary.txt" in line for line in inputs)
    assert any("decode/baseline/run1/dev2.nbest.gz" in line for line in inputs)


def test_second_tuning_set_is_held_out_decoded_and_rescored(tmp_path):
    overlay = tmp_path / "dev2.yaml"
    overlay.write_text("rescoring: {tuning_set: dev2}\n")
    configs = [str(ROOT / path) for path in ("config.yaml", "config/corpora.yaml")]
    target = "results/help/fr-en/rescore/nlm/run1/weights.json"
    for more, part in (([], "dev"), ([str(overlay)], "dev2")):
        result = dry_run(tmp_path, target, "--configfile", *configs, *more)
        assert result.returncode == 0, result.stdout + result.stderr
        inputs = re.findall(r"rule tune_reranking:\n +input: (.*)", result.stdout)
        assert f"nlm/run1/{part}.nbest.gz" in inputs[0]
        assert f"text/{part}.en.gz" in inputs[0]
        assert ("dev2" in result.stdout) == (part == "dev2")


def test_cluster_profile_has_the_same_jobs(tmp_path):
    pytest.importorskip("snakemake_executor_plugin_slurm")
    local, cluster = (
        dry_run(tmp_path, "all", "--workflow-profile", str(ROOT / "profiles" / name))
        for name in ("default", "slurm")
    )
    assert cluster.returncode == 0, cluster.stdout + cluster.stderr
    tables = [run.stdout.split("Job stats:")[1].split("\ntotal")[0] for run in (local, cluster)]
    assert tables[0] == tables[1]


def test_every_part_of_a_model_that_is_read_is_an_input(tmp_path):
    result = dry_run(tmp_path, "results/help/fr-en/rescore/nlm/run1/test.nbest.gz")
    inputs = re.findall(r"rule rescore_nbest:\n +input: (.*)", result.stdout)
    assert len(inputs) == 1
    for part in ("model.safetensors", "config.json", "vocabulary.txt", "classes.tsv"):
        assert f"lm/nce/{part}" in inputs[0]
