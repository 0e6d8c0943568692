"""docs/architecture.md names every package of the library, and imports go down its layers only.

The entry of a part in a registry, "module:attribute", is an import. No module imports itself by way
of others.

No compiled code names the instructions of one processor.
"""

import ast
import re
from collections.abc import Collection
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "src/nlmt"


def layers() -> dict[str, int]:
    """Layer of each package, from the table."""
    found: dict[str, int] = {}
    table = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    for row in re.findall(r"^\| (\d) \| (.*?) \|", table, re.MULTILINE):
        for name in re.findall(r"`(?:nlmt\.)?(\w+)`", row[1]):
            assert name not in found, f"{name} is listed twice"
            found[name] = int(row[0])
    return found


def package_of(path: Path) -> str:
    return path.relative_to(LIBRARY).parts[0].removesuffix(".py")


def is_part(value: object) -> bool:
    """Whether a constant is the entry of a part in a registry, "module:attribute"."""
    return re.fullmatch(r"nlmt(\.\w+)+:\w+", str(value)) is not None


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Imports of a module, conditions that imports may be under, and entries of registries."""
    return [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom | ast.If)
        or (isinstance(node, ast.Constant) and is_part(node.value))
    ]


def imported(path: Path) -> set[str]:
    """Packages that a module imports, at once or by an entry of a registry."""
    names = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("nlmt"):
            modules = [node.module]
            if node.module == "nlmt":
                modules = [f"nlmt.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names if alias.name.startswith("nlmt.")]
        elif isinstance(node, ast.Constant):
            modules = [str(node.value).partition(":")[0]]
        else:
            continue
        names |= {module.split(".")[1] for module in modules}
    return names


def test_the_table_has_every_package_and_no_other() -> None:
    packages = {package_of(path) for path in LIBRARY.rglob("*.py")} - {"__init__"}
    assert set(layers()) == packages


def test_imports_go_down_only() -> None:
    layer = layers() | {"__init__": 0}
    for path in sorted(LIBRARY.rglob("*.py")):
        package = package_of(path)
        for other in imported(path) - {package, "__version__"}:
            # Packages of the lowest layer may use each other.
            allowed = layer[other] < layer[package] or layer[package] == layer[other] == 0
            assert allowed, f"{path.relative_to(ROOT)} imports nlmt.{other}"


def modules() -> dict[str, Path]:
    """All modules by name, compiled ones by their stubs."""
    found = {}
    for path in (*LIBRARY.rglob("*.py"), *LIBRARY.rglob("*.pyi")):
        parts = path.relative_to(LIBRARY.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imported_modules(path: Path, known: Collection[str]) -> set[str]:
    """Modules of the library that a module imports by statements, for type checks too.

    A registry names the types of parts that it imports late: these are left out.
    """
    found, left_out = set(), set()
    if any(isinstance(node, ast.Constant) for node in nodes(path)):
        for node in nodes(path):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                left_out |= set(ast.walk(node))
    for node in nodes(path):
        if node in left_out:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
            if all(f"{node.module}.{alias.name}" in known for alias in node.names):
                found.remove(node.module)  # only modules of that package
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found.intersection(known)


def test_modules_import_each_other_in_no_circle() -> None:
    known = modules()
    graph = {name: imported_modules(path, known) for name, path in known.items()}
    list(TopologicalSorter(graph).static_order())


# Intrinsics and headers of one architecture. What dense.h has for AVX-512 stands under a condition.
ONE_ARCHITECTURE = re.compile(
    r"\w+intrin\.h|arm_\w+\.h|\b_mm\d*_\w+|\b__m\d{2,3}[di]?\b|__builtin_(?:ia32|aarch64|neon)\w*"
    r"|\brdtsc\w*|\basm\b|long double"
)


def test_compiled_code_is_for_no_architecture_in_particular() -> None:
    sources = [path for path in (ROOT / "cpp").rglob("*") if path.suffix in (".h", ".cpp")]
    for path in sources:
        assert ONE_ARCHITECTURE.findall(path.read_text(encoding="utf-8")) == [], path
    assert len(sources) > 100


# What folders of cpp link beside base (CMakeLists.txt); `tuning` needs headers only.
LINKED = {
    "decoder": {"io", "neural", "tuples"},
    "phrases": {"tuples"},
    "tuning": {"evaluation", "io"},
}


def test_compiled_packages_include_what_they_link() -> None:
    folders = {path.name for path in (ROOT / "cpp").iterdir() if path.is_dir()}
    for path in (ROOT / "cpp").rglob("*.[ch]*"):
        folder = path.relative_to(ROOT / "cpp").parts[0]
        included = re.findall(r'#include "(.+?)/', path.read_text(encoding="utf-8"))
        others = {name for name in included if name in folders or name == ".."} - {folder}
        assert others <= LINKED.get(folder, set()), path
