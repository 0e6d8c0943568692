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


@pytest.mark.parametrize(
    ("reached", "goes_on"),
    [
        ("lm/nce/run1/checkpoint/checkpoint.safetensors", r"resuming after \d+ epochs"),
        ("tune/baseline/run1/checkpoint/state.json", r"resuming after iteration \d+"),
    ],
    ids=["neural training", "tuning"],
)
def test_interrupted_run_goes_on(finished, project, reached, goes_on):
    log = project / "snakemake.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            snakemake_command(project, "reports"),
            cwd=project,
            env=os.environ | halting_at(project, reached),
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        while not (project / PAIR / reached).exists():
            assert process.poll() is None, log.read_text()
            time.sleep(0.01)
    finally:
        # As Ctrl-C does: to Snakemake and to all jobs.
        subprocess.run(["kill", "-INT", "--", f"-{process.pid}"], check=False)
        process.wait()
    assert process.returncode not in (0, -signal.SIGINT)
    assert half_written(project) == []
    result = run_snakemake(project, "--cores", "1", "reports")  # which change no byte
    assert result.returncode == 0, result.stderr
    assert re.search(goes_on, logs(project))
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
