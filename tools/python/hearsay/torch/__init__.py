"""hearsay for PyTorch: train(), an Optimizer for a loop of your own, and load() for the models of a run."""

from .objective import Objective, train
from .optimizer import Minibatches, Optimizer
from .saved import load

__all__ = ["Minibatches", "Objective", "Optimizer", "load", "train"]
