"""The workflow with the least version of Snakemake that it asks for, and with the newest one.

Each is in an environment of its own below `build`, over the packages of `.venv`.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = {
    "dry runs": ["tests/workflow/test_default_dag.py"],
    "tiny workflow": ["tests/workflow/test_tiny_workflow.py", "tests/workflow/test_papers.py"],
    "display": ["tests/unit/progress", "tests/workflow/test_bad_input.py"],
    "elsewhere": ["tests/workflow/test_elsewhere.py"],
}


def least() -> str:
    """The requirement of the least version of `pyproject.toml`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = " ".join(project["optional-dependencies"]["workflow"])
    found = re.search(r"snakemake>=([\d.]+)", declared)
    assert found is not None
    return f"snakemake=={found[1]}"


@pytest.fixture(scope="module", params=["least", "newest"])
def python(request: pytest.FixtureRequest) -> Path:
    """The Python of an environment with that version."""
    folder = ROOT / "build/snakemake" / request.param
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    requirement = least() if request.param == "least" else "snakemake"
    subprocess.run([folder / "bin/pip", "install", "--quiet", requirement], check=True)
    # What Snakemake does not need, nlmt itself among it, comes from the environment of this test.
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "others.pth").write_text(
        f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    )
    return folder / "bin/python"


@pytest.mark.parametrize("part", PARTS)
def test_part(python: Path, part: str) -> None:
    shown = "import snakemake; print(snakemake.__version__, snakemake.__file__)"
    version, place = subprocess.run(
        [python, "-c", shown], capture_output=True, text=True, check=True
    ).stdout.split()
    assert Path(place).is_relative_to(python.parents[1])
    print(f"Snakemake {version}")
    command = [python, "-m", "pytest", "-p", "no:cacheprovider", *PARTS[part]]
    # Where KenLM's programs are.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PATH": path}
    )
    assert result.returncode == 0, result.stdout[-5000:]
