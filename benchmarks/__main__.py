"""Run the benchmarks of all packages, or of the named ones, and print one table.

    python -m benchmarks [name ...]

Each package has a module with `run()`, which returns rows of step, figure, unit, reference_tool,
reference_figure and note. The reference figures come from the existing tools on a two-core machine
where `lmplz -o 5` over the English side of the help corpus takes 1.0 CPU second; the first row
measures the same here, so that the two machines can be compared.
"""

import importlib
import pkgutil
import resource
import subprocess
import sys
from pathlib import Path

import pandas as pd

import benchmarks
from nlmt.io.files import open_binary

TEXT = Path("results/help/fr-en/text/train.en.gz")


def yardstick() -> list[dict[str, object]]:
    """CPU seconds of lmplz on the English side of the help corpus."""
    row = {"step": "yardstick: lmplz -o 5", "unit": "CPU s", "reference_tool": "lmplz"}
    if not TEXT.exists():
        return [row | {"figure": "not run", "reference_figure": 1.0, "note": f"needs {TEXT}"}]
    lmplz = Path(sys.executable).with_name("lmplz")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open_binary(TEXT) as text:
        subprocess.run(
            [lmplz, "-o", "5", "-S", "1G"],
            input=text.read(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [row | {"figure": round(seconds, 2), "reference_figure": 1.0, "note": ""}]


def main(names: list[str]) -> None:
    """Print the table of the named benchmarks, or of all."""
    known = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name != "__main__"]
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"no benchmark for {', '.join(unknown)} (there are {', '.join(known)})")
    rows = yardstick()
    for name in names or known:
        print(f"{name} ...", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"benchmarks.{name}").run()
    for row in rows:
        for column in ("figure", "reference_figure"):
            if isinstance(row.get(column), int | float):
                row[column] = f"{row[column]:,.6g}"
    columns = ["step", "figure", "unit", "reference_tool", "reference_figure", "note"]
    with pd.option_context("display.width", 200, "display.max_colwidth", 70):
        print(pd.DataFrame(rows, columns=columns).fillna("").to_string(index=False))


if __name__ == "__main__":
    main(sys.argv[1:])
