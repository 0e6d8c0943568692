"""The workflow on a real Slurm: faults are injected, and the bytes are those of a local run."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from slurm_cluster import NODES, Cluster, cluster, missing_programs, run

from tests.workflow.conftest import (
    PAIR,
    ROOT,
    change,
    differences,
    go_on,
    half_written,
    halting_at,
    make_project,
    run_snakemake,
)

MODEL = f"{PAIR}/lm/nce/run1/model.safetensors"
WEIGHTS = f"{PAIR}/tune/baseline/run1/weights.json"
TRAINING = f"{PAIR}/lm/nce/run1/checkpoint/checkpoint.safetensors"
DECODED = f"{PAIR}/decode/baseline/run1/test.hyp"
TUNING = f"{PAIR}/tune/baseline/run1/checkpoint/state.json"
# Outputs of `measure_perplexity`, which no target of these tests makes again.
MEASURED = ("perplexity.json", "sentences.json")
PROCESSORS = 2  # of each node
GROUPS = ("rerank", "evaluate", "perplexity")  # of short jobs
STARTED: list[subprocess.Popen[str]] = []


@pytest.fixture(scope="module", params=[False, True], ids=["squeue", "accounting"])
def slurm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    """A cluster, without and with accounting."""
    missing = missing_programs(request.param)
    if missing:
        pytest.fail(f"missing: {', '.join(missing)}; make acceptance-slurm installs them")
    folder = tmp_path_factory.mktemp("slurm")
    with cluster(folder, processors=PROCESSORS, accounting=request.param) as made:
        yield made


@pytest.fixture(autouse=True)
def nothing_left(slurm: Cluster) -> Iterator[None]:
    """Ends what a failed test leaves, so that the next one finds an idle cluster."""
    yield
    for process in STARTED:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    STARTED.clear()
    run("scancel", "--user", "root")
    wait_until(lambda: slurm.jobs() == [])


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which the tiny workflow has run without a cluster."""
    folder = make_project(tmp_path_factory.mktemp("finished"))
    result = run_snakemake(folder, "reports")
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture
def project(finished: Path, tmp_path: Path) -> Path:
    """The finished project without its neural model and the weights of one tuning run."""
    folder = tmp_path / "project"
    shutil.copytree(finished, folder, copy_function=shutil.copy2)
    shutil.rmtree(folder / PAIR / "tune/baseline/run1")
    for path in (folder / PAIR / "lm/nce/run1").iterdir():
        if path.name not in MEASURED:
            path.unlink()
    return folder


def profile(folder: Path, **changes: object) -> Path:
    """The project's profile for Slurm, for these small nodes, with short pauses between queries."""
    settings = yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text())
    settings |= {"slurm-init-seconds-before-status-checks": 5, "seconds-between-status-checks": 5}
    settings |= {
        "slurm-no-account": True,
        "max-threads": PROCESSORS,
        "group-components": [f"{group}={PROCESSORS}" for group in GROUPS],
        "configfile": ["tiny.yaml"],
        "latency-wait": 10,
    } | changes
    place = folder / "profile"
    place.mkdir(exist_ok=True)
    (place / "profile.yaml").write_text(yaml.safe_dump(settings))
    return place


def start(
    folder: Path, *targets: str, halt: str | None = None, **changes: object
) -> subprocess.Popen[str]:
    """Start Snakemake on the cluster; its messages go to `snakemake.out`.

    `halt`: a file after which a job halts, until `go_on`.
    """
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--workflow-profile", str(profile(folder, **changes)), *targets]
    with (folder / "snakemake.out").open("a") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | (halting_at(folder, halt) if halt else {}),
            stdout=out,
            stderr=out,
            text=True,
            start_new_session=True,
        )
    STARTED.append(process)
    return process


def end(process: subprocess.Popen[str], folder: Path) -> str:
    """Wait for a Snakemake that must end well; its messages."""
    status = process.wait(3600)
    messages = (folder / "snakemake.out").read_text()
    assert status == 0, messages[-5000:]
    return messages


