"""The kinds of language models by name."""

from typing import Any

from nlmt.lm import ModelKind
from nlmt.registry import Registry

# Kinds are asked in this order whether a path is one of their models, and only then imported: those
# that recognise their files with certainty and need the fewest imports come first.
KINDS: Registry[ModelKind[Any]] = Registry(
    "kind of language model",
    {
        "ngram": "nlmt.ngram.kind:NGRAM",
        "class-ngram": "nlmt.ngram.class_kind:CLASS_NGRAM",
        "interpolation": "nlmt.kinds.interpolation:INTERPOLATION",
        "pretrained": "nlmt.pretrained.kind:PRETRAINED",
        "neural": "nlmt.neural.kind:NEURAL",
    },
)
