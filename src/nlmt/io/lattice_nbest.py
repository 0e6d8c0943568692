"""N-best lists in Moses' format from lattices."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.io.lattice import Lattice, tunable_columns, tunable_features


def nbest_lines(lattice: Lattice, count: int, *, distinct: bool) -> list[str]:
    """Lines of the `count` best translations, the best first.

    As in the decoder's lists, the features do not include the penalty of unknown words.

    With `distinct`, only the best path of each translation counts. The lattice's weights determine
    the totals.

    Raises:
        InputError: a word spelt `|||`.
    """
    if "|||" in {lattice.words[word] for word in np.unique(lattice.word_ids).tolist()}:
        what = f"sentence {lattice.sentence} has the word |||, which is no word in this format"
        raise InputError(what, hint="write another format")
    paths = lattice.nbest(count, distinct=distinct)
    names, columns = tunable_features(lattice.feature_names), tunable_columns(lattice.feature_names)
    if not paths or not len(paths[0].arcs):  # only the empty translation
        sums = np.zeros((len(paths), len(columns)))
    else:
        starts = np.cumsum([0, *(len(path.arcs) for path in paths[:-1])])
        arcs = np.concatenate([path.arcs for path in paths])
        sums = np.add.reduceat(lattice.features[arcs].astype(np.float64), starts)
    pattern = " ".join(f"{label}= " + " ".join(["%.6g"] * width) for label, width in names)
    words = [
        " ".join([lattice.words[w] for w in lattice.word_ids[begin:end].tolist()])
        for begin, end in pairwise(lattice.word_offsets.tolist())
    ]
    lines = []
    for path, values in zip(paths, sums[:, columns].tolist(), strict=True):
        # As in Moses, with a space after each word.
        text = "".join([f"{words[p]} " for p in lattice.phrase[path.arcs].tolist() if words[p]])
        features = pattern % tuple(values)
        lines.append(f"{lattice.sentence} ||| {text} ||| {features} ||| {path.score:.6g}")
    return lines


def write_nbest(
    path: Path | str, lattices: Iterable[Lattice], count: int, *, distinct: bool = False
) -> None:
    """Write a list of the `count` best translations of each lattice, atomically."""
    lines = (
        line for lattice in lattices for line in nbest_lines(lattice, count, distinct=distinct)
    )
    write_lines(path, lines)
