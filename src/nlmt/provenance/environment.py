"""The environment of a job: processor, system, versions, code. Reading it takes milliseconds."""

import os
import platform
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import nlmt
from nlmt.io.files import file_hash

# Vector instructions that determine which variants of numerical kernels run.
_INSTRUCTIONS = (
    "sse4_2",
    "avx",
    "avx2",
    "fma",
    "avx512f",
    "avx512_bf16",
    "avx512_vnni",
    "amx_tile",
    "asimd",
    "asimddp",
    "bf16",
    "sve",
    "sve2",
)
_CPUINFO = Path("/proc/cpuinfo")
# Packages whose programs run beside Python, without being imported.
_PROGRAMS = ("kenlm", "eflomal")
_HASH_DIGITS = 16


def processor() -> str:
    """Model and vector instructions of the processor, as Linux names them.

    On ARM the model is two numbers: its designer's and the designer's own.
    """
    try:
        text = _CPUINFO.read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    facts = (line.split(":", 1) for line in text.splitlines() if ":" in line)
    values = {name.strip(): value.strip() for name, value in facts}
    flags = values.get("flags", values.get("Features", "")).split()
    found = " ".join(name for name in _INSTRUCTIONS if name in flags)
    numbers = [values[name] for name in ("CPU implementer", "CPU part") if name in values]
    model = values.get("model name", " ".join([platform.machine(), *numbers]))
    return f"{model} ({found})"


def system() -> str:
    """Operating system, kernel and architecture."""
    name = os.uname()
    return f"{name.sysname} {name.release} {name.machine}"


def versions() -> dict[str, str]:
    """Versions of nlmt, Python and the loaded packages, by name."""
    loaded = {name.partition(".")[0].lower() for name in sys.modules} | set(_PROGRAMS)
    found: dict[str, str] = {}
    for folder in map(Path, sys.path):
        if not folder.is_dir():
            continue
        for entry in folder.glob("*.dist-info"):
            name, _, version = entry.name.removesuffix(".dist-info").partition("-")
            if name.lower() in loaded and name.lower() not in found:
                found[name.lower()] = version
    own = {"nlmt": nlmt.__version__, "python": platform.python_version()}
    return own | dict(sorted(found.items()))


def modules() -> dict[str, str]:
    """Start of the SHA-256 of each loaded module of nlmt, by name."""
    found = {}
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is not None and name.partition(".")[0] == nlmt.__name__:
            found[name] = _hash(Path(file))
    return found


def changed_modules(recorded: Iterable[tuple[str, str]]) -> set[str]:
    """Names of recorded modules, given with hashes, whose files differ or are gone."""
    return {name for name, digest in recorded if digest != _hash_of(name)}


def commit() -> str:
    """The commit of the checkout from which nlmt runs; empty outside a checkout."""
    for folder in Path(nlmt.__file__).resolve().parents:
        git = folder / ".git"
        if git.exists():
            return _head(git)
    return ""


def _hash_of(name: str) -> str:
    """Hash of the file of a module of nlmt, wherever it is installed; empty if missing."""
    if name.partition(".")[0] != nlmt.__name__:  # finding it would import other packages
        return ""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return ""
    return _hash(Path(spec.origin)) if spec is not None and spec.origin is not None else ""


def _hash(file: Path) -> str:
    return file_hash(file)[:_HASH_DIGITS]


def _head(git: Path) -> str:
    """The commit that a `.git` (of a worktree: a file) has checked out."""
    try:
        if git.is_file():
            git = git.parent / git.read_text().removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text().strip()
        if not head.startswith("ref:"):
            return head
        name = head.removeprefix("ref:").strip()
        common = git / "commondir"
        shared = git / common.read_text().strip() if common.exists() else git
        if (shared / name).exists():
            return (shared / name).read_text().strip()
        lines = (shared / "packed-refs").read_text().splitlines()
        return next((line.split()[0] for line in lines if line.endswith(f" {name}")), "")
    except OSError:
        return ""
