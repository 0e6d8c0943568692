"""Write the frames of docs/medium-scale.md from a run of scale medium.

    snakemake results/medium/fr-en/text/mono.documentation.en.counts.json --config scale=medium
    python tools/medium_frames.py [FOLDER]

FOLDER is where the run's results/ and data/ are, by default the present one. For the bitext of
another pair make results/medium/it-en/raw/counts.json.
"""

import json
import sys
from pathlib import Path

import pandas as pd

from nlmt.corpora.prose import FILTERS

FRAMES = Path(__file__).parents[1] / "docs/results"
TEXT = "results/medium/fr-en/text/mono.documentation.en.counts.json"
STEPS = {
    "joined": "joined",
    "repeated": "repeated",
    "in_held_out": "equal to held-out ones on either side",
    "near_held_out": "near held-out ones on either side",
    "train": "train",
    "dev": "dev",
    "test": "test",
    "dev2": "dev2",
}


def write(name: str, rows: list[list[object]]) -> None:
    """Write a frame, whose first row is its head."""
    lines = ["\t".join(map(str, row)) + "\n" for row in rows]
    (FRAMES / name).write_text("".join(lines), encoding="utf-8")


def write_bitext(folder: Path) -> None:
    """Write the counts of the run's pairs beside those of others."""
    path = FRAMES / "medium-bitext.tsv"
    frame = pd.read_csv(path, sep="\t", index_col="pairs")
    for counts in sorted((folder / "results/medium").glob("*/raw/counts.json")):
        bitext = json.loads(counts.read_text())
        frame[counts.parts[-3]] = {what: bitext[key] for key, what in STEPS.items()}
    frame.to_csv(path, sep="\t")


def main(folder: Path) -> None:
    """Write the frames of the bitext, and where the run has it, of the text and the downloads."""
    write_bitext(folder)
    if not (folder / TEXT).exists():
        return
    counts = json.loads((folder / TEXT).read_text())
    names = ("read", *FILTERS, "kept")
    rows = [[file, *(own[f"{name}_words"] for name in names)] for file, own in counts.items()]
    write("medium-text.tsv", [["package", *names], *rows])
    packages = sorted((folder / "data/raw").glob("*/*.deb"))
    sizes = [[path.stem, f"{path.stat().st_size / 1e6:.1f}"] for path in packages]
    write("medium-downloads.tsv", [["package", "MB"], *sizes])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
