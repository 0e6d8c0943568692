"""Sums of gradients by row: the same on every device, whatever their number."""

import numpy as np
import pytest
import torch

from nlmt.neural.torch_backend import rows as rows_module
from nlmt.neural.torch_backend.rows import dense, sum_by_row, sum_in_chunks


@pytest.mark.parametrize("chunk", [1, 2, 7, 128])
@pytest.mark.parametrize(("n", "different"), [(0, 5), (1, 1), (40, 1), (300, 9), (300, 4000)])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_sums_in_chunks_are_sums(
    monkeypatch: pytest.MonkeyPatch, chunk: int, n: int, different: int, shape: tuple[int, ...]
) -> None:
    monkeypatch.setattr(rows_module, "CHUNK", chunk)
    random = np.random.default_rng(n + different)
    rows = (different * random.random(n) ** 3).astype(np.int64)
    values = random.integers(-9, 9, size=(n, *shape)).astype(np.float32)  # whose sums are exact
    expected = np.zeros((different, *shape), dtype=np.float32)
    np.add.at(expected, rows, values)
    for sums in (sum_in_chunks, sum_by_row):
        found, summed = sums(torch.from_numpy(rows), torch.from_numpy(values))
        assert found.tolist() == sorted(set(rows.tolist()))
        assert summed.shape == (len(found), *shape)
        assert np.array_equal(dense(found, summed, different).numpy(), expected)


def test_numbers_of_a_vector_have_its_gradient() -> None:
    vector = torch.randn(20, dtype=torch.double, requires_grad=True)
    places = torch.tensor([[3, 3, 0], [19, 3, 5]])
    numbers = rows_module._Numbers.apply
    assert torch.equal(numbers(vector, places), vector[places])
    assert torch.autograd.gradcheck(lambda x: numbers(x, places) ** 2, vector)
