"""Write the frames of docs/medium-scale.md from a run of scale medium.

    snakemake results/medium/fr-en/text/mono.documentation.en.counts.json --config scale=medium
    python tools/medium_frames.py [FOLDER]

FOLDER is where the run's results/ and data/ are, by default the present one. For the bitext of
another pair make results/medium/it-en/raw/counts.json, for text of French or German
results/medium/en-fr/text/mono.documentation.fr.counts.json. BLEU of the default systems is of the
target `reports` of scale medium, and of the default experiment with the same `held_out` and
`test_sets`, as far as the folder has them.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from nlmt.corpora.prose import COUNTED
from nlmt.experiment import Experiment
from nlmt.papers import PAPERS
from nlmt.workflow.configuration import default_files, read_files, scale_file

PROJECT = Path(__file__).parents[1]
FRAMES = PROJECT / "docs/results"
TEXT = "results/medium/fr-en/text/mono.documentation.en.counts.json"
STEPS = {
    "joined": "found, as sentences",
    "repeated": "repeated",
    "in_held_out": "equal to held-out ones on either side",
    "near_held_out": "near held-out ones on either side",
    "train": "train",
    "dev": "dev",
    "test": "test",
    "dev2": "dev2",
}
# What becomes of a pair that is not drawn for dev or test, from the last filter to the first.
FATES = ("train", "near_held_out", "in_held_out", "repeated")
TASKS = {"help": "small", "medium": "medium"}
SYSTEMS = ("baseline", "nlm", "nlm_decoder")


def write(name: str, rows: list[list[object]]) -> None:
    """Write a frame, whose first row is its head."""
    lines = ["\t".join(map(str, row)) + "\n" for row in rows]
    (FRAMES / name).write_text("".join(lines), encoding="utf-8")


def write_columns(name: str, columns: Mapping[str, Mapping[str, str]]) -> None:
    """Write columns of a frame, beside those that it has of other runs."""
    path = FRAMES / name
    frame = pd.read_csv(path, sep="\t", index_col=0, dtype=str, keep_default_na=False)
    joined = pd.DataFrame({**frame.to_dict(), **columns})
    joined.rename_axis(frame.index.name).to_csv(path, sep="\t")


def write_bitext(folder: Path) -> None:
    """Write the counts of the run's pairs, and of fr-en by package."""
    columns = {}
    for path in sorted((folder / "results/medium").glob("*-en/raw/counts.json")):
        counts = json.loads(path.read_text())
        pair = path.parts[-3]
        columns[pair] = {step: str(counts[key]) for key, step in STEPS.items()}
        if pair == "fr-en":
            write_packages(counts)
    write_columns("medium-bitext.tsv", columns)


def write_packages(counts: dict[str, int]) -> None:
    """Write the pairs and target words of each package that are left after each filter."""
    rows = []
    for file in dict.fromkeys(key.partition("/")[0] for key in counts if "/" in key):
        row: list[int] = []
        for unit in ("", "_words"):
            left = [counts.get(f"{file}/{fate}{unit}", 0) for fate in FATES]
            row += [sum(left[: number + 1]) for number in reversed(range(len(FATES)))]
        rows.append([file, *row])
    steps = ("found", "not repeated", "not equal to held-out", "train")
    heads = [f"{step}: {unit}" for unit in ("pairs", "words") for step in steps]
    write("medium-packages.tsv", [["package", *heads], *rows])


def write_downloads(folder: Path) -> None:
    """Write the sizes of the packages of the configuration; the folder may have others, too."""
    files = [*default_files(PROJECT), scale_file("medium", PROJECT)]
    experiment = Experiment.read(read_files(files), files, papers=dict(PAPERS.items()))
    packages = sorted({folder / path for path in experiment.files() if path.suffix == ".deb"})
    sizes = [[path.stem, f"{path.stat().st_size / 1e6:.1f}"] for path in packages]
    write("medium-downloads.tsv", [["package", "MB"], *sizes])


def write_systems(folder: Path) -> None:
    """Write BLEU of the default systems on each test set, by scale."""
    columns = {}
    for task, scale in TASKS.items():
        for system in SYSTEMS:
            path = folder / f"results/{task}/fr-en/eval/{system}.json"
            if path.exists():
                scores = json.loads(path.read_text())["scores"]
                columns[f"{scale}: {system}"] = {
                    name: str(round(one["BLEU"]["mean"], 2)) for name, one in scores.items()
                }
    write_columns("medium-systems.tsv", columns)


def write_texts(folder: Path) -> None:
    """Write the words of each package after each filter, of English text those beside fr-en."""
    of_others = folder.glob("results/medium/en-*/text/mono.documentation.*.counts.json")
    for path in sorted([*folder.glob(TEXT), *of_others]):
        counts = json.loads(path.read_text())
        language = path.name.split(".")[2]
        rows = [[file, *(own[f"{name}_words"] for name in COUNTED)] for file, own in counts.items()]
        name = "medium-text.tsv" if language == "en" else f"medium-text-{language}.tsv"
        write(name, [["package", *COUNTED], *rows])


def main(folder: Path) -> None:
    """Write the frames of the bitext, and of what else the run has."""
    write_bitext(folder)
    write_systems(folder)
    write_texts(folder)
    if (folder / TEXT).exists():
        write_downloads(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
