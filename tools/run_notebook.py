"""Run a notebook: run_notebook.py NOTEBOOK OUTPUT [FOLDER].

Runs a notebook's code in a folder (default: here) and writes it with what its cells show: what they
print, the value of their last line, figures. No notebook server is needed.
"""

import ast
import base64
import contextlib
import io
import json
import os
import runpy
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # before pyplot: figures are pictures, not windows
import matplotlib.pyplot as plt


def main(notebook: Path, output: Path, folder: Path) -> None:
    """Run the cells in order; the first error ends it."""
    document = json.loads(notebook.read_text(encoding="utf-8"))
    cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    target = output.absolute()
    target.parent.mkdir(parents=True, exist_ok=True)
    shown = Shown()
    names = {"show_value": shown.show_value, "end_cell": shown.end_cell}
    with tempfile.TemporaryDirectory() as place:
        script = Path(place, f"{notebook.stem}.py")
        script.write_text(program(["".join(cell["source"]) for cell in cells]), encoding="utf-8")
        os.chdir(folder)
        with contextlib.redirect_stdout(shown.printed):
            runpy.run_path(str(script), names, "__main__")
    for number, (cell, outputs) in enumerate(zip(cells, shown.cells, strict=True), start=1):
        cell |= {"execution_count": number, "outputs": outputs}
    target.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def program(sources: Sequence[str]) -> str:
    """The cells as one program, which tells the value of each one's last line, and its end."""
    body: list[ast.stmt] = []
    for source in sources:
        statements = ast.parse(source).body
        last = statements[-1] if statements else None
        if isinstance(last, ast.Expr) and not source.rstrip().endswith(";"):
            last.value = ast.Call(ast.Name("show_value"), [last.value], [])
        body += [*statements, ast.Expr(ast.Call(ast.Name("end_cell"), [], []))]
    return ast.unparse(ast.Module(body, []))


class Shown:
    """The outputs of the cells, in a notebook's form.

    Attributes:
        cells: the outputs of each cell that has ended.
        printed: what the present one has printed.
    """

    def __init__(self) -> None:
        self.cells: list[list[dict[str, Any]]] = []
        self.printed = io.StringIO()
        self._value: list[dict[str, Any]] = []

    def show_value(self, value: object) -> None:
        """Take the value of the last line of a cell."""
        if value is not None:
            data = {"text/plain": repr(value)}
            if hasattr(value, "_repr_html_"):
                data["text/html"] = value._repr_html_()
            self._value = [{"output_type": "execute_result", "data": data, "metadata": {}}]

    def end_cell(self) -> None:
        """Gather all that a cell has shown."""
        found = []
        if text := self.printed.getvalue():
            found.append({"output_type": "stream", "name": "stdout", "text": text})
        found += self._value
        for number in plt.get_fignums():
            picture = io.BytesIO()
            plt.figure(number).savefig(picture, format="png", bbox_inches="tight", dpi=100)
            data = {"image/png": base64.b64encode(picture.getvalue()).decode()}
            found.append({"output_type": "display_data", "data": data, "metadata": {}})
        plt.close("all")
        self.cells.append(found)
        self.printed.seek(0)
        self.printed.truncate()
        self._value = []


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3] if len(sys.argv) > 3 else "."))
