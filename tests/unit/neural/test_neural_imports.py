"""Imports between the modules of nlmt.neural: no circle, and few levels.

What only the checker of types imports is left out.
"""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import nlmt.neural

# A module stands on the level above the highest of those that it imports.
LEVELS = 16


def modules() -> dict[str, Path]:
    root = Path(nlmt.neural.__file__).parent
    names = {}
    for path in root.rglob("*.py"):
        parts = ("nlmt", "neural", *path.relative_to(root).with_suffix("").parts)
        names[".".join(parts).removesuffix(".__init__")] = path
    return names


def is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that one imports, wherever the import stands."""
    found = set()
    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if not is_for_types(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                # `from nlmt.neural import _kernel` imports a compiled module.
                is_module = inner in known or name.name.startswith("_")
                found.add(inner if is_module else node.module)
        elif isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
    return found & known.keys()


def test_no_circle_and_few_levels() -> None:
    known = modules()
    assert len(known) > 40
    graph = {name: imports(path, known) for name, path in known.items()}
    level: dict[str, int] = {}
    for name in TopologicalSorter(graph).static_order():  # raises CycleError
        level[name] = 1 + max((level[one] for one in graph[name]), default=0)
    highest = max(level, key=lambda name: level[name])
    assert level[highest] <= LEVELS, highest
