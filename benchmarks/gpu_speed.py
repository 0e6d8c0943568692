"""The rows of `neural_gpu` as they are measured, and as a frame in the folder OUT: see gpu.sh.

    python -m benchmarks.gpu_speed [--threads | MODEL ...]

With --threads it measures the kernel's growth with the number of the machine's processors instead.
"""

import os
import sys
from pathlib import Path

from benchmarks.neural_gpu import MODELS, growth, rows

COLUMNS = ("step", "figure", "unit", "reference_tool", "reference_figure", "note")


def main(arguments: list[str]) -> None:
    """Print rows and write them to a frame."""
    threads = [1 << i for i in range((os.cpu_count() or 1).bit_length())]
    growing = arguments == ["--threads"]
    found = growth(threads) if growing else rows(arguments or tuple(MODELS))
    frame = Path(os.environ.get("OUT", ".")) / ("threads.tsv" if growing else "speed.tsv")
    with frame.open("w") as file:
        print(*COLUMNS, sep="\t", file=file)
        for row in found:
            values = [str(row.get(column, "")) for column in COLUMNS]
            print(*values, sep="\t", file=file, flush=True)
            print(f"{values[0]:44} {values[1]:>12} {values[2]:10} {values[5]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
