"""Wrong files and settings: one message that says what, where and how; nothing half-written."""

import re

import pytest
from conftest import PAIR, artefacts, half_written, refused, run_snakemake


def test_a_missing_corpus_is_one_clear_message(project):
    (project / "corpus/train.fr").unlink()
    said = refused(run_snakemake(project, f"{PAIR}/text/train.en.gz"))
    assert re.search(r"Missing input files(.|\n)*corpus/train\.fr", said)
    assert artefacts(project) == {}


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_the_last_line_of_a_failed_run_says_why(project, quiet):
    path = project / "corpus/train.en"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    result = run_snakemake(project, *quiet, "--", f"{PAIR}/text/train.en.gz")
    refused(result)
    assert re.fullmatch(
        r"failed: extract_bitext \(task=tiny, src=fr, tgt=en\): corpus/train\.en: ends after 599 "
        r"lines, .*; log: results/logs/extract_bitext/tiny\.fr-en\.log",
        result.stderr.splitlines()[-1],
    )
    assert artefacts(project) == {}


def test_a_truncated_artefact_is_one_clear_message(copy_of_finished):
    path = copy_of_finished / PAIR / "tm/filtered/phrase-table.gz"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    said = refused(run_snakemake(copy_of_finished, f"{PAIR}/tune/baseline/run1/weights.json"))
    message = r"error: .*phrase-table\.gz:\d+: damaged or truncated gzip file"
    assert re.search(message, said)
    assert half_written(copy_of_finished) == []


def test_no_network_is_one_clear_message(project):
    (project / "tiny.yaml").write_text("task: help\n")
    apt = project / "bin/apt-get"
    apt.parent.mkdir()
    apt.write_text("#!/bin/sh\necho 'E: Could not resolve the host' >&2\nexit 100\n")
    apt.chmod(0o755)
    package = "data/raw/libreoffice-help/libreoffice-help-fr.deb"
    said = refused(run_snakemake(project, package, PATH=f"{apt.parent}:/usr/bin:/bin"))
    assert re.search(
        r"error: cannot download .*libreoffice-help-fr \(version .*\): E: Could not .*network",
        said,
    )
    assert not list((project / "data").rglob("*.deb"))


def test_the_demo_needs_its_languages(project):
    result = run_snakemake(project, "--dry-run", "demo", "--config", "demo_pair=cs-en")
    assert result.returncode != 0
    assert "demo_pair: cs-en: the corpus toy has no language 'cs'" in result.stdout + result.stderr
