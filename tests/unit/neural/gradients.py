"""Gradients of losses against differences."""

import torch


def check_gradients(model, loss):
    """Hold the gradients of a loss, which sees the model, against differences."""
    names, values = zip(*model.named_parameters(), strict=True)

    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self):
            return loss(self.model)

    module = Loss()

    def call(*arguments):
        named = {f"model.{name}": value for name, value in zip(names, arguments, strict=True)}
        return torch.func.functional_call(module, named, ())

    arguments = tuple(value.detach().requires_grad_() for value in values)
    # The fast mode compares along random directions, in double precision.
    assert torch.autograd.gradcheck(call, arguments, fast_mode=True)
