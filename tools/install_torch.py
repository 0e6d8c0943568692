"""Install torch: its CPU build where there is no GPU of NVIDIA, else the build for CUDA.

    python tools/install_torch.py [auto | cpu | cuda]

The CPU build is a fifteenth of the download. It is not in the common registry but in PyTorch's own
index, whose address uv knows; where that cannot be reached, the build for CUDA is installed, which
needs no GPU either. Both are checked against the hashes of envs/torch-*.lock.
"""

import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from install_packages import install, run_uv

ENVS = Path(__file__).parents[1] / "envs"
CPU, CUDA = ENVS / "torch-cpu.lock", ENVS / "torch-cuda.lock"
# GB to download and on disk, version 2.13.0 for x86-64 Linux.
SIZES = {CPU: (0.2, 0.7), CUDA: (2.7, 4.5)}
NO_INDEX = """\
PyTorch's index of CPU builds cannot be used ({}).
Installing the build for CUDA, which the common registry has and which works without a GPU."""


def has_gpu() -> bool:
    """Return whether the driver of NVIDIA sees a GPU."""
    try:
        listed = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True)
    except OSError:
        return False
    return listed.returncode == 0 and "GPU" in listed.stdout


def installed() -> str:
    """Return which build of torch is installed, `cpu` or `cuda`, or an empty string."""
    wanted = next(line for line in CUDA.read_text().splitlines() if line.startswith("torch=="))
    try:
        found, _, build = version("torch").partition("+")
    except PackageNotFoundError:
        return ""
    if wanted.removeprefix("torch==").split()[0] != found:
        return ""
    return "cpu" if build == "cpu" else "cuda"


def announce(lock: Path) -> None:
    """Print the needs of the build; end the program if the disk has no space for it."""
    download, disk = SIZES[lock]
    build = lock.stem.removeprefix("torch-")
    print(f"torch for {build}: {download} GB to download, {disk} GB on disk", flush=True)
    free = shutil.disk_usage(sys.prefix).free / 1e9
    if free < disk:
        sys.exit(f"{sys.prefix}: {free:.1f} GB free, and torch takes {disk} GB: free some space")


def install_cpu() -> str:
    """Install the CPU build from where pip looks, or PyTorch's index; return the fault.

    A file that is not the one of the lock ends the program.
    """
    options = ["--no-deps", "--require-hashes", "--requirement", str(CPU)]
    for backend in ([], ["--torch-backend", "cpu"]):
        result = run_uv([*options, *backend], capture=True)
        if result.returncode == 0:
            return ""
        if "hash mismatch" in result.stderr.lower():
            sys.exit(result.stderr)
    return result.stderr.strip().rpartition("\n")[2].strip()


def main(wanted: str = "auto") -> int:
    """Install the build of torch that is wanted; the exit status."""
    build = wanted if wanted != "auto" else "cuda" if has_gpu() else "cpu"
    present = installed()
    # Where no index of CPU builds was reached, the other build is there already.
    if present == build or (present == "cuda" and wanted == "auto"):
        return 0
    if build == "cpu":
        announce(CPU)
        fault = install_cpu()
        if not fault:
            return 0
        print(NO_INDEX.format(fault), flush=True)
    announce(CUDA)
    if present:  # a build of the same version satisfies the installer
        subprocess.run([sys.executable, "-m", "pip", "uninstall", "--quiet", "--yes", "torch"])
    return install(["--require-hashes", "--requirement", str(CUDA)])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
