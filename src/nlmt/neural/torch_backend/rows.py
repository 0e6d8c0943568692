"""Rows of tables, and sums of gradients by row whose order does not vary.

In a text some words are a hundred times as frequent as most. torch adds up the gradients of a row
one after the other, on a GPU too, where the most frequent word then takes longer than all others
together.
"""

from typing import Any

import torch
from torch import Tensor
from typing_extensions import override

from nlmt.neural.torch_backend.device import any_order

# torch warns unless this is set.
torch.sparse.check_sparse_tensor_invariants.disable()  # type: ignore[no-untyped-call]
# Values that are added one after the other on a GPU.
CHUNK = 128


def numbers_of(vector: Tensor, places: Tensor) -> Tensor:
    """Numbers of a vector at places of any shape; its gradient has the vector's shape."""
    if vector.device.type == "cpu":
        return vector[places]
    numbers: Tensor = _Numbers.apply(vector, places)  # type: ignore[no-untyped-call]
    return numbers


class _Numbers(torch.autograd.Function):
    @staticmethod
    @override
    def forward(context: Any, vector: Tensor, places: Tensor) -> Tensor:
        context.save_for_backward(places)
        context.size = len(vector)
        return vector[places]

    @staticmethod
    @override
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (places,) = context.saved_tensors
        rows, sums = sum_by_row(places.flatten(), gradient.flatten())
        return dense(rows, sums, context.size), None


def different_rows(values: Tensor, rows: Tensor) -> Tensor:
    """Rows (r, ...) of values (n, ...), which differ from each other: no gradients are added up."""
    chosen: Tensor = _DifferentRows.apply(values, rows)  # type: ignore[no-untyped-call]
    return chosen


class _DifferentRows(torch.autograd.Function):
    @staticmethod
    @override
    def forward(context: Any, values: Tensor, rows: Tensor) -> Tensor:
        context.save_for_backward(rows)
        context.size = len(values)
        return values.index_select(0, rows)

    @staticmethod
    @override
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (rows,) = context.saved_tensors
        return dense(rows, gradient, context.size), None


def dense(rows: Tensor, values: Tensor, size: int) -> Tensor:
    """A table of `size` rows, zero but for the given ones, which differ from each other."""
    table = values.new_zeros(size, *values.shape[1:])
    with any_order():
        return table.index_copy_(0, rows, values)


def sum_by_row(rows: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """The different rows (r,) among `rows` (n,), in order, and for each the sum of its values.

    Values (n, ...) of a row are added in their order: on the CPU one after the other, on a GPU in
    chunks.
    """
    if rows.device.type != "cpu":
        return sum_in_chunks(rows, values)
    shape = int(rows.max()) + 1 if len(rows) else 0, *values.shape[1:]
    summed = torch.sparse_coo_tensor(rows[None], values, shape, check_invariants=False).coalesce()
    return summed.indices()[0], summed.values()


def sum_in_chunks(rows: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Sum by row as `sum_by_row` does, `CHUNK` values at a time, then the sums of chunks."""
    if not len(rows):
        return rows, values
    rows, order = torch.sort(rows, stable=True)
    new = torch.ones_like(rows, dtype=torch.bool)
    torch.ne(rows[1:], rows[:-1], out=new[1:])
    # A chunk begins with each row, and at each multiple of its size.
    begins = new.clone()
    begins[::CHUNK] = True
    chunks = begins.nonzero().squeeze(1)
    firsts = new[chunks].nonzero().squeeze(1)
    sums = _sum_segments(values[order], chunks)
    return rows[chunks[firsts]], _sum_segments(sums, firsts)


def _sum_segments(values: Tensor, begins: Tensor) -> Tensor:
    """Sums of consecutive values (n, ...), each from its beginning to the next one."""
    ends = torch.cat([begins, begins.new_tensor([len(values)])])
    flat = values.reshape(len(values), -1)
    sums = torch.segment_reduce(flat, "sum", offsets=ends, axis=0, unsafe=True)
    return sums.view(-1, *values.shape[1:])
