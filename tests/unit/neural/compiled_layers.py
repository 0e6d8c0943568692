"""The compiled layers of a model, by default in double precision."""

from unittest import mock

import numpy as np

from nlmt.neural import _kernel
from nlmt.neural.parts import NETWORKS
from nlmt.neural.score.layers import compiled_direct, compiled_output

NAMES = ("Input", "Recurrent", "ClassOutput", "TreeOutput", "Direct")
# Settings of a trainer in the kernel: plain descent.
PLAIN = {"alpha": 0.0, "optimiser": "sgd", "clip": np.inf, "decay": 0.0, "dropout": 0.0}


def compiled_layers(architecture, layout, parameters, bits=64):
    """Network, output layer and direct features (or None) with these parameters."""
    classes = {f"{name}32": getattr(_kernel, f"{name}{bits}") for name in NAMES}
    with mock.patch.multiple(_kernel, **classes):
        return (
            NETWORKS.get(architecture.network).compiled(architecture, layout, parameters),
            compiled_output(layout, architecture.hidden_dim, parameters),
            compiled_direct(architecture, parameters),
        )
