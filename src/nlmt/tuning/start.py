"""Starting weights for the loop, from a system that was tuned before."""

import numpy as np

from nlmt.errors import InputError
from nlmt.io.lattice import is_fixed
from nlmt.io.weights import Weights

_LANGUAGE_MODELS = ("LM", "NLM")


def carry_over(former: Weights, own: Weights) -> dict[str, list[float]]:
    """Starting weights of a system, from the tuned weights of one with other features.

    New language models share the weight of the former ones: if one joins another, both get half,
    and one that replaces another gets all of it. So their scores keep their balance with other
    features. Any other new feature gets the mean magnitude of the former weights, with the sign of
    its untuned weight.

    `former` has the tuned weights of the former system, `own` the untuned ones of the system
    itself.

    Returns:
        weights for each label of `own`; UnknownWordPenalty, which is not tuned, keeps its own.

    Raises:
        InputError: a label has different numbers of weights.
    """
    mean = float(np.mean([abs(value) for values in former.values() for value in values] or [0]))
    if mean == 0:
        return {label: list(values) for label, values in own.items()}
    models = [label for label in own if _is_language_model(label)]
    old = [label for label in models if label in former]
    share = len(old) / len(models) if old else 1.0
    former_models = old or [label for label in former if _is_language_model(label)]
    total = sum(value for label in former_models for value in former[label])
    weights = {}
    for label, values in own.items():
        known = former.get(label)
        if known is not None and len(known) != len(values):
            what = (
                f"{label} has {len(values)} weights, but {len(known)} in the system to start from"
            )
            raise InputError(what, hint="name a system with the same tables")
        if known is not None:
            scale = share if _is_language_model(label) else 1.0
            weights[label] = [scale * value for value in known]
        elif is_fixed(label):
            weights[label] = list(values)
        elif _is_language_model(label) and former_models:
            weights[label] = [total / len(models)] * len(values)
        else:
            weights[label] = np.copysign(mean, values).tolist()
    return weights


def _is_language_model(label: str) -> bool:
    return label.rstrip("0123456789") in _LANGUAGE_MODELS
