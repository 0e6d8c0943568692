"""Run the benchmarks of all packages, or of the named ones, and print one table.

    python -m benchmarks [--frames docs/results] [name ...]

A benchmark is a module with `run()`, which returns rows of some of `frames.COLUMNS`; with --frames
they are also kept as NAME.tsv in a folder. The reference figures come from the existing tools on a
two-core machine where `lmplz -o 5` over the English side of the help corpus takes 1.0 CPU second;
the first row measures the same here, so that the two machines can be compared.
"""

import argparse
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import benchmarks
from benchmarks.children import children_seconds
from benchmarks.frames import Row, keep, measured, origin, show
from nlmt.io.files import open_binary

TEXT = Path("results/help/fr-en/text/train.en.gz")


def yardstick() -> Row:
    """CPU seconds of lmplz on the English side of the help corpus."""
    row: Row = {"step": "yardstick: lmplz -o 5", "unit": "CPU s", "reference_tool": "lmplz"}
    if not TEXT.exists():
        return row | {"figure": "not run", "reference_figure": 1.0, "note": f"needs {TEXT}"}
    lmplz = Path(sys.executable).with_name("lmplz")
    before = children_seconds()
    with open_binary(TEXT) as text:
        subprocess.run(
            [lmplz, "-o", "5", "-S", "1G"],
            input=text.read(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    seconds = children_seconds() - before
    return row | {"figure": round(seconds, 2), "reference_figure": 1.0}


def names() -> list[str]:
    """The benchmarks: the modules of this package that have a function `run`."""
    (folder,) = map(Path, benchmarks.__path__)
    found = [module.name for module in pkgutil.iter_modules([str(folder)])]
    return [name for name in found if "\ndef run(" in (folder / f"{name}.py").read_text("utf-8")]


def main() -> None:
    """Print the rows of the named benchmarks, or of all, as they are measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name")
    parser.add_argument("--frames", type=Path, metavar="FOLDER", help="keep the figures here")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.names) - set(names())):
        parser.error(f"no benchmark {', '.join(unknown)} (there are {', '.join(names())})")
    speed = yardstick()
    show(speed)
    for name in arguments.names or names():
        print(f"{name} ...", file=sys.stderr, flush=True)
        rows = importlib.import_module(f"benchmarks.{name}").run()
        if arguments.frames:
            rows = keep(
                rows, arguments.frames / f"{name}.tsv", [*origin(), *filter(measured, [speed])]
            )
        for row in rows:
            show(row)


if __name__ == "__main__":
    main()
