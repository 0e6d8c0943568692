"""Statistics of TER and chrF for a whole n-best list, beside sacreBLEU on its first best."""

import time
from itertools import pairwise
from pathlib import Path

import sacrebleu

from benchmarks.frames import Row
from nlmt.evaluation import CHRF, TER
from nlmt.io.files import read_lines
from nlmt.io.nbest import read_nbest

GOLDEN = Path(__file__).parents[1] / "tests/golden"


def run() -> list[Row]:
    """CPU microseconds a hypothesis, ours over the list and sacreBLEU's over its best ones."""
    nbest = read_nbest(GOLDEN / "output/stack100.nbest.gz")
    references = [list(read_lines(GOLDEN / "test.en"))]
    starts = [begin for begin, _ in pairwise(nbest.sentence_starts().tolist())]
    best = [nbest.text(i) for i in starts]
    lines = [[references[0][nbest.sentence[i]] for i in starts]]
    rows: list[Row] = []
    for metric, official in ((TER, sacrebleu.TER()), (CHRF, sacrebleu.CHRF(lowercase=True))):
        before = time.process_time()
        metric.nbest_statistics(nbest, references)
        ours = time.process_time() - before
        before = time.process_time()
        official.corpus_score(best, lines)
        theirs = time.process_time() - before
        rows.append(
            {
                "step": f"{metric.name} of an n-best list",
                "figure": round(1e6 * ours / len(nbest), 1),
                "unit": "CPU us a hypothesis",
                "reference_tool": "sacreBLEU",
                "reference_figure": round(1e6 * theirs / len(best), 1),
                "note": f"{len(nbest):,} hypotheses of {len(best)} sentences; sacreBLEU: the best",
            }
        )
    return rows
