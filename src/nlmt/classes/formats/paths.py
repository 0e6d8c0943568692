"""The `paths` file of Liang's wcluster: bit string, word, count."""

import re

from nlmt.classes.clustering import read_paths, write_paths
from nlmt.classes.formats.format import ClassFormat


def _begins(fields: list[str]) -> bool:
    return len(fields) == 3 and re.fullmatch("[01]*", fields[0]) is not None


PATHS = ClassFormat(
    read_paths, write_paths, _begins, "bit string, word, count: Liang's wcluster and nlmt classes"
)
