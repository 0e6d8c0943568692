"""The wheel in a fresh environment without a compiler: `make wheel` builds it, then runs this."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden"
MODEL = "kind: neural\ndim: 16\nepochs: 1\norder: 3\noutput: full\nobjective: likelihood\n"
EITHER_STATUS = """\
import sys
from nlmt.cli import main
sys.stderr = sys.stdout
main(sys.argv[1:])
"""
# As on a processor without AVX2: nothing compiled is loaded before.
BASELINE = """\
import sys
from nlmt.instructions import BASELINE, BaselineFinder
sys.meta_path.insert(0, BaselineFinder())
from nlmt.cli import main
status = main(sys.argv[1:])
compiled = [m.__file__ for n, m in sys.modules.items() if n.startswith("nlmt.") and "._" in n]
assert compiled and all(file.startswith(str(BASELINE)) for file in compiled), compiled
sys.exit(status)
"""
Run = Callable[..., bytes]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables with the programs of a virtual environment, and no others, in PATH."""
    wheels = ROOT / "build/wheel"
    (wheel,) = wheels.glob("nlmt-*.whl")
    folder = tmp_path_factory.mktemp("wheel") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    variables = kept | {"PATH": str(folder / "bin"), "VIRTUAL_ENV": str(folder)}
    installer = ["--require-hashes", "--requirement", str(ROOT / "envs/installer.lock")]
    install = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, *installer], check=True, env=variables)
    install = [str(folder / "bin/python"), str(ROOT / "tools/install_packages.py")]
    install += ["--only-binary", ":all:", "--constraint", str(ROOT / "envs/torch.in")]
    install += ["--find-links", str(wheels), str(wheel)]
    subprocess.run(install, check=True, env=variables)
    return variables


@pytest.fixture
def installed(environment: dict[str, str], tmp_path: Path) -> Run:
    """Runs the installed `nlmt`, or Python code with its arguments, outside of the checkout."""

    def run(*arguments: str, code: str = "") -> bytes:
        folder = Path(environment["VIRTUAL_ENV"]) / "bin"
        program = [str(folder / "python"), "-c", code] if code else [str(folder / "nlmt")]
        command = [*program, *arguments]
        return subprocess.run(
            command, check=True, stdout=subprocess.PIPE, env=environment, cwd=tmp_path
        ).stdout

    return run


def in_checkout(*arguments: str) -> bytes:
    command = [sys.executable, "-m", "nlmt.cli", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def decode(run: Run, **options: str) -> bytes:
    ini, text = str(GOLDEN / "moses.ini"), str(GOLDEN / "test.fr")
    return run("decode", "-f", ini, "-i", text, **options)


def test_the_doctor_finds_it_whole(installed: Run) -> None:
    """Status 1: programs of the workflow are not there."""
    found = installed("doctor", "--offline", code=EITHER_STATUS).decode()
    assert re.search(r"ok +nlmt: nlmt \S+, \d+ compiled modules", found)
    assert re.search(r"ok +packages: ", found)


def test_translations_are_those_of_the_checkout(installed: Run) -> None:
    assert decode(installed) == decode(in_checkout)


def test_neural_models_are_those_of_the_checkout(installed: Run, tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(MODEL)
    train = ["lm", "train", "--config", str(tmp_path / "model.yaml"), "--threads", "1"]
    train += ["--train", str(GOLDEN / "train.en"), "--dev", str(GOLDEN / "dev.en"), "--out"]
    scores = []
    for run in (installed, in_checkout):
        model = str(tmp_path / run.__name__)
        run(*train, model)
        scores.append(run("lm", "score", model, str(GOLDEN / "test.en")))
    assert scores[0] == scores[1]
    assert len(scores[0].split()) == 30


def test_n_gram_scores_are_those_of_the_checkout(installed: Run) -> None:
    score = ["lm", "score", str(GOLDEN / "model/lm.arpa.gz"), str(GOLDEN / "test.en")]
    assert installed(*score) == in_checkout(*score)


def test_the_build_for_older_processors_translates(installed: Run) -> None:
    assert decode(installed, code=BASELINE) == decode(in_checkout)


def test_alignment_names_what_it_needs(installed: Run, tmp_path: Path) -> None:
    texts = ["--source", str(GOLDEN / "test.fr"), "--target", str(GOLDEN / "test.en")]
    found = installed("align", *texts, "--out", "links", code=EITHER_STATUS).decode()
    assert "needs eflomal" in found
    assert not (tmp_path / "links").exists()
