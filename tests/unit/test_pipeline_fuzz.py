"""A short run of the fuzzer of commands (`make fuzz` has a long one)."""

import subprocess
import sys
from pathlib import Path


def test_damaged_files_on_their_way_through_the_commands() -> None:
    command = [sys.executable, str(Path(__file__).with_name("pipeline_fuzz.py")), "--cases", "8"]
    command += ["--seconds", "600"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("8 cases")
