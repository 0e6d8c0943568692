"""Devices of torch: which one computes, how precisely, and in which order it sums."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nlmt.errors import InputError


def find_device(wanted: str, number: int) -> torch.device:
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
    torch.use_deterministic_algorithms(True)
    # Nothing here reads memory before it is written, and filling it is a kernel for each tensor.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    torch.backends.cudnn.benchmark = False
    return torch.device("cuda", number)


@contextmanager
def any_order() -> Iterator[None]:
    """Let torch write rows in any order, for indices that are all different.

    With a fixed order it sorts them first.
    """
    fixed = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(False)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(fixed)


def put(array: NDArray[np.generic] | Tensor, device: torch.device) -> Tensor:
    """Numbers on a device, copied in the background."""
    tensor = array if isinstance(array, Tensor) else torch.from_numpy(array)
    if device.type == "cpu" or tensor.device == device:
        return tensor
    return tensor.pin_memory().to(device, non_blocking=True)


def set_precision(precision: str) -> None:
    """Round the factors of single-precision products on a GPU to TF32 unless `float32` is asked."""
    rounded = precision != "float32"
    torch.backends.cuda.matmul.allow_tf32 = rounded
    torch.backends.cudnn.allow_tf32 = rounded


def lower_precision(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Compute products in bfloat16 if `precision` is that; parameters keep their 32 bits."""
    if precision != "bfloat16":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)
