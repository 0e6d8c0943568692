"""Cut off on the way, the same command goes on and gives what an undisturbed run gives."""

import os
import re
import signal
import subprocess
import time

import pytest
from conftest import (
    PAIR,
    differences,
    half_written,
    halting_at,
    logs,
    run_snakemake,
    snakemake_command,
)

from nlmt.errors import SPACE_HINT

# What is logged by the job that goes on, by the file after which it was interrupted.
GOES_ON = {
    "lm/nce/run1/checkpoint/checkpoint.safetensors": r"resuming after \d+ epochs",
    "tune/baseline/run1/checkpoint/state.json": r"resuming after iteration \d+",
}
PATIENCE = 900  # seconds until both are there


def test_interrupted_run_goes_on(finished, project):
    """Neural training and tuning have both halted at a checkpoint when the run is interrupted."""
    log = project / "snakemake.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            snakemake_command(project, "reports"),
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
    result = run_snakemake(project, "--cores", "1", "reports")  # which change no byte
    assert result.returncode == 0, result.stderr
    assert all(re.search(goes_on, logs(project)) for goes_on in GOES_ON.values())
    assert differences(finished, project) == []


def test_full_disk_is_one_clear_message_and_the_run_goes_on(finished, project):
    results = project / "results"
    results.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(results)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small file system")
    try:
        result = run_snakemake(project, "reports")
        assert result.returncode != 0
        output = result.stdout + result.stderr
        assert re.search(f"error: .*{SPACE_HINT}", output)
        assert "Traceback" not in output
        assert half_written(project) == []
        subprocess.run(["mount", "-o", "remount,size=50m", str(results)], check=True)
        result = run_snakemake(project, "reports")
        assert result.returncode == 0, result.stderr
        assert differences(finished, project) == []
    finally:
        subprocess.run(["umount", str(results)], check=True)
