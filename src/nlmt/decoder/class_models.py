"""Class n-gram models, prepared for the search."""

from pathlib import Path

import numpy as np

from nlmt.decoder._decoder import ClassTable
from nlmt.ngram.class_model import load_table


def load_class_table(folder: Path) -> ClassTable:
    """Read the words and classes of a model's folder."""
    members = load_table(folder).members
    return ClassTable(
        words=list(members),
        classes=[member.name for member in members.values()],
        log_p=np.array([member.log_p for member in members.values()], np.float32),
    )
