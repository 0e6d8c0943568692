"""The environment of a job: processor, system, versions, code. Reading it takes milliseconds."""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType
from weakref import WeakKeyDictionary

import nlmt
from nlmt.errors import InputError
from nlmt.io.files import file_hash, write_text
from nlmt.io.json_files import read_json
from nlmt.registry import PLUGIN

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
# Packages whose versions decide texts and numbers, and whose jobs use them: those with modules of
# this part of nlmt. The versions of programs are recorded of every job.
DECIDING = {
    "numpy": "",
    "torch": "",
    "kenlm": "nlmt.ngram",
    "eflomal": "nlmt.alignment",
    "docutils": "nlmt.corpora",
    "sacremoses": "nlmt.text",
    "sacrebleu": "nlmt.evaluation",
}
_HASH_DIGITS = 16
# Packages of nlmt that show, record and start what others do: no result depends on them.
_SHOWING = ("errors", "live", "needs", "progress", "provenance", "runlog", "steps", "workflow")
# Hashes of loaded modules: of their files when they were first asked for, which may change later.
_loaded: WeakKeyDictionary[ModuleType, str] = WeakKeyDictionary()


def processor() -> str:
    """Model and vector instructions of the processor, as Linux names them.

    On ARM the model is two numbers: its designer's and the designer's own.
    """
    try:
        text = _CPUINFO.read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    facts = (line.partition(":") for line in text.splitlines())
    values = {name.strip(): value.strip() for name, _, value in facts}
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
    own = {"nlmt": nlmt.__version__, "python": platform.python_version()}
    loaded = {name.partition(".")[0].lower() for name in sys.modules} | set(_PROGRAMS)
    return own | _installed(loaded)


def _installed(packages: Collection[str]) -> dict[str, str]:
    """The versions of those of the packages that are installed, by name."""
    found: dict[str, str] = {}
    for folder in map(Path, sys.path):
        if not folder.is_dir():
            continue
        for entry in folder.glob("*.dist-info"):
            name, _, version = entry.name.removesuffix(".dist-info").partition("-")
            if name.lower() in packages and name.lower() not in found:
                found[name.lower()] = version
    return dict(sorted(found.items()))


def modules(cache: Path) -> dict[str, str]:
    """Start of the SHA-256 of the code of each loaded module that results may depend on.

    Those of nlmt by name, plugins by path. Comments and the words of docstrings are no code. A
    module keeps the hash of the first call in this process, whatever becomes of its file.

    Args:
        cache: a file that keeps the hash of the code by that of the module's file, as the code is
            read in twenty times as long; not written where its folder is missing. Jobs may lose
            each other's entries.
    """
    try:
        known = read_json(cache)
    except InputError:
        known = {}
    count, found = len(known), {}
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is not None and name.startswith(PLUGIN):
            found[file] = _hash_when_loaded(module, file, known)
        elif file is not None and name.startswith("nlmt.") and name.split(".")[1] not in _SHOWING:
            found[name] = _hash_when_loaded(module, file, known)
    if len(known) > count and cache.parent.is_dir():
        with suppress(OSError):  # it only saves time, and the project may be another user's
            write_text(cache, json.dumps(known))
    return found


def deciding(modules: Mapping[str, str], versions: Mapping[str, str]) -> dict[str, str]:
    """Modules with hashes, and packages with versions, on which results depend."""
    used = {
        name: versions[name]
        for name, part in DECIDING.items()
        if name in versions and any(module.startswith(part) for module in modules)
    }
    return {**modules, **used}


def changed_code(recorded: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """The recorded modules with hashes, and packages with versions, that differ now or are gone."""
    return {(name, digest) for name, digest in recorded if digest != _hash_of(name)}


def commit() -> str:
    """The commit of the checkout from which nlmt runs; empty outside a checkout."""
    for folder in Path(nlmt.__file__).resolve().parents:
        git = folder / ".git"
        if git.exists():
            return _head(git)
    return ""


def _hash_of(name: str) -> str:
    """Hash of a module's code, of nlmt wherever it is installed; empty if missing.

    Of a package that decides numbers, its version.
    """
    if name in DECIDING:
        return _installed([name]).get(name, "")
    if os.sep in name:
        return _hash(Path(name), {}) if Path(name).is_file() else ""
    if not name.startswith("nlmt."):  # finding it would import other packages
        return ""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return ""
    return _hash(Path(spec.origin), {}) if spec is not None and spec.origin is not None else ""


def _hash_when_loaded(module: ModuleType, file: str, known: dict[str, str]) -> str:
    if module not in _loaded:
        _loaded[module] = _hash(Path(file), known)
    return _loaded[module]


def _hash(file: Path, known: dict[str, str]) -> str:
    """The hash of a module's code; `known`, by the hash of the file, gets what it lacks."""
    digest = file_hash(file)[:_HASH_DIGITS]
    if file.suffix == ".py" and digest not in known:
        known[digest] = _hash_of_code(file.read_bytes()) or digest
    return known.get(digest, digest)


def _hash_of_code(source: bytes) -> str:
    """The hash of code; empty of a file that is being edited."""
    try:
        code = compile(source, "", "exec", dont_inherit=True, optimize=2)
    except (SyntaxError, ValueError):
        return ""
    return hashlib.sha256(repr(_plain(code)).encode()).hexdigest()[:_HASH_DIGITS]


def _plain(value: object) -> object:
    """A constant of compiled code, without comments and line numbers."""
    if isinstance(value, CodeType):
        names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars
        counts = value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount
        parts = value.co_code, value.co_exceptiontable, value.co_flags, *counts, *names
        return *parts, *map(_plain, value.co_consts)
    # The order of a set differs from process to process.
    return sorted(map(repr, value)) if isinstance(value, frozenset) else value


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
