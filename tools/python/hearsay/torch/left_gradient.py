"""A forgotten zero_grad: backward() then adds to the gradient that an earlier minibatch has left."""

from __future__ import annotations

import warnings
from typing import Any, Optional, Tuple

import torch

from .flat import FlatParameters

_FORGOTTEN = (
    "backward() adds to the gradient of the minibatch before, which hearsay has had already, so it makes steps "
    "with sums of gradients; expected opt.zero_grad() before the backward() of each minibatch"
)


class LeftGradient:
    """Warns, once, if a gradient was neither zeroed nor replaced between a step and the next backward().

    It looks at one parameter, when its gradient comes and is not yet added: the first that has had one. Nobody
    has written to what is there if its version is that of the step; p.grad.data.zero_() counts no version, but
    leaves zeros. So several backward() for one minibatch, and a gradient that a program begins itself, are fine.
    """

    def __init__(self, flat: FlatParameters):
        self._flat = flat
        self._watched: Optional[torch.Tensor] = None  # the parameter
        self._hook: Any = None
        # Its gradient at the step, and the version of that; None: another one has come since.
        self._left: Optional[Tuple[torch.Tensor, int]] = None
        self._is_added_to = False

    def note_step(self) -> None:
        """Called at the end of each minibatch."""
        if self._is_added_to:
            self._is_added_to = False
            self._hook.remove()
            warnings.warn(_FORGOTTEN, RuntimeWarning, stacklevel=2)
        if self._watched is None:
            self._watch()
        if self._watched is not None:
            gradient = self._watched.grad
            self._left = None if gradient is None else (gradient, gradient._version)

    def _watch(self) -> None:
        for parameter in self._flat.parameters:
            if parameter.requires_grad and parameter.grad is not None and bool(parameter.grad.any()):
                self._watched = parameter
                self._hook = parameter.register_hook(self._look)
                return

    def _look(self, _: torch.Tensor) -> None:
        assert self._watched is not None
        if self._left is not None:
            gradient, version = self._left
            if self._watched.grad is gradient and gradient._version == version:
                self._is_added_to = bool(gradient.any())
        self._left = None
