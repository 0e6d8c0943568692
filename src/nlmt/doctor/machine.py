"""Processor, memory, disk and GPU."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nlmt.doctor.check import Check, State
from nlmt.provenance.environment import processor

_GB = 1e9
# What the default experiment needs (docs/scale.md has what larger ones do).
_MEMORY_GB, _DISK_GB, _TEMPORARY_GB = 4.0, 5.0, 1.0
_GPU_SECONDS = 20


def machine() -> Iterator[Check]:
    """Yield the checks of the hardware."""
    cores = len(os.sched_getaffinity(0))
    name = processor()
    state = State.OK if "avx2" in name or "asimd" in name else State.WARNING
    remedy = "none: the compiled kernels run, but slower"
    yield Check("processor", state, f"{cores} cores, {name}", remedy)
    yield _memory()
    yield _disk("disk", Path.cwd(), _DISK_GB)
    yield _disk("temporary files", Path(tempfile.gettempdir()), _TEMPORARY_GB)
    yield _gpu()


def _memory() -> Check:
    free = _free_memory() / _GB
    state = State.OK if free >= _MEMORY_GB else State.WARNING
    remedy = "end other programs, or run with fewer --cores"
    return Check("memory", state, f"{free:.1f} GB free", remedy)


def _free_memory() -> float:
    """Bytes that this process may take: of the machine, or of its control group."""
    lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    free = float(kilobytes) * 1024
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = float((group / "memory.current").read_text())
    except OSError:  # not in a group of its own
        return free
    return free if limit == "max" else min(free, float(limit) - used)


def _disk(subject: str, folder: Path, least: float) -> Check:
    free = shutil.disk_usage(folder).free / _GB
    if not os.access(folder, os.W_OK):
        return Check(subject, State.FAULT, f"{folder} cannot be written", "see who owns it")
    if free < least:
        remedy = f"free {least:.0f} GB, which the default experiment may take"
        return Check(subject, State.WARNING, f"{free:.1f} GB free in {folder}", remedy)
    return Check(subject, State.OK, f"{free:.1f} GB free in {folder}")


def _gpu() -> Check:
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=_GPU_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return Check("GPU", State.OK, "none; not needed (docs/gpus.md)")
    names = "; ".join(result.stdout.splitlines())
    remedy = "make setup TORCH=cuda (docs/gpus.md)"
    try:
        import torch  # takes seconds
    except (ImportError, OSError) as error:  # the latter of its shared libraries
        return Check("GPU", State.WARNING, f"{names}, but torch cannot be loaded: {error}", remedy)
    if torch.cuda.is_available():
        return Check("GPU", State.OK, names)
    found = f"{names}, which torch {torch.__version__} cannot use"
    return Check("GPU", State.WARNING, found, remedy)
