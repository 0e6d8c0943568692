"""Programs, packages and compiled modules."""

import importlib
import importlib.metadata
import platform
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.requirements import Requirement

import nlmt
from nlmt.doctor.check import Check, State
from nlmt.workflow.project import project_folder

_PYTHON = (3, 11)
_LOCKS = ("envs/requirements.lock", "envs/torch-cpu.lock")
# What a program is for, and how to get it.
_NEEDED = {
    "lmplz": ("training n-gram models", "make setup, or tools/build_kenlm.sh"),
    "build_binary": ("n-gram models", "make setup, or tools/build_kenlm.sh"),
    "snakemake": ("the workflow", "make setup, or pip install 'nlmt[workflow]'"),
}
_COMPILING = ("cc", "c++", "cmake", "make")
_OPTIONAL = {"sbatch": "profiles/slurm", "moses": "decoder.engine: moses"}


def software() -> Iterator[Check]:
    """Yield the checks of all that must be installed."""
    state = State.OK if sys.version_info >= _PYTHON else State.FAULT
    yield Check("Python", state, platform.python_version(), "install Python 3.11 or later")
    yield _compiled()
    yield from _programs()
    yield _compilers()
    for name, purpose in _OPTIONAL.items():
        yield Check(name, State.OK, shutil.which(name) or f"not found; only for {purpose}")
    yield _packages()
    locks = [project_folder() / lock for lock in _LOCKS]
    if locks[0].exists():
        yield _locked(locks)


def compiled_modules() -> list[str]:
    """The names of all compiled modules of nlmt; each has a stub."""
    top = Path(nlmt.__file__).parent
    stubs = sorted(top.rglob("_*.pyi"))
    return [".".join(stub.relative_to(top.parent).with_suffix("").parts) for stub in stubs]


def _compiled() -> Check:
    """Check that all compiled modules can be loaded on this processor."""
    names = compiled_modules()
    missing = []
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            missing.append(f"{name.removeprefix('nlmt.')} ({error})")
    found = f"nlmt {nlmt.__version__}, {len(names)} compiled modules"
    if missing:
        return Check("nlmt", State.FAULT, "; ".join(missing), "make setup, or pip install .")
    return Check("nlmt", State.OK, found)


def _programs() -> Iterator[Check]:
    folder = str(Path(sys.executable).parent)
    for name, (purpose, remedy) in _NEEDED.items():
        place = shutil.which(name) or shutil.which(name, path=folder)
        if place is None:
            yield Check(name, State.FAULT, f"not found; for {purpose}", remedy)
        else:
            yield Check(name, State.OK, place)


def _compilers() -> Check:
    """Check that nlmt can be compiled: programs, and the headers of this Python."""
    missing = [name for name in _COMPILING if shutil.which(name) is None]
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append("Python.h")
    if missing:
        found = f"missing, for compiling nlmt: {', '.join(missing)}"
        remedy = "tools/system_packages.py names the packages; or take a built wheel"
        return Check("compilers", State.WARNING, found, remedy)
    return Check("compilers", State.OK, f"{', '.join(_COMPILING)}, Python's headers")


def _packages() -> Check:
    """Check that the requirements of nlmt's metadata are installed."""
    try:
        demands = importlib.metadata.requires("nlmt") or []
    except importlib.metadata.PackageNotFoundError:
        return Check("packages", State.WARNING, "nlmt itself is not installed", "make setup")
    names = [Requirement(one).name for one in demands if "extra ==" not in one]
    missing = [name for name in names if _version(name) is None]
    if missing:
        return Check("packages", State.FAULT, f"missing: {', '.join(missing)}", "make setup")
    return Check("packages", State.OK, f"{len(names)} required, all installed")


def _locked(locks: Sequence[Path]) -> Check:
    """Check that the versions are those that the published results were made with."""
    text = "".join(lock.read_text(encoding="utf-8") for lock in locks)
    other = []
    for line in re.findall(r"^[\w.-]+==[^\\\n]+", text, re.MULTILINE):
        pinned = Requirement(line)
        found = _version(pinned.name)
        if found is None or (pinned.marker is not None and not pinned.marker.evaluate()):
            continue
        version = str(pinned.specifier).removeprefix("==")
        if found.partition("+")[0] != version.partition("+")[0]:
            other.append(f"{pinned.name} {found} for {version}")
    if other:
        remedy = "make setup; other versions may give other results"
        return Check("versions", State.WARNING, f"not as locked: {', '.join(other)}", remedy)
    return Check("versions", State.OK, f"as in {', '.join(map(str, locks))}")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
