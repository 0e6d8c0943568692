"""The environment of a job, of machines and checkouts that the test makes."""

import platform
import sys
from pathlib import Path
from types import ModuleType

import pytest

import nlmt
from nlmt.provenance import environment

COMMIT, OTHER = "1" * 40, "2" * 40


@pytest.mark.parametrize(
    ("cpuinfo", "expected"),
    [
        ("model name\t: CPU: fast\nflags\t\t: fpu avx2 fma\n\n", "CPU: fast (avx2 fma)"),
        (
            "Features\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n",
            "aarch64 0x41 0xd40 (asimd sve)",
        ),
        (None, "aarch64"),
    ],
)
def test_the_processor_has_a_name_and_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpuinfo: str | None, expected: str
) -> None:
    if cpuinfo is not None:
        (tmp_path / "cpuinfo").write_text(f"processor\t: 0\n{cpuinfo}")
    monkeypatch.setattr(environment, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert environment.processor() == expected


def test_versions_are_of_loaded_packages_where_python_finds_them_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entry in ("1/zlib-1.5", "2/zlib-2.0", "2/Ast-3-1", "2/notloaded-4", "2/kenlm-0.3"):
        (tmp_path / f"{entry}.dist-info").mkdir(parents=True)
    (tmp_path / "2/sys-1.egg-info").mkdir()
    places = [str(tmp_path / name) for name in ("none", "1", "2")]
    monkeypatch.setattr(sys, "path", places)
    monkeypatch.setattr(sys, "modules", dict.fromkeys(["zlib", "ast.inner", "sys"]))
    found = environment.versions()
    assert list(found.items()) == [
        ("nlmt", nlmt.__version__),
        ("python", platform.python_version()),
        ("ast", "3-1"),
        ("kenlm", "0.3"),
        ("zlib", "1.5"),
    ]


def test_code_of_modules_on_which_results_depend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def module(name: str, file: str | None) -> ModuleType:
        made = ModuleType(name)
        if file is not None:
            made.__file__ = str(tmp_path / file)
            (tmp_path / file).write_bytes(b"A = 1\n" if file.endswith(".py") else b"ELF")
        return made

    files = {
        "nlmt.io.a": "a.py",
        "nlmt.io._b": "b.so",
        "nlmt.live": "live.py",
        "nlmt.namespace": None,
        "nlmtools": "other.py",
        f"{environment.PLUGIN}mine": "mine.py",
    }
    modules = {name: module(name, file) for name, file in files.items()}
    monkeypatch.setattr(sys, "modules", modules)
    (tmp_path / "unwritable/cache.json").mkdir(parents=True)
    found = environment.modules(tmp_path / "unwritable/cache.json")
    monkeypatch.undo()
    assert sorted(found) == sorted([str(tmp_path / "mine.py"), "nlmt.io._b", "nlmt.io.a"])
    assert found["nlmt.io._b"] == environment.file_hash(tmp_path / "b.so")[:16]
    assert found["nlmt.io.a"] == environment._hash_of_code(b"A = 1  # one\n")
    assert [len(digest) for digest in found.values()] == [16] * 3


def test_code_that_has_changed_or_is_gone(tmp_path: Path) -> None:
    plugin, gone = tmp_path / "a.py", tmp_path / "gone.py"
    plugin.write_text("A = 1\n")
    now = {
        "nlmt.io.files": environment._hash(Path(nlmt.__file__).parent / "io/files.py", {}),
        str(plugin): environment._hash(plugin, {}),
    }
    assert environment.changed_code(now.items()) == set()
    for name in (*now, "nlmt.io.gone", "nlmt.gone.deep", "os", str(gone)):
        assert environment.changed_code([(name, "0" * 16)]) == {(name, "0" * 16)}
    nowhere = [("nlmt.io.gone", ""), ("nlmt.gone.deep", ""), ("os", ""), (str(gone), "")]
    assert environment.changed_code(nowhere) == set()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x): return x.a\n", "def f(x): return x.b\n"),
        ("def f(x): x = 1; return x\n", "def f(): x = 1; return x\n"),
        ("def f(*, x): x = 1; return x\n", "def f(): x = 1; return x\n"),
        ("def f(x, /): return x\n", "def f(x): return x\n"),
        ("def f(*x): x = 1; return x\n", "def f(): x = 1; return x\n"),
        ("def f(x=1): return x\n", "def f(x=True): return x\n"),
        ("def f(x): return -x\n", "def f(x): return +x\n"),
        (
            "def f(x):\n try:\n  x()\n except OSError:\n  pass\n else:\n  x()\n",
            "def f(x):\n try:\n  x()\n  x()\n except OSError:\n  pass\n",
        ),
    ],
)
def test_code_that_does_something_else(one: str, other: str) -> None:
    """The two differ in one part of compiled code: names, arguments, flags, instructions."""
    assert environment._hash_of_code(one.encode()) != environment._hash_of_code(other.encode())


@pytest.mark.parametrize("source", [b"def f(x:\n", b"a = 1\0\n"])
def test_a_file_that_is_being_edited_has_the_hash_of_its_bytes(
    source: bytes, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_bytes(source)
    expected = environment.file_hash(tmp_path / "a.py")[:16]
    assert environment._hash(tmp_path / "a.py", {}) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({".git/HEAD": f"{COMMIT}\n"}, COMMIT),
        ({".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": f"{COMMIT}\n"}, COMMIT),
        (
            {
                ".git/HEAD": "ref: refs/heads/main\n",
                ".git/packed-refs": f"# x\n{OTHER} refs/heads/main2\n{COMMIT} refs/heads/main\n",
            },
            COMMIT,
        ),
        ({".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": "# packed\n"}, ""),
        ({".git/HEAD": "ref: refs/heads/main\n"}, ""),
        ({}, ""),
        (
            {
                ".git": "gitdir: of/worktree\n",
                "of/worktree/HEAD": "ref: refs/heads/work\n",
                "of/worktree/commondir": "..\n",
                "of/refs/heads/work": f"{COMMIT}\n",
            },
            COMMIT,
        ),
    ],
    ids=["detached", "branch", "packed", "no branch", "no commit", "no checkout", "worktree"],
)
def test_the_commit_of_a_checkout(
    files: dict[str, str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "src/nlmt/__init__.py"
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    monkeypatch.setattr(nlmt, "__file__", str(package))
    assert environment.commit() == expected
