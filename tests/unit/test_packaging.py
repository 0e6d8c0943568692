"""The package's metadata: dependencies, versions, and the command that says which version runs."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from nlmt import __version__
from nlmt.cli import main
from nlmt.cli.commands import COMMANDS

ROOT = Path(__file__).parents[2]
# Modules whose name is not that of their distribution.
DISTRIBUTIONS = {"yaml": "pyyaml", "typing_extensions": "typing-extensions"}
# Imported with another dependency that brings and needs it.
BROUGHT = {
    "pydantic_core": "pydantic",
    "annotated_types": "pydantic",
    "urllib3": "requests",
    "snakemake": "snakemake",
}


def project() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        found: dict[str, object] = tomllib.load(stream)["project"]
    return found


def declared() -> list[Requirement]:
    metadata = project()
    extras = metadata["optional-dependencies"]
    assert isinstance(extras, dict)
    listed = [*metadata["dependencies"], *(one for extra in extras.values() for one in extra)]  # type: ignore[misc]
    return [Requirement(text) for text in listed]


def imported() -> set[str]:
    """Top-level names of all modules that the library imports."""
    names = set()
    for path in (ROOT / "src/nlmt").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - {"nlmt"}


def test_every_import_is_a_declared_dependency() -> None:
    names = {requirement.name.lower() for requirement in declared()}
    for module in imported():
        wanted = BROUGHT.get(module, DISTRIBUTIONS.get(module, module))
        assert wanted in names, f"{module} is imported, but {wanted} is not in pyproject.toml"


def test_the_lock_satisfies_what_is_declared() -> None:
    text = "".join(path.read_text() for path in sorted((ROOT / "envs").glob("*.lock")))
    locked: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, re.MULTILINE):
        locked.setdefault(name.lower(), []).append(version)
    for requirement in declared():
        if requirement.name != "nlmt":
            versions = locked.get(requirement.name.lower(), [])
            assert versions, f"{requirement.name} is not locked"
            assert all(requirement.specifier.contains(version) for version in versions)


def test_the_workflow_asks_for_the_declared_snakemake() -> None:
    asked = re.search(r'min_version\("([\d.]+)"\)', (ROOT / "Snakefile").read_text())
    assert asked is not None
    (requirement,) = (one for one in declared() if one.name == "snakemake")
    assert str(requirement.specifier) == f">={asked[1]}"


def test_the_version_is_the_same_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert citation["license"] == project()["license"] == "MPL-2.0"
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"nlmt {__version__}\n"


def test_pre_commit_runs_the_linters_of_the_makefile() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [hook["entry"] for repo in hooks for hook in repo["hooks"]] == ["make lint"]


@pytest.mark.parametrize("folder", ["benchmarks", "tools"])
def test_shell_scripts_have_no_syntax_errors(folder: str) -> None:
    for path in sorted((ROOT / folder).glob("*.sh")):
        assert subprocess.run(["bash", "-n", path]).returncode == 0, path


def test_usage_and_unknown_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    text = capsys.readouterr().out
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert main(["decoed"]) == 2
    assert "unknown command 'decoed' (did you mean 'decode'?" in capsys.readouterr().err


def test_a_reader_that_stops_early_is_no_error() -> None:
    code = "import sys; from nlmt.cli import main; sys.exit(main(['--help']))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_listing_commands_imports_no_engine() -> None:
    code = "import sys, nlmt.cli; nlmt.cli.main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "numpy", "pandas"} & set(done.stderr.split())


def test_both_definitions_of_the_image_have_the_same_steps() -> None:
    docker = (ROOT / "envs/Dockerfile").read_text()
    apptainer = (ROOT / "envs/nlmt.def").read_text().replace("{{ TORCH }}", "$TORCH")
    steps = re.findall("^RUN (.+)$", docker, re.MULTILINE)
    assert len(steps) == 3
    for step in steps:
        assert f"    {step}\n" in apptainer
