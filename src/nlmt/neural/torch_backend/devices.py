"""The device and the precision of training in torch."""

import os
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nlmt.errors import InputError


def find_device(wanted: str, number: int = 0) -> torch.device:
    """The device that `device: auto | cpu | gpu` selects; on a GPU, sums get a fixed order.

    Args:
        wanted: the setting.
        number: of this process on its machine: each has a GPU of its own.

    Raises:
        InputError: a GPU is asked for and torch finds none, or fewer than there are processes.
    """
    if wanted == "cpu" or (wanted == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if not torch.cuda.is_available():
        what = f"device: gpu, but torch {torch.__version__} finds none"
        raise InputError(what, hint="device: cpu, or install torch for your GPU and its driver")
    if number >= torch.cuda.device_count():
        what = f"process {number + 1} of this machine, which has {torch.cuda.device_count()} GPUs"
        raise InputError(what, hint="start as many processes as it has GPUs")
    torch.cuda.set_device(number)
    # cuBLAS reads this when first used; without it, its sums may vary from run to run.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False
    return torch.device("cuda", number)


def put(array: NDArray[np.integer] | Tensor, device: torch.device) -> Tensor:
    """Numbers on a device, copied in the background."""
    tensor = array if isinstance(array, Tensor) else torch.from_numpy(array)
    if device.type == "cpu":
        return tensor
    return tensor.pin_memory().to(device, non_blocking=True)


def lower_precision(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Compute products within in bfloat16 if `precision` says so; parameters keep their 32 bits."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)
