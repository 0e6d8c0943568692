"""The whole chain on a tiny corpus: it runs, goes on, reruns what it must, says why not."""

import csv
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, run_snakemake

PAIR = "results/tiny/fr-en"


def rules_to_run(output: str) -> set[str]:
    """Names of the rules in the job table that a dry run prints."""
    table = output.split("Job stats:")[1].split("total")[0]
    return set(re.findall(r"^([a-z]\w+) +\d+$", table, flags=re.MULTILINE))


def change(folder: Path, **keys: object) -> None:
    """Change top-level keys of the tiny configuration."""
    path = folder / "tiny.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | keys))


def artefacts(folder: Path) -> dict[str, bytes]:
    """Every artefact of the pair that holds no time."""
    timed = re.compile(r"log\.tsv|metrics\.json|requests\.json|report/|/checkpoint")
    files = (path for path in (folder / PAIR).rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if not timed.search(str(path))
    }


def test_report_compares_the_systems(finished):
    with (finished / PAIR / "report/results.tsv").open() as stream:
        rows = {row["system"]: row for row in csv.DictReader(stream, delimiter="\t")}
    assert set(rows) == {"baseline", "nlm"}
    for row in rows.values():
        assert 20 < float(row["mean"]) <= 100
        assert "tok:none" in row["signature"]
    assert (finished / PAIR / "report/index.html").read_text().count("<svg") >= 1


def test_scores_are_means_over_the_seeds(finished):
    scores = json.loads((finished / PAIR / "eval/nlm.json").read_text())
    assert scores["seeds"] == [1, 2]
    assert scores["mean"] == pytest.approx(sum(scores["bleu"]) / 2)


def test_second_run_has_nothing_to_do(finished):
    result = run_snakemake(finished, "--dry-run", "all")
    assert "Nothing to be done" in result.stdout + result.stderr


def test_same_seed_gives_the_same_bytes(finished, project):
    result = run_snakemake(project, "--cores", "1", "all")
    assert result.returncode == 0, result.stderr
    first, second = artefacts(finished), artefacts(project)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"evaluation": {"resamples": 50}}, {"evaluate_system", "write_report"}),
        (
            {"rescoring": {"nbest": 100, "restarts": 3}},
            {"tune_reranking", "rerank_nbest", "evaluate_system", "write_report"},
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


def test_interrupted_run_goes_on(project):
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--cores", "2", "--configfile", "tiny.yaml", f"{PAIR}/tm/filtered/phrase-table.gz"]
    process = subprocess.Popen(
        command, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    started = project / PAIR / "text/train.fr.gz"
    for _ in range(600):
        if started.exists() or process.poll() is not None:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert not list((project / "results").rglob(".[0-9]*")), "half-written files stay behind"
    result = run_snakemake(project, f"{PAIR}/tm/filtered/phrase-table.gz")
    assert result.returncode == 0, result.stderr


def _drop_last_line(folder: Path) -> None:
    path = folder / "corpus/train.en"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")


def _latin1(folder: Path) -> None:
    path = folder / "corpus/train.fr"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[4] = "déjà vu\n".encode("latin-1")
    path.write_bytes(b"".join(lines))


def _empty(folder: Path) -> None:
    for language in ("fr", "en"):
        (folder / f"corpus/train.{language}").write_text("")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_drop_last_line, r"train\.(fr|en).*(599|600)"),
        (_latin1, r"train\.fr:5: not UTF-8"),
        (_empty, r"train\.(fr|en): no sentence pair"),
    ],
)
def test_bad_corpus_is_one_clear_message(project, damage, message):
    damage(project)
    result = run_snakemake(project, f"{PAIR}/text/train.en.gz")
    assert result.returncode != 0
    assert re.search(message, result.stdout + result.stderr)
    assert "Traceback" not in result.stdout + result.stderr
    assert not (project / PAIR / "text/train.en.gz").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tunning": {}}, "unknown key 'tunning'"),
        ({"pairs": ["xx-en"]}, "no language 'xx'"),
        ({"corpus": "toi"}, r"unknown corpus 'toi' \(allowed: .*toy"),
        (
            {"systems": {"one": {"label": "one", "language_model": "kn6"}}},
            "unknown language model 'kn6'",
        ),
    ],
)
def test_bad_configuration_is_one_clear_message(project, changed, message):
    change(project, **changed)
    result = run_snakemake(project, "--dry-run", "all")
    assert result.returncode != 0
    assert re.search(message, result.stdout + result.stderr)
    assert "Traceback" not in result.stdout + result.stderr
