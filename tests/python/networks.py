"""A small network of torch, its data, and its gradients without hearsay."""

import numpy
import torch
from torch import nn
from torch.utils.data import TensorDataset

INPUTS = torch.linspace(-1, 1, 40).view(10, 4)
TARGETS = torch.linspace(0, 1, 20).view(10, 2)
DATA = TensorDataset(INPUTS, TARGETS)
D = 4 * 3 + 3 + 3 * 2 + 2


def network(*between):
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 3), nn.Tanh(), *between, nn.Linear(3, 2))


def gradient_of(model, x, samples):
    """The gradient by autograd, without hearsay."""
    nn.utils.vector_to_parameters(torch.tensor(x), model.parameters())
    model.zero_grad(set_to_none=True)
    nn.functional.mse_loss(model(INPUTS[samples]), TARGETS[samples]).backward()
    return torch.cat([p.grad.flatten() for p in model.parameters()]).numpy()


def a_point():
    return numpy.random.default_rng(3).normal(size=D).astype(numpy.float32)
