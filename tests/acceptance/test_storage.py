"""Results in S3, with a server of its protocol on this machine: the bytes of a local run."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from tests.workflow.conftest import (
    PAIR,
    change,
    differences,
    half_written,
    make_project,
    run_snakemake,
)


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[str]:
    """The address of a server that keeps what it is given in memory."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)]
    with (tmp_path / "server.log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)


class Bucket:
    """A bucket, the project folders that are run with it, and what it holds."""

    def __init__(self, endpoint: str, name: str) -> None:
        self._variables = {
            "SNAKEMAKE_STORAGE_S3_ENDPOINT_URL": endpoint,
            "SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "none",
            "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "none",
        }
        self._prefix = f"s3://{name}/mine"
        keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none"}
        place = {"endpoint_url": endpoint, "region_name": "us-east-1"}
        self._bucket = boto3.resource("s3", **place, **keys).Bucket(name)

    def run(self, folder: Path, *arguments: str) -> str:
        """Run the workflow; what it prints."""
        storage = ["--default-storage-provider", "s3", "--default-storage-prefix", self._prefix]
        result = run_snakemake(folder, *storage, *arguments, **self._variables)
        printed = result.stdout + result.stderr
        assert result.returncode == 0, printed
        return printed

    def download(self, folder: Path) -> list[str]:
        """Copy all of it into a folder; the names of the files."""
        names = []
        for entry in self._bucket.objects.all():
            name = entry.key.removeprefix("mine/")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            self._bucket.download_file(entry.key, folder / name)
            names.append(name)
        return names


def files_below(folder: Path) -> set[str]:
    """The files of the results, without the records of provenance, which stay in the project."""
    paths = (path for path in (folder / "results").rglob("*") if path.is_file())
    names = {str(path.relative_to(folder)) for path in paths}
    return {name for name in names if not name.startswith("results/provenance/")}


def listed(folder: Path) -> set[str]:
    """The files in a manifest."""
    lines = (folder / PAIR / "report/manifest.sha256").read_text().splitlines()
    return {line.split("  ")[1] for line in lines}


@pytest.fixture
def projects(tmp_path: Path) -> list[Path]:
    """Four folders, the first one with a local run."""
    folders = [tmp_path / name for name in ("finished", "one", "two", "bucket")]
    for folder in folders:
        folder.mkdir()
    for folder in folders[:3]:
        make_project(folder)
    result = run_snakemake(folders[0], "reports")
    assert result.returncode == 0, result.stdout + result.stderr
    return folders


def test_the_bytes_of_a_local_run(endpoint: str, projects: list[Path]) -> None:
    finished, project, other, copy = projects
    bucket = Bucket(endpoint, "nlmt")
    bucket.run(project, "reports")
    assert set(bucket.download(copy)) == files_below(finished)
    assert differences(finished, copy) == []
    assert half_written(project) == []
    assert not list((project / PAIR).rglob("*.gz"))  # local copies go when they are not needed
    assert "Nothing to be done" in bucket.run(project, "--dry-run", "reports")
    # In another folder, as on another machine; its corpus is no newer than the results.
    for path in (other / "corpus").iterdir():
        os.utime(path, (0, 0))
    assert "Nothing to be done" in bucket.run(other, "--dry-run", "reports")
    # What a changed parameter asks for is made, from what comes back from the bucket.
    change(project, evaluation={"resamples": 50})
    printed = bucket.run(project, "reports")
    assert "rule evaluate_system:" in printed
    assert "rule rerank_nbest:" not in printed
    bucket.download(copy)
    changed = [f"{PAIR}/eval/{name}.json" for name in ("baseline", "nlm", "nlm_decoder")]
    assert differences(finished, copy) == changed


def test_local_copies_that_are_kept_are_all_a_manifest_lists(
    endpoint: str, projects: list[Path]
) -> None:
    finished, project, _, copy = projects
    change(project, decoder={"pop_limit": 100, "stack": 100, "shards": 2})
    change(finished, decoder={"pop_limit": 100, "stack": 100, "shards": 2})
    result = run_snakemake(finished, "reports")
    assert result.returncode == 0, result.stdout + result.stderr
    bucket = Bucket(endpoint, "nlmt")
    bucket.run(project, "--keep-storage-local-copies", "reports")
    bucket.download(copy)
    assert differences(finished, copy) == []
    # Snakemake keeps the copies of temporary files, too, which are no longer in the bucket.
    temporary = {name for name in listed(copy) if "/shards/" in name}
    assert listed(copy) - temporary == listed(finished)
    manifest = f"{PAIR}/report/manifest.sha256"
    subprocess.run(["sha256sum", "--check", "--quiet", manifest], check=True, cwd=project)
    command = [sys.executable, "-m", "nlmt.cli", "provenance", f"{PAIR}/report/results.tsv"]
    subprocess.run(command, check=True, cwd=project)
