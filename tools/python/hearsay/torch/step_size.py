"""The step size, where torch keeps it: to be read, since the step is hearsay's."""

from __future__ import annotations

from typing import Any, Dict, NoReturn


class StepSize(Dict[str, Any]):
    """A parameter group whose "lr" is the step size of the iteration; nobody but hearsay sets it.

    A scheduler of torch.optim.lr_scheduler, which would, hears so when it is made.
    """

    @classmethod
    def in_group(cls, group: Dict[str, Any], step_size: float) -> "StepSize":
        """Returns the group with this step size."""
        held = group if isinstance(group, cls) else cls(group)
        dict.__setitem__(held, "lr", step_size)
        return held

    def __setitem__(self, key: str, value: Any) -> None:
        if key in ("lr", "initial_lr"):
            _refuse(key)
        super().__setitem__(key, value)

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key == "initial_lr":
            _refuse(key)
        return super().setdefault(key, default)

    def update(self, *others: Any, **more: Any) -> None:
        for key, value in dict(*others, **more).items():
            self[key] = value


def _refuse(key: str) -> NoReturn:
    raise TypeError(
        f"a program cannot set {key}, since the step is hearsay's; expected algorithm.step_size, "
        "algorithm.step_schedule and algorithm.warm_up in the run file instead of a scheduler of torch"
    )
