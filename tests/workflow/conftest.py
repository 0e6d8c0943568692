"""A project folder of its own for each test that runs Snakemake, with a tiny corpus in it."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden"
Snakemake = Callable[..., subprocess.CompletedProcess[str]]


def tiny_configuration(corpus: Path) -> dict[str, object]:
    """Overlay of config.yaml: a few hundred sentences, small models, two tuning runs."""
    files = {
        split: {lang: str(corpus / f"{split}.{lang}") for lang in ("fr", "en")}
        for split in ("train", "dev", "test")
    }
    return {
        "task": "tiny",
        "corpus": "toy",
        "pairs": ["fr-en"],
        "corpora": {
            "toy": {
                "kind": "file",
                "description": "sentences of a toy grammar",
                "licence": "none needed",
                "languages": {"fr": "French", "en": "English"},
                "files": files,
            }
        },
        "tuning": {"seeds": [1, 2], "nbest": 50, "restarts": 5, "max_iterations": 3},
        "rescoring": {"nbest": 100, "restarts": 5},
        "decoder": {"pop_limit": 100, "stack": 100},
        "evaluation": {"resamples": 100},
    }


def make_project(folder: Path) -> Path:
    """Lay out a project folder: the default configuration, the tiny corpus, the overlay."""
    shutil.copy(ROOT / "config.yaml", folder)
    shutil.copytree(ROOT / "config", folder / "config")
    (folder / "corpus").mkdir()
    for split in ("train", "dev", "test"):
        for language in ("fr", "en"):
            shutil.copy(GOLDEN / f"{split}.{language}", folder / "corpus")
    (folder / "tiny.yaml").write_text(yaml.safe_dump(tiny_configuration(Path("corpus"))))
    return folder


def run_snakemake(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the workflow in `folder` on two cores with the tiny configuration."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--directory", str(folder), "--cores", "2", "--configfile", "tiny.yaml"]
    command += ["--workflow-profile", str(ROOT / "profiles/default"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=900)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project folder in which the tiny workflow has run; tests leave it as it is."""
    folder = make_project(tmp_path_factory.mktemp("finished"))
    result = run_snakemake(folder, "all")
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A fresh project folder."""
    return make_project(tmp_path)


@pytest.fixture
def copy_of_finished(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished project that a test may change; times are kept."""
    return Path(shutil.copytree(finished, tmp_path / "copy"))
