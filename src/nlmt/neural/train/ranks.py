"""Several processes that train one model: each takes a part of every minibatch.

They are started by `nlmt.neural.train.launch`, by `torchrun` or by anything that sets its
environment variables, on one machine or several, and communicate through torch's distributed
package: NCCL between GPUs, Gloo between CPUs. One process alone needs no torch here.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from nlmt.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")

# How long processes wait for each other: the first evaluates and writes checkpoints.
PATIENCE = timedelta(hours=2)
# Bytes of gradients that are sent together; DistributedDataParallel's default.
BUCKET_BYTES = 25 << 20


@dataclass(frozen=True)
class Ranks:
    """The processes that train together, or one alone.

    Attributes:
        rank: number of this process.
        count: how many there are.
        local: number of this process among those of its machine.
    """

    rank: int = 0
    count: int = 1
    local: int = 0

    @property
    def first(self) -> bool:
        """Whether this process evaluates and writes, and its messages are shown."""
        return self.rank == 0

    def part(self, n: int) -> slice:
        """This process' part of n rows; it may be empty."""
        return slice(n * self.rank // self.count, n * (self.rank + 1) // self.count)

    def sum(self, tensor: "Tensor") -> "Tensor":
        """The sum over all processes, the same bytes in each; it replaces the tensor."""
        if self.count > 1:
            from torch import distributed

            distributed.all_reduce(tensor)
        return tensor

    def begin_sums(self, tensors: "Sequence[Tensor]") -> "Iterator[Tensor]":
        """Begin to sum tensors of one type over all processes; return the sums, in order.

        They are the same bytes in each process, and may replace the tensors. The tensors are sent
        in buckets of `BUCKET_BYTES`; a sum is waited for only when it is taken.
        """
        if self.count == 1:
            return iter(tensors)
        import torch
        from torch import distributed

        buckets = list(_buckets(tensors))
        flat = [torch.cat([tensor.flatten() for tensor in bucket]) for bucket in buckets]
        sent = [distributed.all_reduce(bucket, async_op=True) for bucket in flat]

        def received() -> "Iterator[Tensor]":
            for bucket, sums, work in zip(buckets, flat, sent, strict=True):
                work.wait()
                parts = torch.split(sums, [tensor.numel() for tensor in bucket])
                yield from map(torch.Tensor.view_as, parts, bucket)

        return received()

    def sum_rows(self, tables: "Sequence[tuple[Tensor, Tensor]]") -> "list[tuple[Tensor, Tensor]]":
        """The sums over all processes of values (n, ...) by row (n,), each row once, in order.

        Args:
            tables: rows and values of each, the tables in the same order in all processes.
        """
        from nlmt.neural.torch_backend.rows import sum_by_row

        summed = [sum_by_row(rows, values) for rows, values in tables]
        if self.count == 1:
            return summed
        import torch
        from torch import distributed

        own = torch.tensor([len(rows) for rows, _ in summed], device=summed[0][0].device)
        sizes = [torch.empty_like(own) for _ in range(self.count)]
        distributed.all_gather(sizes, own)

        def gathered(own: "Tensor", counts: list[int]) -> "Tensor":
            """The rows of all processes, sent padded to the longest."""
            padded = own.new_zeros(max(counts), *own.shape[1:])
            padded[: len(own)] = own
            parts = [torch.empty_like(padded) for _ in counts]
            distributed.all_gather(parts, padded)
            return torch.cat([part[:n] for part, n in zip(parts, counts, strict=True)])

        return [
            sum_by_row(gathered(rows, counts), gathered(values, counts))
            for (rows, values), counts in zip(summed, torch.stack(sizes, 1).tolist(), strict=True)
        ]

    def from_first(self, value: T) -> T:
        """Broadcast a value of the first process to all."""
        sent = [value]
        if self.count > 1:
            from torch import distributed

            distributed.broadcast_object_list(sent, 0)
        return sent[0]

    def said_by_all(self, text: str) -> list[str]:
        """The texts of all processes, in order."""
        said = [text] * self.count
        if self.count > 1:
            from torch import distributed

            distributed.all_gather_object(said, text)
        return said

    @contextmanager
    def together(self) -> Iterator[None]:
        """End all of the processes when one of them raises an error.

        For steps in which they do not communicate: the others would wait for one that is gone.

        Raises:
            InputError: the user's error of the first process that has one, the same in all; or, in
                the others, that one has failed in another way.
        """
        found: Exception | None = None
        try:
            yield
        except Exception as error:
            found = error
        errors = [said for said in self.said_by_all(_for_others(found)) if said]
        if found is not None and (self.count == 1 or not isinstance(found, InputError | OSError)):
            raise found
        if errors:
            raise InputError(errors[0])


def _buckets(tensors: "Sequence[Tensor]") -> "Iterator[list[Tensor]]":
    """Divide tensors, in their order, into groups of about `BUCKET_BYTES`."""
    bucket: list[Tensor] = []
    for tensor in tensors:
        bucket.append(tensor)
        if sum(one.nbytes for one in bucket) >= BUCKET_BYTES:
            yield bucket
            bucket = []
    if bucket:
        yield bucket


def _for_others(error: Exception | None) -> str:
    """An error as the other processes report it; empty where there is none."""
    if error is None:
        return ""
    if isinstance(error, InputError | OSError):
        return str(error) or repr(error)
    return f"another of the processes that train together failed: {error!r}"


ALONE = Ranks()


def is_started() -> bool:
    """Whether this process is one of several that were started together."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


@contextmanager
def joined() -> Iterator[Ranks]:
    """Join the processes that were started together; alone where this one was not.

    Raises:
        InputError: another one is gone, killed for example.
    """
    if not is_started():
        yield ALONE
        return
    import torch
    from torch import distributed

    # Tensors on a GPU go by NCCL, which starts with the first of them; all others by Gloo.
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    distributed.init_process_group(backend, timeout=PATIENCE)
    try:
        local = int(os.environ.get("LOCAL_RANK", "0"))
        yield Ranks(distributed.get_rank(), distributed.get_world_size(), local)
    except RuntimeError as error:
        # Gloo has no class of its own for a lost connection.
        if not isinstance(error, distributed.DistError) and "gloo/transport" not in str(error):
            raise
        what = "another of the processes that train together is gone"
        raise InputError(what, hint="--resume goes on from the last checkpoint") from error
    finally:
        distributed.destroy_process_group()
