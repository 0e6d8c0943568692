"""Dry runs with the default configuration: every target and pair has its jobs."""

import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.mark.parametrize(
    "arguments",
    [
        ["all"],
        ["demo"],
        ["all", "--config", "pairs=[en-cs]"],
        ["results/help/en-de/lm/nce/model.safetensors"],
    ],
)
def test_target_has_its_jobs(arguments, tmp_path):
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--configfile", str(ROOT / "config.yaml"), str(ROOT / "config/corpora.yaml")]
    command += ["--cores", "2", "--dry-run", "--directory", str(tmp_path), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "total" in result.stdout
    other_pairs = "en-de" in result.stdout
    assert other_pairs == (arguments == ["all"] or "en-de" in arguments[0])
