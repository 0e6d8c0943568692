"""Cut off on the way, the same command goes on and gives what an undisturbed run gives."""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest
from conftest import (
    PAIR,
    half_written,
    halting_at,
    logs,
    made_as,
    refused,
    run_snakemake,
    snakemake_command,
    succeeded,
)

from nlmt.errors import SPACE_HINT

# Two targets; what is logged by the job that goes on, by the file after which it was interrupted.
TARGETS = (f"{PAIR}/lm/nce/run1/model.safetensors", f"{PAIR}/tune/baseline/run1/weights.json")
GOES_ON = {
    "lm/nce/run1/checkpoint/checkpoint.safetensors": r"resuming after \d+ epochs",
    "tune/baseline/run1/checkpoint/state.json": r"resuming after iteration \d+",
}
PATIENCE = 900  # seconds until both are there


def test_interrupted_run_goes_on(finished, copy_of_finished):
    """Neural training and tuning have both halted at a checkpoint when the run is interrupted."""
    project = copy_of_finished
    for target in TARGETS:
        shutil.rmtree((project / target).parent)
    log = project / "snakemake.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            snakemake_command(project, *TARGETS),
            cwd=project,
            env=os.environ | halting_at(project, *GOES_ON),
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    deadline = time.monotonic() + PATIENCE
    try:
        while not all((project / PAIR / reached).exists() for reached in GOES_ON):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.01)
    finally:
        # As Ctrl-C does: to Snakemake and to all jobs.
        subprocess.run(["kill", "-INT", "--", f"-{process.pid}"], check=False)
        process.wait()
    assert process.returncode not in (0, -signal.SIGINT)
    assert half_written(project) == []
    succeeded(run_snakemake(project, "--cores", "1", *TARGETS))  # which change no byte
    assert all(re.search(goes_on, logs(project)) for goes_on in GOES_ON.values())
    made_as(finished, project, *TARGETS)


def test_full_disk_is_one_clear_message_and_the_run_goes_on(finished, copy_of_finished):
    """The disk is full when a decoding job writes its n-best list."""
    target = f"{PAIR}/decode/baseline/run1/test.hyp"
    folder = (copy_of_finished / target).parent
    shutil.rmtree(folder)
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small file system")
    kept = folder / "kept"
    kept.touch()  # Snakemake removes empty folders, which fails where one is a mount
    try:
        said = refused(run_snakemake(copy_of_finished, target))
        assert re.search(f"error: .*{SPACE_HINT}", said)
        assert half_written(copy_of_finished) == []
        subprocess.run(["mount", "-o", "remount,size=50m", str(folder)], check=True)
        succeeded(run_snakemake(copy_of_finished, target))
        kept.unlink()
        made_as(finished, copy_of_finished, target)
    finally:
        subprocess.run(["umount", str(folder)], check=True)