def wait_until(ready: Callable[[], object], seconds: float = 1800) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def job_of(slurm: Cluster, rule: str) -> str:
    """The number of the running job of a rule."""
    found = [number for number, _, comment in slurm.jobs("RUNNING") if f"rule_{rule}" in comment]
    assert found, f"{rule} has ended before anything could happen to it"
    return found[0]


def wait_for_end(slurm: Cluster, number: str) -> None:
    """Wait until no process of a job is left: halted, and then let go on, one would end well."""
    wait_until(lambda: number not in [other for other, _, _ in slurm.jobs()])


def log_of(folder: Path, rule: str) -> str:
    """What the last job of a rule logged."""
    logs = (folder / "results/logs" / rule).rglob("*.log")
    return max(logs, key=lambda path: path.stat().st_mtime).read_text()


def unchanged(finished: Path, folder: Path) -> None:
    assert differences(finished, folder) == []
    assert half_written(folder) == []


def test_the_whole_workflow(slurm: Cluster, finished: Path, tmp_path: Path) -> None:
    """Short jobs share a Slurm job."""
    folder = make_project(tmp_path)
    messages = end(start(folder, "reports"), folder)
    jobs = re.search(r"^total +(\d+)", messages, re.M)
    assert jobs
    assert 0 < messages.count("has been submitted") < int(jobs[1]) - 5
    unchanged(finished, folder)


