"""The order of artefacts in the pipeline, by path."""

from pathlib import PurePath

# Folders of a language pair, in the order in which the workflow fills them.
STAGES = (
    "raw",
    "text",
    "texts",
    "source-classes",
    "classes",
    "tm",
    "tuples",
    "lm",
    "tune",
    "decode",
    "rescore",
    "eval",
    "report",
)
_LAST = len(STAGES)


def stage(path: PurePath) -> int:
    """The number of the first stage in a path; the number of stages if there is none."""
    return next((STAGES.index(part) for part in path.parts if part in STAGES), _LAST)
