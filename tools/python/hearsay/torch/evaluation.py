"""Where a module is evaluated: at some x, in evaluation mode, and as if nobody had been there."""

from __future__ import annotations

import random
from typing import Any, Callable, Optional

import numpy
import torch

from .flat import FlatParameters
from .statistics import Recalibrate, RunningStatistics

Evaluate = Callable[[], Any]
_OF_ANOTHER_MODEL = (
    "by its evaluate(), so what that returned is the loss of another model; expected an evaluate() that leaves "
    "the parameters, or puts them back, as they were"
)


def seed_all(seed: int) -> None:
    """Seeds torch's generators, and those of `random` and NumPy that have no name of their own."""
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)
    random.seed(seed)
    numpy.random.seed(seed & 0xFFFF_FFFF)


class Evaluation:
    """A module's loss as a function of x alone."""

    def __init__(
        self,
        model: torch.nn.Module,
        flat: FlatParameters,
        evaluate: Evaluate,
        recalibrate: Optional[Recalibrate],
    ):
        self._model = model
        self._flat = flat
        self._evaluate = evaluate
        self._statistics = RunningStatistics(model, recalibrate)

    def __call__(self, x: numpy.ndarray) -> Any:
        """Returns what `evaluate` says at x: a loss, or (loss, hits, judged)."""
        modes = [(module, module.training) for module in self._model.modules()]
        try:
            self.settle(x)
            with torch.no_grad():
                said = self._evaluate()
            self._flat.require_unwritten(_OF_ANOTHER_MODEL)
            return said
        finally:
            for module, mode in modes:
                module.training = mode

    def require_unread_statistics(self) -> None:
        """Raises RuntimeError if a gradient depends on running statistics: on when one evaluates, that is."""
        self._statistics.require_unread()

    def settle(self, x: numpy.ndarray) -> None:
        """Leaves the module at x, in evaluation mode."""
        seed_all(0)
        self._flat.load(x)
        self._statistics.estimate()
