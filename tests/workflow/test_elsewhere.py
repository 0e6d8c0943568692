"""The workflow away from its checkout: in a folder without one, and as a module of another one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import PAIR, ROOT, made_as, refused, succeeded, tiny_configuration

PROJECT = ("Snakefile", "rules", "workflow", "envs", "profiles", "config", "config.yaml")
SNAKEMAKE = [sys.executable, "-m", "snakemake", "--cores", "2"]
TEXT = f"{PAIR}/text/train.en.gz"
MODEL = f"{PAIR}/lm/kn5/model.binary"
PARENT = """\
configfile: "settings.yaml"

module nlmt:
    snakefile: "{snakefile}"
    {settings}

rule all:
    input: "sentences.txt"

rule count_sentences:
    input: text="{text}", model="{model}"
    output: "sentences.txt"
    shell: "zcat {{input.text}} | wc -l > {{output}}"

use rule * from nlmt as nlmt_*
"""


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)


def write_parent(folder: Path, settings: str, prefix: str = "") -> None:
    """Another workflow, whose only rule takes what the module makes."""
    made = {"text": prefix + TEXT, "model": prefix + MODEL}
    text = PARENT.format(snakefile=ROOT / "Snakefile", settings=settings, **made)
    (folder / "Snakefile").write_text(text)
    tiny = yaml.safe_load((folder / "tiny.yaml").read_text())
    (folder / "settings.yaml").write_text(yaml.safe_dump({"mine": 1, "nlmt": tiny}))


def test_the_folder_of_the_snakefile_gives_the_same_bytes(finished, project):
    """`finished` has been made in a folder without the Snakefile and the default configuration."""
    assert not (finished / "config.yaml").exists()
    for name in PROJECT:
        (project / name).symlink_to(ROOT / name)
    succeeded(run([*SNAKEMAKE, TEXT, MODEL, "--configfile", "tiny.yaml"], project))
    made_as(finished, project, TEXT, MODEL)


def test_a_module_gives_the_same_bytes(finished, project):
    write_parent(project, 'config: config["nlmt"]')
    (project / "results").mkdir()  # the other workflow's own
    succeeded(run(SNAKEMAKE, project))
    assert (project / "sentences.txt").read_text().strip() == "600"
    made_as(finished, project, TEXT, MODEL)


def test_the_jobs_of_a_module_with_a_prefix_run_in_its_folder(finished, project):
    settings = 'config: config["nlmt"]\n    prefix: "mt"'
    write_parent(project, settings, "mt/")
    result = run([*SNAKEMAKE, "--dry-run"], project)
    assert result.returncode != 0
    message = "corpus/train.fr: with prefix, name your files by absolute paths"
    assert message in result.stdout + result.stderr
    tiny = tiny_configuration(project / "corpus")
    (project / "tiny.yaml").write_text(yaml.safe_dump(tiny))
    write_parent(project, settings, "mt/")
    (project / "results").mkdir()  # the other workflow's own
    weights = f"{PAIR}/tune/baseline/run1/weights.json"
    succeeded(run([*SNAKEMAKE, "sentences.txt", f"mt/{weights}"], project))
    made_as(finished, project / "mt", TEXT, MODEL, weights)
    assert list((project / "results").iterdir()) == []
    again = run([*SNAKEMAKE, "--dry-run"], project)
    assert "Nothing to be done" in again.stdout + again.stderr


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ("", (r"^nlmt_download_corpus +2$",)),
        (
            'config: {"scale": "mini", "decoder": {"shards": 3}}',
            (r"^nlmt_decode_shard +\d+$", r"output: results/wmt14-mini/fr-en/lm/nce/run1/"),
        ),
    ],
    ids=["the default", "a scale and keys of its own"],
)
def test_the_configuration_of_a_module_is_laid_over_the_default(settings, shown, project):
    write_parent(project, settings)
    (project / "settings.yaml").write_text("{}\n")
    result = succeeded(run([*SNAKEMAKE, "--dry-run", "nlmt_demo"], project))
    for pattern in shown:
        assert re.search(pattern, result.stdout, re.MULTILINE), result.stdout


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("config: config", "settings.yaml:1: mine: unknown key"),
        ('config: {"scale": "ful"}', "scale: 'ful' is not allowed (did you mean 'full'?"),
        ('replace_prefix: {"results/": "mt/"}', "replace_prefix: files of an experiment"),
    ],
    ids=["other keys", "a scale", "replaced prefixes"],
)
def test_faults_of_a_module(settings, message, project):
    write_parent(project, settings)
    assert message in refused(run([*SNAKEMAKE, "--dry-run"], project))


def test_a_second_default_configuration_is_not_passed_over(project):
    command = [*SNAKEMAKE, "--snakefile", str(ROOT / "Snakefile"), "--dry-run", TEXT]
    (project / "config.yaml").write_text((project / "tiny.yaml").read_text())
    said = refused(run([*command, "--configfile", "tiny.yaml"], project))
    assert f"\nconfig.yaml: not read: the default configuration is {ROOT}/config.yaml (" in said
    given = succeeded(run([*command, "--configfile", "config.yaml"], project))
    assert TEXT in given.stdout


def test_commands_know_the_project(project):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    nlmt = [sys.executable, "-m", "nlmt.cli"]
    for arguments, said in (
        (["config", "check", "tiny.yaml"], "the configuration is valid"),
        (["resources", "reports", "--configfile", "tiny.yaml"], "hours on 8 cores"),
        (["doctor", "--offline"], " versions: "),
    ):
        done = subprocess.run(
            [*nlmt, *arguments], cwd=project, env=environment, capture_output=True, text=True
        )
        assert said in done.stdout, done.stdout + done.stderr
