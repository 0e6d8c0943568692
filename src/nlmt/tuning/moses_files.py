"""The files of Moses' mert: feature and score files of its extractor, and initial weights."""

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError, in_file
from nlmt.io.fields import parse_number, split_fields
from nlmt.io.files import open_binary, read_lines
from nlmt.io.weights import group_by_label
from nlmt.tuning import _mert
from nlmt.tuning.pool import Pool

# A score file's count must fit in 32 bits.
_LARGEST = 2.0**31


def read_pool(features: Sequence[Path | str], scores: Sequence[Path | str]) -> Pool:
    """Read and merge the lists of one or more decoder runs, the earlier runs first.

    The files of BLEU statistics (`scores`) are in the order of those of features.

    Raises:
        InputError: a malformed file, a number that is not finite, files that do not belong
            together; names file and line.
    """
    if len(features) != len(scores) or not features:
        raise InputError(f"{len(features)} feature files and {len(scores)} score files")
    first, *others = [_read_run(*paths) for paths in zip(features, scores, strict=True)]
    return first.merge(others)


def read_initial(
    path: Path | str,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Read `init.opt`: a line of weights, then lines of lower and upper bounds, 0 and 1 if missing.

    Raises:
        InputError: no numbers, or lines of different length; names file and line.
    """
    rows: list[NDArray[np.float64]] = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        with in_file(path, number):
            row = np.array([parse_number(field) for field in split_fields(line)], np.float64)
        if rows and len(row) != len(rows[0]):
            raise InputError(
                f"{len(row)} values, but {len(rows[0])} weights", path=path, line=number
            )
        rows.append(row)
    if len(rows) not in (1, 3):
        raise InputError(
            f"{len(rows)} lines of numbers",
            path=path,
            hint="a line of weights, or lines of weights, lower and upper bounds",
        )
    weights, *bounds = rows
    lower, upper = bounds or (0 * weights, 0 * weights + 1)
    return weights, lower, upper


def _read_run(features_path: Path | str, scores_path: Path | str) -> Pool:
    names, sentence, offsets, features = _parse(features_path, "FEATURES")
    metric, scored, score_offsets, scores = _parse(scores_path, "SCORES")
    if metric not in ("BLEU", "") or (len(scored) and scores.shape[1] != 9):
        raise InputError(
            f"{scores.shape[1]} statistics of {metric or 'an unnamed metric'}",
            path=scores_path,
            hint="only BLEU's nine statistics are known",
        )
    if not np.array_equal(sentence, scored) or not np.array_equal(offsets, score_offsets):
        common = min(len(sentence), len(scored))
        differing = np.flatnonzero(
            (sentence[:common] != scored[:common])
            | (offsets[1 : common + 1] != score_offsets[1 : common + 1])
        )
        block = int(differing[0]) if len(differing) else common
        # Each earlier block has a line above and one below its rows.
        line = int(score_offsets[block]) + 2 * block + 1
        raise InputError(
            f"block {block} has another sentence or number of rows than in {features_path}",
            path=scores_path,
            line=line,
        )
    counts = (scores == np.rint(scores)) & (scores >= 0) & (scores < _LARGEST)
    if not counts.all():
        row = int(np.argmin(counts.all(axis=1)))
        block = int(np.searchsorted(offsets, row, side="right")) - 1
        raise InputError("not nine counts", path=scores_path, line=row + 2 * block + 2)
    labels = names.split()
    if labels and len(labels) != features.shape[1]:
        raise InputError(
            f"{len(labels)} names for {features.shape[1]} features", path=features_path, line=1
        )
    grouped = [(label, len(some)) for label, some in group_by_label(labels)]
    if len(dict(grouped)) < len(grouped):
        what = "names of one feature with others between them"
        raise InputError(what, path=features_path, line=1)
    return Pool(
        np.repeat(sentence, np.diff(offsets)).astype(np.int32),
        features,
        scores.astype(np.int32),
        grouped,
    )


def _parse(
    path: Path | str, kind: str
) -> tuple[str, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    try:
        with open_binary(path) as stream:
            content = stream.read()
        binary = content.startswith(f"{kind}_BIN_BEGIN_0".encode())  # the parser's message
        if not content.isascii() and not binary:
            hint = f"a file of Moses' extractor begins with {kind}_TXT_BEGIN_0"
            raise InputError(f"not a file of {kind.lower()}: not ASCII", path=path, hint=hint)
        return _mert.parse(content, kind, str(path))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            "damaged or truncated gzip file", path=path, hint="make it again"
        ) from error
