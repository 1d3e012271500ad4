"""hearsay for PyTorch: train(), or an Optimizer for a loop of your own."""

from .objective import Objective, train
from .optimizer import Minibatches, Optimizer

__all__ = ["Minibatches", "Objective", "Optimizer", "train"]
