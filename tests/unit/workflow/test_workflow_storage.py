"""Local copies of a storage under the paths of the project, by links."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.iocontainers import InputFiles, Log, OutputFiles

from nlmt.errors import InputError
from nlmt.io.files import temporary_beside
from nlmt.workflow.storage import (
    PREFIXES,
    link_folders,
    project_path,
    root_of,
    use_paths_of_project,
    use_prefix,
)

ROOT = ".snakemake/storage/s3/bucket/mine"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("log", "root"),
    [
        ("results/logs/decode/a.log", None),
        (f"{ROOT}/results/logs/decode/a.log", ROOT),
        ("/scratch/gcs/results/logs/results/logs/decode/a.log", "/scratch/gcs/results/logs"),
        ("logs/job.log", None),
        ("a/results/b/logs/job.log", None),
    ],
)
def test_the_root_is_above_the_logs(log: str, root: str | None) -> None:
    assert root_of(log) == (root and Path(root))


def test_a_job_has_the_paths_of_the_project(project: Path) -> None:
    job = SimpleNamespace(
        input=InputFiles(fromdict={"text": f"{ROOT}/results/a", "published": "config/papers/b"}),
        output=OutputFiles([f"{ROOT}/results/c", f"{ROOT}/data/raw/d/e"]),
        log=Log([f"{ROOT}/results/logs/make/x.log"]),
    )
    use_paths_of_project(job)
    assert (job.input.text, job.input.published) == ("results/a", "config/papers/b")
    assert list(job.input) == ["results/a", "config/papers/b"]
    assert list(job.output) == ["results/c", "data/raw/d/e"]
    assert job.log[0] == "results/logs/make/x.log"
    Path("results/c").touch()
    Path("data/raw/d").mkdir()
    assert (project / ROOT / "results/c").exists()
    assert (project / ROOT / "data/raw/d").is_dir()


def test_without_a_storage_nothing_is_changed(project: Path) -> None:
    for folder in ("", f"{project}/"):
        log = [f"{folder}results/logs/make/x.log"]
        job = SimpleNamespace(input=["results/a"], output=["results/c"], log=log)
        use_paths_of_project(job)
        assert job.log is log
        assert list(project.iterdir()) == []


def test_a_job_of_a_module_runs_in_its_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PREFIXES, "")
    use_prefix(Path("mt"))
    (project / "mt").mkdir()
    job = SimpleNamespace(
        input=InputFiles(["mt/results/a", "/corpora/b"]),
        output=OutputFiles(["mt/results/c"]),
        log=Log(["mt/results/logs/make/x.log"]),
    )
    use_paths_of_project(job)
    assert Path.cwd() == project / "mt"
    assert list(job.input) == ["results/a", "/corpora/b"]
    assert (list(job.output), job.log[0]) == (["results/c"], "results/logs/make/x.log")
    assert list(Path().iterdir()) == []


def test_links_follow_the_storage(project: Path) -> None:
    link_folders(Path("one"))
    before = Path("results").lstat()
    for root in ("one", str(project / "two")):
        link_folders(Path(root))
        Path("results/name").write_text(root)
        assert (Path("results").lstat().st_ino == before.st_ino) == (root == "one")
    assert Path("one/results/name").read_text() == "one"
    assert Path("two/results/name").read_text() == str(project / "two")
    link_folders(Path("two"))
    assert Path("results").readlink() == Path("two/results")
    assert Path("data/raw").readlink() == Path("../two/data/raw")
    assert sorted(path.name for path in project.iterdir()) == ["data", "one", "results", "two"]


def test_results_of_a_run_without_the_storage_stay() -> None:
    Path("results/help").mkdir(parents=True)
    with pytest.raises(InputError, match="results: a link to the storage's local copies"):
        link_folders(Path(ROOT))


def test_paths_that_users_give(project: Path) -> None:
    link_folders(Path(ROOT))
    other = project.with_name(f"{project.name}.link")
    other.symlink_to(project)
    (project / "a").touch()
    for given in ("results/a", f"{project}/results/a", f"../{project.name}/data/../results/a"):
        assert project_path(Path(given)) == Path("results/a")
    assert project_path(other / "a") == Path("a")
    assert project_path(Path("/dev/null")) == Path("/dev/null")


def test_folders_of_modules_are_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PREFIXES, raising=False)
    for folder in ("a", "b/c", "a"):
        use_prefix(Path(folder))
    assert os.environ[PREFIXES].split(os.pathsep) == ["", "a", "b/c"]


def test_a_half_made_link_of_another_machine_stays(project: Path) -> None:
    """Its process may have the same number."""
    theirs = temporary_beside(Path("results"))
    theirs.symlink_to("theirs")
    link_folders(Path("one"))
    assert (Path("results").readlink(), theirs.readlink()) == (Path("one/results"), Path("theirs"))
