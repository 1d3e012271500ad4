"""Running statistics: what BatchNorm keeps beside the parameters, so that no x determines it."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

import torch

Recalibrate = Callable[[], Any]


def tracking_modules(model: torch.nn.Module) -> List[Tuple[str, Any]]:
    return [(name, m) for name, m in model.named_modules() if getattr(m, "track_running_stats", False)]


class RunningStatistics:
    """The modules that track running statistics. These are in no x, and depend on when one evaluates; so they
    are estimated anew before every evaluation, on samples that are always the same.

    Raises ValueError if there are such modules and `recalibrate` is None.
    """

    def __init__(self, model: torch.nn.Module, recalibrate: Optional[Recalibrate]):
        self._model = model
        self._recalibrate = recalibrate
        tracking = tracking_modules(model)
        self._tracking = tracking
        self._modules: List[Any] = [module for _, module in tracking]
        if tracking and recalibrate is None:
            raise ValueError(
                f"{_layer(*tracking[0])} tracks running statistics, which no x determines; expected "
                "GroupNorm, track_running_stats=False, or recalibrate=lambda: model(some_fixed_samples)"
            )

    def require_unread(self) -> None:
        """Raises RuntimeError if a module is in evaluation mode, in which its output depends on them."""
        for name, module in self._tracking:
            if not module.training:
                raise RuntimeError(
                    f"{_layer(name, module)} is in evaluation mode while a gradient is computed, so the gradient "
                    "depends on when its running statistics were last estimated; expected training mode, or "
                    "track_running_stats = False of that layer, set before hearsay has the model: its "
                    "statistics then stay as they are"
                )

    def estimate(self) -> None:
        """Estimates them at the current parameters. Leaves all modules in evaluation mode."""
        self._model.eval()
        if self._recalibrate is None or not self._modules:
            return
        momenta = [module.momentum for module in self._modules]
        try:
            for module in self._modules:
                module.reset_running_stats()
                module.momentum = None  # the plain mean over the batches
                module.train()
            with torch.no_grad():
                self._recalibrate()
        finally:
            for module, momentum in zip(self._modules, momenta):
                module.momentum = momentum
                module.eval()


def _layer(name: str, module: Any) -> str:
    return f"{f'layer {name}' if name else 'the model'} ({type(module).__name__})"
