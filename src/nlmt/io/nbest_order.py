"""N-best lists with different orders of features, such as a decoder's and a lattice's."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import is_gzip, read_lines, write_lines
from nlmt.io.nbest import NbestList, read_feature_names
from nlmt.io.temporary import temporary_folder

Names = Sequence[tuple[str, int]]
_SEPARATOR = re.compile(r"(?<![^ \t])\|\|\|(?![^ \t])")  # words may have bars, too


@contextmanager
def in_one_order(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield lists with features in the order of the first one.

    Only lists with another order are copied, to temporary files; errors name the lists themselves.

    Raises:
        InputError: lists with different features, which it names. A malformed list.
    """
    first, names = next(((path, found) for path, found in _named(paths) if found), (None, []))
    with temporary_folder() as folder:
        ordered = []
        for number, (path, own) in enumerate(_named(paths)):
            if not own or own == names:
                ordered.append(path)
                continue
            _check_same(own, names, path, first)
            ordered.append(folder / f"{number}{'.gz' if is_gzip(path) else ''}")
            write_lines(ordered[-1], _lines_in_order(path, own, names))
        try:
            yield ordered
        except InputError as error:
            given = {str(copy): path for copy, path in zip(ordered, paths, strict=True)}
            if str(error.path) not in given:
                raise
            path = given[str(error.path)]
            raise InputError(error.what, path=path, line=error.line, hint=error.hint) from error


def with_order(nbest: NbestList, first: NbestList) -> NbestList:
    """The list with features in the order of the first one's.

    Raises:
        InputError: it has other features.
    """
    names = first.feature_names
    if not len(nbest) or not names or nbest.feature_names == names:
        return nbest
    _check_same(nbest.feature_names, names, nbest.path, first.path)
    starts = np.cumsum([0, *(width for _, width in nbest.feature_names)])
    place = {label: at for (label, _), at in zip(nbest.feature_names, starts, strict=False)}
    columns = [place[label] + at for label, width in names for at in range(width)]
    return replace(nbest, features=nbest.features[:, columns], feature_names=list(names))


def _named(paths: Sequence[Path]) -> Iterator[tuple[Path, Names]]:
    return ((path, read_feature_names(path)) for path in paths)


def _check_same(
    own: Names, names: Names, path: Path | str | None, first: Path | str | None
) -> None:
    if sorted(own) == sorted(names):
        return
    more = [label for label, width in own if (label, width) not in names]
    fewer = [label for label, width in names if (label, width) not in own]
    parts = [f"it has {' '.join(more)}"] if more else []
    parts += [f"it lacks {' '.join(fewer)}"] if fewer else []
    what = f"other features than {first or 'the first list'}: {', '.join(parts)}"
    raise InputError(what, path=path, hint="rescore all lists with the same models")


def _lines_in_order(path: Path, own: Names, names: Names) -> Iterator[str]:
    """The lines with the parts of their features in another order."""
    labels = [label for label, _ in own]
    heads = ([f"{labels[0]}="], [f"{labels[0]}:"])
    order = [labels.index(label) for label, _ in names]
    ends = np.cumsum([width + 1 for _, width in own]).tolist()
    spans = list(zip([0, *ends], ends, strict=False))
    for line, text in enumerate(read_lines(path), start=1):
        columns = _SEPARATOR.split(text)
        # Not always the third column: Marian may have links and scores of words before it.
        place = next(
            (at for at in range(2, len(columns)) if split_fields(columns[at])[:1] in heads), 0
        )
        tokens = split_fields(columns[place])
        if len(tokens) != ends[-1]:
            raise InputError("malformed n-best line", path=path, line=line)
        parts = [token for at in order for token in tokens[slice(*spans[at])]]
        columns[place] = f" {' '.join(parts)} "
        yield "|||".join(columns)
