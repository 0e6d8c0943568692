"""Several processes that train one model: each takes a part of every minibatch.

They are started by `torchrun` (or by anything that sets its environment variables), on one machine
or several, and speak through torch's distributed package: NCCL between GPUs, Gloo between CPUs.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import Tensor, distributed

from nlmt.errors import InputError

# How long the others wait for one of them: evaluation and checkpoints are written by the first.
PATIENCE = timedelta(hours=2)
# Bytes of a message from process to process.
LONGEST = 4096


@dataclass(frozen=True)
class Ranks:
    """The processes that train together; one alone has nobody to speak to.

    Attributes:
        rank: number of this process; the first one writes and reports.
        count: how many there are.
    """

    rank: int = 0
    count: int = 1

    @property
    def first(self) -> bool:
        """Whether this process writes and reports."""
        return self.rank == 0

    def part(self, n: int) -> slice:
        """This process' part of n rows; it may be empty."""
        return slice(n * self.rank // self.count, n * (self.rank + 1) // self.count)

    def sum(self, tensor: Tensor) -> Tensor:
        """The sum over all processes, the same bytes in each."""
        if self.count > 1:
            distributed.all_reduce(tensor)
        return tensor

    def sum_rows(self, gradient: Tensor) -> Tensor:
        """The same for a sparse gradient; what comes back has each row once, in order."""
        gradient = gradient.coalesce()
        if self.count == 1:
            return gradient
        rows, values = gradient.indices()[0], gradient.values()
        sizes = [rows.new_zeros(1) for _ in range(self.count)]
        distributed.all_gather(sizes, rows.new_tensor([len(rows)]))
        largest = max(int(size) for size in sizes)
        all_rows = [rows.new_zeros(largest) for _ in sizes]
        all_values = [values.new_zeros(largest, *values.shape[1:]) for _ in sizes]
        distributed.all_gather(all_rows, _filled(rows, largest))
        distributed.all_gather(all_values, _filled(values, largest))
        pairs = [
            (r[: int(n)], v[: int(n)]) for r, v, n in zip(all_rows, all_values, sizes, strict=True)
        ]
        joined = torch.sparse_coo_tensor(
            torch.cat([r for r, _ in pairs])[None],
            torch.cat([v for _, v in pairs]),
            gradient.shape,
            check_invariants=False,
        )
        return joined.coalesce()

    def from_first(self, number: float) -> float:
        """A number of the first process, in all of them."""
        if self.count > 1:
            sent = torch.tensor(number, dtype=torch.double, device=_device())
            distributed.broadcast(sent, 0)
            number = float(sent)
        return number

    def said_by_all(self, text: str) -> list[str]:
        """What each process says, in their order; only its beginning if it is long."""
        if self.count == 1:
            return [text]
        code = text.encode()[:LONGEST].ljust(LONGEST, b"\0")
        own = torch.frombuffer(bytearray(code), dtype=torch.uint8).to(_device())
        said = [torch.zeros_like(own) for _ in range(self.count)]
        distributed.all_gather(said, own)
        return [bytes(one.tolist()).rstrip(b"\0").decode(errors="replace") for one in said]

    @contextmanager
    def together(self) -> Iterator[None]:
        """A user's error in any of the processes becomes the same error in all of them.

        For what they do side by side without speaking to each other.

        Raises:
            InputError: that of the first process that has one.
        """
        found: Exception | None = None
        try:
            yield
        except (InputError, OSError) as error:
            found = error
        errors = [said for said in self.said_by_all(str(found or "")) if said]
        if found is not None and str(found) == errors[0]:
            raise found
        if errors:
            raise InputError(errors[0])


def _filled(rows: Tensor, length: int) -> Tensor:
    """Rows with zeros behind them."""
    result = rows.new_zeros(length, *rows.shape[1:])
    result[: len(rows)] = rows
    return result


def _device() -> torch.device:
    """Where what is sent has to lie."""
    return torch.device("cuda" if distributed.get_backend() == "nccl" else "cpu")


@contextmanager
def joined(*, gpu: bool) -> Iterator[Ranks]:
    """Join the processes that were started together.

    Args:
        gpu: whether each of them trains on a GPU of its own.

    Raises:
        InputError: a machine has fewer GPUs than processes.
    """
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield Ranks()
        return
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if gpu:
        if local >= torch.cuda.device_count():
            what = f"{torch.cuda.device_count()} GPUs for {local + 1} processes or more"
            raise InputError(what, mend="start as many processes as there are GPUs")
        torch.cuda.set_device(local)
    distributed.init_process_group("nccl" if gpu else "gloo", timeout=PATIENCE)
    try:
        yield Ranks(distributed.get_rank(), count)
    finally:
        distributed.destroy_process_group()
