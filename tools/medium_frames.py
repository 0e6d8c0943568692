"""Write the frames of docs/medium-scale.md from a run of scale medium.

    snakemake results/medium/fr-en/text/mono.documentation.en.counts.json --config scale=medium
    python tools/medium_frames.py [FOLDER]

FOLDER is where the run's results/ and data/ are, by default the present one.
"""

import json
import sys
from pathlib import Path

from nlmt.corpora.prose import FILTERS

FRAMES = Path(__file__).parents[1] / "docs/results"
PAIR = Path("results/medium/fr-en")
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


def main(folder: Path) -> None:
    """Write the frames of the text, the bitext and the downloads."""
    counts = json.loads((folder / PAIR / "text/mono.documentation.en.counts.json").read_text())
    names = ("read", *FILTERS, "kept")
    rows = [[file, *(own[f"{name}_words"] for name in names)] for file, own in counts.items()]
    write("medium-text.tsv", [["package", *names], *rows])
    bitext = json.loads((folder / PAIR / "raw/counts.json").read_text())
    write(
        "medium-bitext.tsv",
        [["pairs", "fr-en"], *([what, bitext[key]] for key, what in STEPS.items())],
    )
    packages = sorted((folder / "data/raw").glob("*/*.deb"))
    sizes = [[path.stem, f"{path.stat().st_size / 1e6:.1f}"] for path in packages]
    write("medium-downloads.tsv", [["package", "MB"], *sizes])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
