"""The libraries of pretrained models, imported late, without access to the network."""

import os
from dataclasses import dataclass
from types import ModuleType

from nlmt.errors import InputError

INSTALL = "make pretrained, or: pip install --require-hashes --requirement envs/pretrained.lock"
# A model is a local folder: nothing is sent to or loaded from a server.
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
# What holds unless the user has set it.
DEFAULTS = {
    # Tokenisers start one thread per core, whatever the number of ours.
    "TOKENIZERS_PARALLELISM": "false",
    # Threads of torch sleep while waiting for each other; by default they spin.
    "OMP_WAIT_POLICY": "passive",
}


@dataclass(frozen=True)
class Libraries:
    """The imported modules."""

    torch: ModuleType
    transformers: ModuleType
    tokenizers: ModuleType


def import_libraries() -> Libraries:
    """Import torch, transformers and tokenizers.

    Raises:
        InputError: one of them is not installed; the hint says how to install it.
    """
    os.environ.update(OFFLINE)
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    try:
        import tokenizers
        import torch
        import transformers
    except ImportError as error:
        what = f"pretrained models need {error.name}, which is not installed"
        raise InputError(what, hint=INSTALL) from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return Libraries(torch, transformers, tokenizers)
