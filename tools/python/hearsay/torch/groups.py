"""Parameter groups: parts of x with a factor of the step size, and a weight decay, of their own."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

import numpy
import torch

from ..checks import as_real
from ..protocol import Fixed
from .flat import FlatParameters

Group = Mapping[str, Any]

_EXAMPLE = '[{"params": model.head.parameters(), "lr_factor": 0.1, "weight_decay": 0.01}]'
_KEYS = ("params", "lr_factor", "weight_decay", "name")
# Whose step is proportional to the gradient, so that a factor of the one is a factor of the other.
_PROPORTIONAL = ("sgd", "heavy-ball", "nesterov")
# Whose step divides by the gradient's own size, whatever algorithm.optimizer is.
_BY_SCALE = ("one-bit-adam", "qcmd-adagrad", "qrda-adagrad")


class _Piece(NamedTuple):
    """Coordinates that lie side by side, and are treated alike."""

    where: slice
    lr_factor: float
    weight_decay: float


class ParameterGroups:
    """The groups of an Optimizer, in their order; parameters that are in none form the last one.

    groups: as for torch.optim, [{"params": ..., "lr_factor": 1.0, "weight_decay": 0.0, "name": ...}, ...].
    lr_factor is above 0, weight_decay 0 or more. The step size of a group is that of the run times lr_factor.
    A group's part of the gradient is lr_factor (g + weight_decay x), as torch.optim.SGD has it.
    Raises TypeError or ValueError, in a sentence, for groups that are none.
    """

    def __init__(self, model: torch.nn.Module, flat: FlatParameters, groups: Optional[Sequence[Group]]):
        self.torch_groups: List[Dict[str, Any]] = []
        trained = {id(p): layer[0] for layer, p in zip(flat.layers, flat.parameters)}
        frozen = {id(p) for p in model.parameters()} - set(trained)
        taken: Dict[int, Tuple[float, float]] = {}
        for k, group in enumerate(_listed(groups)):
            made = _checked(group, f"groups[{k}]", trained, frozen, set(taken))
            taken.update({id(p): (made["lr_factor"], made["weight_decay"]) for p in made["params"]})
            self.torch_groups.append(made)
        rest = [p for p in flat.parameters if id(p) not in taken]
        if rest:
            self.torch_groups.append({"params": rest, "lr_factor": 1.0, "weight_decay": 0.0})
        self._of_parameter = [taken.get(id(p), (1.0, 0.0)) for p in flat.parameters]
        self._pieces = _joined([p.numel() for p in flat.parameters], self._of_parameter)
        self.fixed: List[Fixed] = [
            (f"lr_factor and weight_decay of {layer[0]}", f"{factor!r} and {decay!r}")
            for layer, (factor, decay) in zip(flat.layers, self._of_parameter)
            if (factor, decay) != (1.0, 0.0)
        ]

    def require_proportional_step(self, settings: Mapping[str, str]) -> None:
        """Raises ValueError if these settings make a step in which a factor or a decay would be another."""
        if self._pieces and "algorithm.clip" in settings:
            raise ValueError(
                f"algorithm.clip = {settings['algorithm.clip']} would clip the gradient together with the "
                "lr_factor and weight_decay of groups; expected torch.nn.utils.clip_grad_norm_ before "
                "opt.step() instead of algorithm.clip"
            )
        if all(piece.lr_factor == 1.0 for piece in self._pieces):
            return
        optimizer = settings.get("algorithm.optimizer", "sgd")
        method = settings.get("algorithm.kind", "")
        if optimizer.split("(")[0] not in _PROPORTIONAL:
            raise ValueError(
                f"algorithm.optimizer = {optimizer} takes steps of the same length, whatever a gradient is "
                "multiplied by, so lr_factor would do nothing; expected sgd, heavy-ball or nesterov, or groups "
                "without lr_factor"
            )
        if method in _BY_SCALE or settings.get("algorithm.signs") == "signed":
            raise ValueError(
                f"algorithm.kind = {method} takes steps of the same length, whatever a gradient is multiplied "
                "by, so lr_factor would do nothing; expected another method, or groups without lr_factor"
            )

    def apply(self, gradient: numpy.ndarray, x: numpy.ndarray) -> None:
        """Makes a gradient, d scalars, that of the groups: lr_factor (g + weight_decay x), in place."""
        for where, lr_factor, weight_decay in self._pieces:
            part = gradient[where]
            if weight_decay != 0.0:
                part += weight_decay * x[where]
            if lr_factor != 1.0:
                part *= lr_factor


def _listed(groups: Optional[Sequence[Group]]) -> List[Group]:
    if groups is None:
        return []
    if not isinstance(groups, (list, tuple)) or not all(isinstance(group, Mapping) for group in groups):
        raise TypeError(f"groups is {type(groups).__name__}; expected a list of groups, such as {_EXAMPLE}")
    return list(groups)


def _checked(
    group: Group, whose: str, trained: Mapping[int, str], frozen: Set[int], taken: Set[int]
) -> Dict[str, Any]:
    """Returns a group with the parameters that want gradients, and both numbers."""
    for key in group:
        if key == "lr":
            raise TypeError(
                f"{whose} has lr = {group[key]}; expected lr_factor, by which the step size of the run file is "
                "multiplied"
            )
        if key not in _KEYS:
            raise TypeError(
                f"{whose} has {key}; expected params, lr_factor, weight_decay and name: the rest of the step is "
                "the run file's"
            )
    if "params" not in group:
        raise TypeError(f"{whose} has no params; expected groups such as {_EXAMPLE}")
    params = _parameters(group["params"], whose)
    for p in params:
        if id(p) not in trained and id(p) not in frozen:
            raise ValueError(
                f"{whose} has a parameter of shape {tuple(p.shape)} that is none of the model's; expected "
                "parameters of the model that was handed over"
            )
    wanted = [p for p in params if id(p) in trained]
    if not wanted:
        raise ValueError(f"{whose} has no parameters that want gradients; expected one or more")
    for k, p in enumerate(wanted):
        if id(p) in taken or any(p is other for other in wanted[:k]):
            raise ValueError(f"{trained[id(p)]} is in two groups; expected each parameter in one")
    factor, decay = group.get("lr_factor", 1.0), group.get("weight_decay", 0.0)
    lr_factor, weight_decay = as_real(factor), as_real(decay)
    if lr_factor is None or not (lr_factor > 0 and math.isfinite(lr_factor)):
        raise ValueError(f"{whose} has lr_factor = {factor!r}; expected a number above 0")
    if weight_decay is None or not (weight_decay >= 0 and math.isfinite(weight_decay)):
        raise ValueError(f"{whose} has weight_decay = {decay!r}; expected a number of 0 or more")
    made: Dict[str, Any] = {"params": wanted, "lr_factor": lr_factor, "weight_decay": weight_decay}
    if "name" in group:
        made["name"] = group["name"]
    return made


def _parameters(params: Any, whose: str) -> List[torch.Tensor]:
    """Returns one parameter, several, or those of named_parameters(), as a list."""
    if isinstance(params, torch.Tensor):
        return [params]
    try:
        listed = [p[1] if isinstance(p, tuple) and len(p) == 2 else p for p in params]
    except TypeError:
        listed = [None]
    if not all(isinstance(p, torch.Tensor) for p in listed):
        raise TypeError(f"the params of {whose} are no parameters; expected such as model.head.parameters()")
    return listed


def _joined(sizes: Sequence[int], treated: Sequence[Tuple[float, float]]) -> List[_Piece]:
    """Returns the coordinates that have a factor or a decay; neighbors that are treated alike are one piece."""
    pieces: List[_Piece] = []
    begin = 0
    for size, (factor, decay) in zip(sizes, treated):
        end = begin + size
        if (factor, decay) != (1.0, 0.0):
            last = pieces[-1] if pieces else None
            if last is not None and last.where.stop == begin and last[1:] == (factor, decay):
                pieces[-1] = _Piece(slice(last.where.start, end), factor, decay)
            else:
                pieces.append(_Piece(slice(begin, end), factor, decay))
        begin = end
    return pieces