def test_shards_on_two_nodes(slurm: Cluster, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        make_project(folder)
        decoder = yaml.safe_load((folder / "tiny.yaml").read_text())["decoder"]
        change(folder, decoder=decoder | {"shards": 4})
    result = run_snakemake(here, WEIGHTS, DECODED)
    assert result.returncode == 0, result.stdout + result.stderr
    process, nodes = start(there, WEIGHTS, DECODED), set()
    while process.poll() is None:
        running = run("squeue", "--noheader", "--states", "RUNNING", "--format", "%N %k")
        nodes |= {line.split()[0] for line in running.splitlines() if "rule_decode" in line}
        time.sleep(0.2)
    end(process, there)
    assert nodes == set(NODES)
    unchanged(here, there)


def test_one_model_on_two_nodes(slurm: Cluster, tmp_path: Path) -> None:
    """By torchrun, as docs/clusters.md has it; the bytes of two processes on one machine."""
    (tmp_path / "model.yaml").write_text("{engine: torch, dim: 16, epochs: 2, output: full}")
    golden = ROOT / "tests/golden"
    train = ["lm", "train", "--config", tmp_path / "model.yaml", "--threads", "1"]
    train += ["--train", golden / "train.en", "--dev", golden / "dev.en", "--out"]
    here, there = tmp_path / "here", tmp_path / "there"
    run(*map(str, [Path(sys.executable).with_name("nlmt"), *train, here, "--processes", "2"]))
    launcher = [Path(sys.executable).with_name("torchrun"), "--nnodes", "2"]
    launcher += ["--nproc-per-node", "1", "--rdzv-backend", "c10d", "--rdzv-id", "1"]
    launcher += ["--rdzv-endpoint", "127.0.0.1:29500"]
    script = tmp_path / "train.sh"
    command = shlex.join(map(str, [*launcher, "-m", "nlmt.cli", *train, there]))
    script.write_text(f"#!/bin/sh\nsrun hostname\nexec srun {command}\n")
    job = ["--nodes", "2", "--ntasks-per-node", "1", "--output", str(tmp_path / "log")]
    run("sbatch", "--wait", *job, str(script))
    for name in ("model.safetensors", "config.json", "vocabulary.txt"):
        assert (here / name).read_bytes() == (there / name).read_bytes()


def test_a_cancelled_job_is_submitted_again(slurm: Cluster, finished: Path, project: Path) -> None:
    process = start(project, MODEL, WEIGHTS, halt=TRAINING)
    wait_until((project / TRAINING).exists)
    number = job_of(slurm, "train_neural_lm")
    run("scancel", number)
    wait_for_end(slurm, number)
    go_on(project, TRAINING)
    end(process, project)
    assert "resuming after" in log_of(project, "train_neural_lm")
    unchanged(finished, project)


def test_a_job_over_its_time_is_submitted_again(
    slurm: Cluster, finished: Path, project: Path
) -> None:
    process = start(project, MODEL, WEIGHTS, halt=TUNING)
    wait_until((project / TUNING).exists)
    number = job_of(slurm, "tune_weights")
    run("scontrol", "update", f"jobid={number}", "timelimit=0:01")
    wait_for_end(slurm, number)  # Slurm looks twice a minute
    go_on(project, TUNING)
    messages = end(process, project)
    assert len(re.findall("Job .* has been submitted", messages)) > len((MODEL, WEIGHTS))
    unchanged(finished, project)


def test_a_job_over_its_memory_gets_more(slurm: Cluster, finished: Path, project: Path) -> None:
    resources = ["tune_weights:mem_mb=attempt*100"]
    messages = end(start(project, MODEL, WEIGHTS, **{"set-resources": resources}), project)
    assert len(re.findall("Job .* has been submitted", messages)) > len((MODEL, WEIGHTS))
    unchanged(finished, project)


def test_jobs_of_a_node_that_goes_down(slurm: Cluster, finished: Path, project: Path) -> None:
    process = start(project, MODEL, WEIGHTS, halt=TRAINING)
    wait_until((project / TRAINING).exists)
    number = job_of(slurm, "train_neural_lm")
    node = run("squeue", "--noheader", "--jobs", number, "--format", "%N").strip()
    slurm.stop_node(node)
    go_on(project, TRAINING)
    slurm.start_node(node)
    run("scontrol", "update", f"nodename={node}", "state=resume")
    end(process, project)
    unchanged(finished, project)


@pytest.mark.parametrize("recovery", ["documented", "at once"])
def test_after_snakemake_was_killed(
    slurm: Cluster, finished: Path, project: Path, recovery: str
) -> None:
    process = start(project, MODEL, WEIGHTS, halt=TRAINING)
    wait_until((project / TRAINING).exists)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    go_on(project, TRAINING)
    snakemake = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    if recovery == "documented":
        wrapper = project / "unlock.sh"
        wrapper.write_text(f'#!/bin/sh\nexec {" ".join(snakemake)} --configfile tiny.yaml "$@"\n')
        wrapper.chmod(0o755)
        subprocess.run(
            [ROOT / "tools/recover_slurm.sh"],
            cwd=project, env=os.environ | {"SNAKEMAKE": str(wrapper)}, check=True,
        )  # fmt: skip
        assert slurm.jobs() == []
    else:
        unlock = [*snakemake, "--configfile", "tiny.yaml", "--unlock"]
        subprocess.run(unlock, cwd=project, check=True)
    end(start(project, MODEL, WEIGHTS), project)
    wait_until(lambda: slurm.jobs() == [])
    unchanged(finished, project)


# A plugin: Snakemake makes a file once it has noted a job as submitted.
NOTED = """\
from pathlib import Path
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
note = RemoteExecutor.report_job_submission
def note_and_tell(*arguments, **named):
    note(*arguments, **named)
    Path("noted").touch()
RemoteExecutor.report_job_submission = note_and_tell
"""


def test_a_rule_with_more_threads_than_a_node_has(
    slurm: Cluster, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for ever, in the state that the documentation names; `max-threads` prevents it."""
    (project / "noted.py").write_text(NOTED)
    monkeypatch.setenv("NLMT_PLUGINS", str(project / "noted.py"))
    threads = 4 * PROCESSORS
    changes = {"max-threads": threads, "set-threads": [f"tune_weights={threads}"]}
    process = start(project, WEIGHTS, **changes)
    wait_until(lambda: "PENDING PartitionConfig" in run("squeue", "--format", "%T %r"))
    wait_until((project / "noted").exists)  # Snakemake cancels the jobs that it has noted
    os.killpg(process.pid, signal.SIGINT)
    process.wait(1800)
    wait_until(lambda: slurm.jobs() == [])
