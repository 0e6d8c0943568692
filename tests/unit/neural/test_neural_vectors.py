"""Models are the same, to the bit, whether products take vectors of AVX-512 or of AVX2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("train_everything.py")


def has_avx512():
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.exists() and " avx512f " in cpuinfo.read_text()


@pytest.mark.skipif(not has_avx512(), reason="the processor has no AVX-512")
def test_wider_vectors_change_no_bit(texts):
    def hashes(**variables):
        command = [sys.executable, SCRIPT, *texts]
        environment = os.environ | variables
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment)

    wide, narrow = hashes(), hashes(NLMT_WITHOUT_AVX512="1")
    assert len(wide.stdout.splitlines()) == 8
    assert wide.stdout == narrow.stdout
