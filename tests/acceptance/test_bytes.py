"""Artefacts do not depend on the processor nor on the compiler (`make acceptance-bytes`)."""

import importlib
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nlmt.alignment.eflomal_engine import find_eflomal
from nlmt.classes import brown_cluster, count_bigrams, write_paths
from nlmt.doctor.software import compiled_modules
from tests.workflow.conftest import ROOT, differences, make_project, run_snakemake

# Registers of AVX-512: vectors of 64 bytes, masks, and the sixteen that AVX2 does not have.
BEYOND_AVX2 = re.compile(rb"\t(\S+) .*%(?:zmm\d|k[0-7]\b|[xy]mm(?:1[6-9]|2\d|3[01])\b)")
# Dense products (cpp/base/tile.h) have vectors of 64 bytes, too: a sum in each place, in the same
# order as in narrower ones. These instructions do no more than that.
PLACE_BY_PLACE = re.compile(rb"vmov([au]p[sd]|dq[au](32|64)|q)|vbroadcasts[sd]|vfmadd\d+p[sd]")
WITH_PRODUCTS = ("nlmt.neural._kernel", "nlmt.decoder._decoder")
# Approximations, of which each manufacturer has its own.
APPROXIMATE = re.compile(rb"\bv?(rcp|rsqrt)(14|28)?[ps][sdh]\b")
GOLDEN = ROOT / "tests/golden"
TRAIN_EVERYTHING = ROOT / "tests/unit/neural/train_everything.py"
# Kernels of libraries, and ours, as on an older processor, each by its own switch.
WITHOUT_AVX = {
    "NLMT_WITHOUT_AVX512": "1",
    "NPY_DISABLE_CPU_FEATURES": "AVX F16C FMA3 AVX2",
    "OPENBLAS_CORETYPE": "Nehalem",
    "ATEN_CPU_CAPABILITY": "default",
}


x86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="about x86-64's instructions")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which the tiny workflow has run."""
    return finished_project(tmp_path_factory.mktemp("undisturbed"))


def finished_project(folder: Path, **variables: str) -> Path:
    result = run_snakemake(make_project(folder), "reports", **variables)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def run_python(arguments: list[str], paths: str) -> str:
    """What a Python with this PYTHONPATH prints."""
    command = [sys.executable, *arguments]
    environment = os.environ | {"PYTHONPATH": paths}
    return subprocess.run(command, capture_output=True, text=True, env=environment).stdout


@x86_64
@pytest.mark.parametrize("name", [*compiled_modules(), "eflomal"])
def test_compiled_code_needs_avx2_and_no_more(name):
    """Wider vectors would sum in another order; the set-up compiles for x86-64-v3 on every machine.

    Products take wider ones where that makes no difference. Reciprocals and square roots are exact.
    """
    path = find_eflomal() if name == "eflomal" else importlib.import_module(name).__file__
    command = ["objdump", "-d", "--no-show-raw-insn", path]
    code = subprocess.run(command, capture_output=True, check=True).stdout
    assert b"Disassembly of section" in code
    wide = set(BEYOND_AVX2.findall(code))
    assert {one for one in wide if not PLACE_BY_PLACE.fullmatch(one)} == set()
    assert bool(wide) == (name in WITH_PRODUCTS)
    assert APPROXIMATE.search(code) is None


@x86_64
def test_eflomal_is_compiled_for_no_processor_in_particular():
    """Its debugging information has the compiler's options."""
    options = set(re.findall(rb"-march=[\w-]+", find_eflomal().read_bytes()))
    assert options == {b"-march=x86-64-v3"}


def test_libraries_may_choose_other_kernels(undisturbed, tmp_path):
    other = finished_project(tmp_path, **WITHOUT_AVX)
    assert differences(undisturbed, other) == []


def build(folder: Path, packages: str = "", **variables: str) -> str:
    """The PYTHONPATH of a build of some packages, or of all, beside the installed others."""
    tree = folder / "tree"
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("*.so"))
    shutil.copy(ROOT / "tools/start_with_path.py", tree / "src/sitecustomize.py")
    for name in compiled_modules():
        place = tree / "src" / Path(*name.split(".")[:-1])
        shutil.copy(str(importlib.import_module(name).__file__), place)
    for name in ("cpp", "CMakeLists.txt", "tools"):
        (tree / name).symlink_to(ROOT / name)
    command = ["cmake", "-S", str(tree), "-B", str(folder / "build"), "-G", "Ninja"]
    command += [f"-DNLMT_OUTPUT={tree / 'src/nlmt'}", f"-DPython_EXECUTABLE={sys.executable}"]
    command += [f"-DCMAKE_PREFIX_PATH={ROOT / '.tools/kenlm'}", f"-DNLMT_PACKAGES={packages}"]
    environment = os.environ | variables
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    subprocess.run(["cmake", "--build", str(folder / "build")], check=True)
    paths = os.pathsep.join([str(tree / "src"), os.environ.get("PYTHONPATH", "")])
    code = "import nlmt.neural._kernel as kernel; print(kernel.__file__)"
    found = run_python(["-c", code], paths)
    assert found.startswith(str(tree))
    return paths


def test_flags_of_the_environment_change_nothing(undisturbed, tmp_path):
    """A build where CXXFLAGS asks for the processor at hand, as some environments do.

    Without our own -march such a build has wider vectors, whose sums have another order.
    """
    paths = build(tmp_path, CXXFLAGS="-march=native -mtune=native")
    project = tmp_path / "project"
    project.mkdir()
    assert differences(undisturbed, finished_project(project, PYTHONPATH=paths)) == []


def another_compiler() -> str:
    """A C++ compiler that is not the one of the set-up; skips the test where there is none."""
    names = [f"{name}-{version}" for name in ("clang++", "g++") for version in range(30, 9, -1)]
    ours = Path(shutil.which("c++") or "").resolve()
    for name in ("clang++", *names):
        path = shutil.which(name)
        if path is not None and Path(path).resolve() != ours:
            return path
    pytest.skip("no other compiler is installed")


def test_compilers_change_no_model(tmp_path):
    """A model of each network and output layer, trained and asked for scores."""
    compiler = another_compiler()
    train, dev, classes = GOLDEN / "train.en", GOLDEN / "dev.en", tmp_path / "classes"
    write_paths(
        brown_cluster(count_bigrams(train.read_text(encoding="utf-8").splitlines()), 20), classes
    )
    command = [str(path) for path in (TRAIN_EVERYTHING, train, dev, classes)]
    ours = run_python(command, os.environ.get("PYTHONPATH", ""))
    assert len(ours.splitlines()) == 8
    assert run_python(command, build(tmp_path, "neural", CXX=compiler)) == ours
