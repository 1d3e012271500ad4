"""The step size, where torch keeps it: to be read, since the step is hearsay's."""

from __future__ import annotations

import sys
from typing import Any, Dict, NoReturn

# What a group may hold beside "lr" and what it was made with. Anything else is taken for a part of a step that
# torch would make.
NO_PART_OF_A_STEP = ("params", "param_names", "name")
SCHEDULERS = "torch.optim.lr_scheduler"


class StepSize(Dict[str, Any]):
    """A parameter group whose "lr" is the step size of the iteration; nobody but hearsay makes a step.

    So nobody sets "lr", "weight_decay" or "momentum" either. A scheduler of torch, which would set "lr" at
    some time, hears so when it is made or first stepped: each of them reads it then.
    """

    @classmethod
    def in_group(cls, group: Dict[str, Any], made: Dict[str, Any], step_size: float) -> "StepSize":
        """Returns the group with the step size of the run times its factor. Raises TypeError if another group is
        in the place of the one that was made."""
        for key, value in group.items():
            if key not in ("lr", *NO_PART_OF_A_STEP) and (key not in made or made[key] != value):
                _refuse(key)
        held = group if isinstance(group, cls) else cls(group)
        dict.__setitem__(held, "lr", step_size * made["lr_factor"])
        return held

    def __getitem__(self, key: str) -> Any:
        if key == "lr" and sys._getframe(1).f_globals.get("__name__") == SCHEDULERS:
            _refuse(key)
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        if key not in NO_PART_OF_A_STEP:
            _refuse(key)
        super().__setitem__(key, value)

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *others: Any, **more: Any) -> None:
        for key, value in dict(*others, **more).items():
            self[key] = value

    def __ior__(self, other: Any) -> "StepSize":
        self.update(other)
        return self


def _refuse(key: str) -> NoReturn:
    raise TypeError(
        f"a program cannot set {key}, since the step is hearsay's; expected algorithm.step_size, "
        "algorithm.step_schedule, algorithm.warm_up and algorithm.optimizer in the run file instead of an "
        "optimizer or a scheduler of torch, and groups=[...] of the Optimizer for weight_decay and lr_factor"
    )
