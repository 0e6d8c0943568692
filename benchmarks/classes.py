"""Word classes: Brown clustering against Liang's wcluster."""

import time
from pathlib import Path

from nlmt.classes import brown_cluster, read_bigrams

TEXT = Path("results/help/fr-en/text/train.en.gz")
CLASSES = 270  # of the reference figure

Row = dict[str, object]


def run() -> list[Row]:
    """Rows of the clustering; needs the English training text of the help corpus."""
    if not TEXT.exists():
        return [{"step": "Brown clustering", "figure": f"not run: needs {TEXT}"}]
    start = time.process_time()
    bigrams = read_bigrams(TEXT)
    clustering = brown_cluster(bigrams, CLASSES)
    seconds = time.process_time() - start

    start = time.process_time()
    window = brown_cluster(bigrams, CLASSES, refine=False)
    window_seconds = time.process_time() - start

    size = f"{len(clustering.words):,} words, {len(clustering.bits)} classes"
    reference: Row = {"unit": "CPU s", "reference_tool": "wcluster", "reference_figure": 60}
    return [
        reference | {"step": "Brown clustering, whole", "figure": round(seconds, 2), "note": size},
        reference
        | {
            "step": "Brown clustering, wcluster's algorithm",
            "figure": round(window_seconds, 2),
            "note": f"{size}; without counting bigrams and exchange",
        },
        {
            "step": "average mutual information",
            "figure": round(clustering.average_mutual_information or 0.0, 4),
            "unit": "nats",
            "reference_tool": "wcluster's algorithm",
            "reference_figure": round(window.average_mutual_information or 0.0, 4),
            "note": "on the same counts; higher is better",
        },
    ]
