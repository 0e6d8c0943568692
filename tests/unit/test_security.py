"""What SECURITY.md says of all of the code; what it says of one reader is with its tests."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = [
    path
    for folder in ("src", "workflow", "tools", "rules")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
LOCKS = sorted((ROOT / "envs").glob("*.lock"))
UNPICKLES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
# `exec` is left to the user's own plugins, which are imported, not executed here. What `compile`
# makes is only looked at (nlmt.provenance), as nothing here could run it.
EVALUATES = {"eval", "exec", "__import__"}
SHELLS = {("os", "system"), ("os", "popen"), ("subprocess", "getoutput")}
SHELLS |= {("subprocess", "getstatusoutput"), ("asyncio", "create_subprocess_shell")}


@cache
def imports_and_calls(path: Path) -> tuple[set[str], list[tuple[tuple[str, ...], ast.Call]]]:
    """The packages that a file imports, and its `calls`."""
    packages, found = set(), []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            packages |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            packages.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Call):
            found.append((tuple(ast.unparse(node.func).split(".")), node))
    return packages, found


def calls(path: Path) -> list[tuple[tuple[str, ...], ast.Call]]:
    """The calls of a file by their dotted names: ("os", "system"), ("eval",)."""
    return imports_and_calls(path)[1]


def keywords(call: ast.Call) -> dict[str | None, str]:
    return {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}


def test_nothing_is_unpickled() -> None:
    for path in CODE:
        assert not imports_and_calls(path)[0] & UNPICKLES, path
        for name, call in calls(path):
            if name[-2:] == ("np", "load"):
                assert keywords(call).get("allow_pickle") == "False", path
            assert name[-2:] != ("torch", "load"), path
            assert name[-1] not in ("read_pickle", "to_pickle"), path


def test_nothing_is_evaluated() -> None:
    for path in CODE:
        for name, call in calls(path):
            if len(name) == 1:
                assert name[0] not in EVALUATES, f"{path}:{call.lineno}"


def test_no_program_is_started_through_a_shell() -> None:
    for path in CODE:
        for name, call in calls(path):
            assert name[-2:] not in SHELLS, f"{path}:{call.lineno}"
            assert keywords(call).get("shell", "False") == "False", f"{path}:{call.lineno}"
            if name[:1] == ("subprocess",) and call.args:
                assert not isinstance(call.args[0], ast.JoinedStr | ast.Constant), path
    for path in (ROOT / "rules").rglob("*.smk"):
        assert not re.search(r"^\s+shell:", path.read_text(encoding="utf-8"), re.M), path
    for path in (ROOT / "cpp").rglob("*.*"):
        if path.suffix in (".cpp", ".h"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"\b(?:system|popen|exec[lv]\w*)\(", text), path


def test_yaml_is_read_by_the_safe_loader() -> None:
    for path in CODE:
        for name, call in calls(path):
            if name[:1] == ("yaml",) and name[-1].startswith(("load", "full_", "unsafe_")):
                assert "Safe" in keywords(call).get("Loader", "") or "_LOADER" in ast.unparse(
                    call
                ), f"{path}:{call.lineno}"


def test_templates_escape_what_they_show() -> None:
    environments = [
        call for path in CODE for name, call in calls(path) if name[-1] == "Environment"
    ]
    assert environments
    for call in environments:
        assert keywords(call).get("autoescape") == "True", ast.unparse(call)
    for path in sorted((ROOT / "src").rglob("*.jinja")):
        # What is put in unescaped was made by our own code: pictures, never texts.
        shown = re.findall(r"{{\s*(.*?)\s*\|\s*safe\s*}}", path.read_text(encoding="utf-8"))
        assert all(re.search("svg|figure|curve|plot|style", name) for name in shown), (path, shown)


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_package_of_a_lock_file_has_a_version_and_hashes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    packages = re.split(r"\n(?=[A-Za-z0-9])", text.replace("\\\n", " "))
    for package in packages:
        assert re.match(r"[\w.\[\]-]+==\S+.*--hash=sha256:[0-9a-f]{64}", package), package


def test_there_are_lock_files() -> None:
    assert "requirements.lock" in [path.name for path in LOCKS]


def test_set_up_installs_what_the_lock_names_with_its_hashes() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    lines = re.findall(r"(?:INSTALL|pip install).*[.]lock", text)
    assert len(lines) == 4
    assert all("--require-hashes" in line for line in lines)
