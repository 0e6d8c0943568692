"""n-best lists: reading, writing, and rescoring with a language model.

Takes a decoder's 1000-best list of the test set where the workflow has made one; otherwise a list
of the same size is drawn from the test set's references by random edits.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.frames import Row
from nlmt.io.files import read_lines, write_lines
from nlmt.io.nbest import add_features, iter_nbest, read_nbest
from nlmt.kinds import load_language_model
from nlmt.lm.interpolation import Interpolation
from nlmt.lm.protocol import WordModel
from nlmt.rescoring import minimum_risk, oracle, rerank, rescore

PAIR = Path("results/help/fr-en")
SENTENCES, HYPOTHESES = 780, 1000


def run() -> list[Row]:
    """Rows of the n-best tools; needs the test set or a 1000-best list of the help corpus."""
    reference = PAIR / "text" / "test.en.gz"
    lists = sorted(PAIR.glob("decode/*/run1/test.nbest.gz"))
    if not lists and not reference.exists():
        return [{"step": "n-best list", "figure": f"not run: needs {reference}"}]
    with tempfile.TemporaryDirectory() as folder:
        if lists:
            nbest = lists[0]
        else:
            nbest = Path(folder) / "list.gz"
            write_synthetic_list(reference, nbest)
        return measure(nbest, Path(folder))


def measure(nbest: Path, folder: Path) -> list[Row]:
    """Read `nbest`, add a feature, rescore it with each available model."""
    values = np.concatenate([block.totals for block in iter_nbest(nbest)])
    note = f"{len(values):,} hypotheses, {nbest.stat().st_size >> 20} MB gzip"
    weights = {label: [0.5] * width for label, width in [*read_nbest(nbest).feature_names]}
    weights["NLM0"] = [0.5]
    out = folder / "out.gz"
    rows = [
        _row("read n-best list", note, lambda: read_nbest(nbest)),
        _row("add a feature", note, lambda: add_features(nbest, out, {"NLM0": values})),
        _row(
            "add a feature, new totals, sort",
            note,
            lambda: add_features(nbest, out, {"NLM0": values}, weights=weights, sort=True),
        ),
        _row("new totals", note, lambda: add_features(nbest, out, {}, weights=weights)),
        _row("one-best under weights", note, lambda: rerank(nbest, weights)),
        _row("minimum Bayes risk, 200 best", note, lambda: minimum_risk(nbest, weights=weights)),
    ]
    split = nbest.name.split(".")[0]
    reference = PAIR / "text" / f"{split}.en.gz"
    if reference.exists():
        lines = [list(read_lines(reference))]
        rows.append(_row("oracle BLEU", note, lambda: oracle(nbest, lines)))
    models = {
        str(path.parent.relative_to(PAIR)): load_language_model(path, threads=2)
        for pattern in ("lm/*/model.*", "lm/*/run1/model.*")
        for path in sorted(PAIR.glob(pattern))
    }
    words = [model for model in models.values() if isinstance(model, WordModel)]
    if len(words) > 1:
        models["all of them interpolated"] = Interpolation(words, [1.0] * len(words))
    for name, model in models.items():
        wall, cpu = time.perf_counter(), time.process_time()
        counts = rescore(nbest, {"NLM0": model}, out)["NLM0"]
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        rows.append(
            {
                "step": f"rescore with {name}, reading and writing included",
                "figure": round(wall, 1),
                "unit": "s",
                "reference_tool": "aim",
                "reference_figure": 20.0,
                "note": f"{cpu:.1f} CPU s; {counts.requests:,} requests, "
                f"{counts.ngrams:,} n-grams, {counts.contexts:,} contexts",
            }
        )
    return rows


def write_synthetic_list(reference: Path, out: Path) -> None:
    """A list that looks like Moses': each sentence with random words replaced, dropped, swapped."""
    references = list(islice(read_lines(reference), SENTENCES))
    write_lines(out, _edited_lines(references, np.random.default_rng(1)))


def _edited_lines(references: list[str], random: np.random.Generator) -> Iterator[str]:
    vocabulary = sorted({word for line in references for word in line.split()})
    for sentence, line in enumerate(references):
        words = line.split()
        for _ in range(HYPOTHESES):
            edited = list(words)
            for at, kind, new in zip(
                random.integers(0, len(words), 3),
                random.integers(0, 3, 3),
                random.integers(0, len(vocabulary), 3),
                strict=True,
            ):
                if kind == 0:
                    edited[at] = vocabulary[new]
                elif kind == 1:
                    edited[at] = ""
                else:
                    edited[at], edited[at - 1] = edited[at - 1], edited[at]
            kept = [word for word in edited if word]
            x = [f"{value:.6g}" for value in -random.gamma(2, 3, 12)]
            yield (
                f"{sentence} ||| {' '.join(kept)}  ||| LexicalReordering0= {' '.join(x[:6])} "
                f"Distortion0= {-at} LM0= {x[6]} WordPenalty0= {-len(kept)} PhrasePenalty0= {at} "
                f"TranslationModel0= {' '.join(x[7:11])} ||| {x[11]} ||| "
                f"{' '.join(f'{i}={i}' for i in range(len(kept)))} ||| "
                f"{' '.join(f'{i}-{i}' for i in range(len(kept)))} "
            )


def _row(step: str, note: str, work: Callable[[], object]) -> Row:
    before = time.process_time()
    work()
    seconds = time.process_time() - before
    return {"step": step, "figure": round(seconds, 2), "unit": "CPU s", "note": note}
