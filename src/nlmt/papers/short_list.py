"""The coverage of n-best lists by a short-list."""

from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io.nbest import NbestList
from nlmt.neural.model import NeuralLM
from nlmt.neural.text.numbered import END_ID


def count_predicted(folder: Path, nbest: NbestList) -> dict[str, int]:
    """Count the requests (words and ends) of an n-best list, and those for a model's short-list.

    Returns:
        `requests`, and the number of them that the network answers (`predicted`).

    Raises:
        InputError: no such model, or no hypotheses.
    """
    if not len(nbest):
        raise InputError("a list without hypotheses", path=nbest.path)
    model = NeuralLM.load(folder)
    counts = np.append(np.bincount(nbest.ids, minlength=len(nbest.words)), len(nbest))
    words = np.append(model.lookup(nbest.words), END_ID)
    requests = int(counts.sum())
    predicted = model.layout.predicted
    found = requests if predicted is None else int(counts[predicted[words]].sum())
    return {"requests": requests, "predicted": found}
