"""A project folder of its own for each test that runs Snakemake, with a tiny corpus in it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from nlmt.io.locks import locked

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden"
PAIR = "results/tiny/fr-en"
HALT = "halt"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the longest test begin first, so that no process is left with it at the end."""
    items.sort(key=lambda item: item.path.stem != "test_bare_system")


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
        "runs": 2,
        "tuning": {"nbest": 50, "restarts": 5, "max_iterations": 2},
        "rescoring": {"nbest": 100, "restarts": 5},
        "decoder": {"pop_limit": 100, "stack": 100},
        "evaluation": {"resamples": 100},
    }


def make_project(folder: Path) -> Path:
    """Lay out a folder to run the workflow in: the tiny corpus, the overlay."""
    (folder / "corpus").mkdir()
    for split in ("train", "dev", "test"):
        for language in ("fr", "en"):
            shutil.copy(GOLDEN / f"{split}.{language}", folder / "corpus")
    (folder / "tiny.yaml").write_text(yaml.safe_dump(tiny_configuration(Path("corpus"))))
    return folder


def change(folder: Path, **keys: object) -> None:
    """Change top-level keys of the tiny configuration."""
    path = folder / "tiny.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | keys))


SMALL = {"kind": "neural", "dim": 30}


def use_auli2013(folder: Path) -> None:
    """Some of the paper's models and systems, in one tuning run; there is no second test set."""
    gru = {**SMALL, "network": "gru", "dim": 20, "output": "short-list", "short_list": 50}
    paper, combined = (
        yaml.safe_load((ROOT / f"config/papers/{name}.yaml").read_text())
        for name in ("auli2013", "combined")  # the systems of the second take models of all papers
    )
    models = dict.fromkeys(paper["language_models"])
    trained = {"epochs": 1, "search": {"learning_rate": [0.2]}}
    for name in ("ww_rnn_n5", "oracle80"):
        models[f"auli2013_{name}"] = {"dim": 20, **trained}
    models["auli2013_source"] = trained  # its dim is the size of others' vectors
    models["auli2013_kn5_further"] = {}
    systems = dict.fromkeys([*paper["systems"], *combined["systems"]])
    for name in ("baseline", "two_ngrams", "oracle80", "ww_rnn_n5_without_ef"):
        systems[f"auli2013_{name}"] = {"test_sets": ["test"], "compared_with": []}
    systems["auli2013_rnn_lattice10"] = {"rescored_with": ["nce", "gru"]}
    change(
        folder,
        texts={"auli2013_further": {"corpora": ["bitext"], "share": 0.5}},
        language_models={**models, "gru": {**gru, "objective": "likelihood", "epochs": 1}},
        systems=systems,
        runs=1,
        papers={
            "auli2013": {"lists": [1, 20], "states": [1, 20]},
            "baltescu2015": {"repetitions": 2},  # of times that it measures, too
        },
    )


def snakemake_command(folder: Path, *arguments: str) -> list[str]:
    """The command that runs the workflow in `folder` on two cores.

    Snakemake's default scheduler would start a solver for each choice of jobs.
    """
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--directory", str(folder), "--cores", "2", "--configfile", "tiny.yaml"]
    command += ["--scheduler", "greedy", "--workflow-profile", str(ROOT / "profiles/default")]
    return [*command, *arguments]


def run_snakemake(
    folder: Path, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the workflow in `folder` with the tiny configuration and environment `variables`."""
    return subprocess.run(
        snakemake_command(folder, *arguments),
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | variables,
        timeout=900,
    )


def succeeded(result: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    """A run that must not fail; where it does, all that it said is shown."""
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def refused(result: subprocess.CompletedProcess[str]) -> str:
    """The output of a run that must fail with a message and without a traceback."""
    output = result.stdout + result.stderr
    assert result.returncode != 0, output
    assert "Traceback" not in output
    return output


def halting_at(folder: Path, *reached: str) -> dict[str, str]:
    """Environment of a run in which a job halts once it has written a file (`halting.py`).

    Args:
        folder: of the project.
        reached: ends of the paths of such files; `go_on` ends the halt at each.
    """
    (folder / HALT).mkdir()
    for path in reached:
        (folder / HALT / Path(path).name).write_text(path)
    plugin = Path(__file__).with_name("halting.py")
    return {"NLMT_PLUGINS": str(plugin), "NLMT_HALT": str(folder / HALT)}


def go_on(folder: Path, reached: str) -> None:
    """Let the job go on that `halting_at` has halted there."""
    (folder / HALT / Path(reached).name).unlink()


def logs(folder: Path) -> str:
    """Return the logs of the last jobs."""
    paths = sorted((folder / "results/logs").rglob("*.log"))
    return "".join(path.read_text() for path in paths)


def artefacts(folder: Path, pair: str = PAIR) -> dict[str, bytes]:
    """Every artefact of a pair that holds no time."""
    timed = re.compile(r"log\.tsv|(metrics|requests|search|searches|speed)\.json|report/")
    files = (path for path in (folder / pair).rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if not timed.search(str(path))
    }


def made_as(finished: Path, folder: Path, *names: str) -> None:
    """These artefacts are there; they and all others are those of `finished`, byte for byte."""
    expected, found = artefacts(finished), artefacts(folder)
    assert set(names) <= found.keys()
    assert found == {name: expected[name] for name in found}


def differences(one: Path, other: Path) -> list[str]:
    """Names of the artefacts that are not the same in both project folders."""
    first, second = artefacts(one), artefacts(other)
    return sorted(
        name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
    )


def half_written(folder: Path) -> list[Path]:
    """What writers leave behind where they do not clear up."""
    return list((folder / "results").rglob(".*"))


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project folder in which the tiny workflow has run; tests leave it as it is.

    One for all processes of pytest-xdist, whose temporary folders have a parent in common.
    """
    parent = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        parent = parent.parent
    folder, end = parent / "finished", parent / "finished.end"
    with locked(parent / "finished.lock"):
        if not end.exists():
            folder.mkdir()
            result = run_snakemake(make_project(folder), "reports")
            end.write_text(result.stdout + result.stderr if result.returncode else "")
    assert end.read_text() == ""
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A fresh project folder."""
    return make_project(tmp_path)


@pytest.fixture
def copy_of_finished(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished project that a test may change; times are kept."""
    return Path(shutil.copytree(finished, tmp_path / "copy"))
