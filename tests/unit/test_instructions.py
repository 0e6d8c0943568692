"""Which of the two builds of a wheel runs."""

import sys
from pathlib import Path

import pytest

from nlmt import instructions
from nlmt.instructions import BaselineFinder, choose_build, has_avx2


@pytest.fixture
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A second build of one module, and a processor whose flags a test may write."""
    folder = tmp_path / "baseline"
    (folder / "io").mkdir(parents=True)
    (folder / "io/_nbest.py").write_text("")
    monkeypatch.setattr(instructions, "BASELINE", folder)
    monkeypatch.setattr(instructions, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    return folder


def chosen() -> bool:
    return any(isinstance(finder, BaselineFinder) for finder in sys.meta_path)


def test_only_compiled_modules_are_found(baseline: Path) -> None:
    spec = BaselineFinder().find_spec("nlmt.io._nbest", None)
    assert spec is not None
    assert spec.origin == str(baseline / "io/_nbest.py")
    for name in ("nlmt.io.files", "nlmt.io._links", "other._nbest", "_nbest"):
        assert BaselineFinder().find_spec(name, None) is None


@pytest.mark.parametrize(
    ("flags", "usual"),
    [("fpu sse4_2 avx fma avx2 bmi2", True), ("fpu avx avx2", False), ("fpu sse4_2", False)],
)
def test_the_processor_decides(baseline: Path, flags: str, usual: bool) -> None:
    baseline.with_name("cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {flags}\n")
    assert has_avx2() is usual
    choose_build()
    assert chosen() is not usual


def test_one_build_is_no_choice(baseline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    baseline.with_name("cpuinfo").write_text("flags : fpu\n")
    monkeypatch.setattr(instructions, "BASELINE", baseline / "none")
    choose_build()
    assert not chosen()
    baseline.with_name("cpuinfo").unlink()
    assert has_avx2()
