"""The parameters of a module as one vector."""

from __future__ import annotations

from typing import List, Optional, Tuple

import numpy
import torch

_SCALARS = (torch.float32, torch.float64)
_BLOCK = 1 << 16  # coordinates
UNDONE = (
    "and the next minibatch would undo that, since the step is hearsay's; expected changes before the first "
    "minibatch, where they become x_0, or in the forward pass, such as a clamp or a mask"
)


def trained_parameters(model: torch.nn.Module) -> List[Tuple[str, torch.nn.Parameter]]:
    """The parameters that want gradients, with their names, in the order of the vector. Raises TypeError."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(
            f"{type(model).__name__} is no torch.nn.Module; expected the model itself, not its parameters"
        )
    return [(name, p) for name, p in model.named_parameters() if p.requires_grad and p.numel() > 0]


class FlatParameters:
    """The parameters that want gradients, in the order of model.parameters(), as views of one vector.

    Raises TypeError or ValueError, in a sentence, for a module that cannot be one vector.
    """

    def __init__(self, model: torch.nn.Module):
        named = trained_parameters(model)
        _require_one_vector(model, named)
        self._model = model
        self.parameters = [p for _, p in named]
        self.layers = [(name, *_matrix_shape(p)) for name, p in named]
        self.vector = torch.cat([p.detach().reshape(-1) for p in self.parameters])
        self._values: List[torch.Tensor] = self._views(self.vector)
        self._attach()
        for p in self.parameters:  # a program may write to it before its first backward()
            p.grad = torch.zeros_like(p)
        self._memory: Optional[numpy.ndarray] = None  # to which gradients are written
        self._places: List[torch.Tensor] = []  # views of it
        self._loaded = self.x0  # what the parameters are, unless the program has written to them
        self._versions: List[int] = []  # of the parameters then: torch counts most changes

    @property
    def x0(self) -> numpy.ndarray:
        """A copy of the parameters as they are now, d scalars. Raises as the constructor does."""
        self._take_over()
        return self.vector.cpu().numpy().copy()

    def require_same_parameters(self) -> None:
        """Raises RuntimeError if a parameter wants gradients that is no part of the vector."""
        known = {id(p) for p in self.parameters}
        for name, p in trained_parameters(self._model):
            if id(p) not in known:
                raise RuntimeError(
                    f"{name} wants gradients, and did not when x was made, so it is no part of x and would "
                    "not be trained; expected all that is trained to want gradients before, and a run of its own "
                    "for layers that are trained later"
                )

    def require_unwritten(self, but: str = UNDONE) -> None:
        """Raises RuntimeError if the program has changed a parameter since the last `load`.

        but: what is wrong with that, and expected instead."""
        name = self._written()
        if name is not None:
            raise RuntimeError(f"{name} was changed by the program, {but}")

    def require_no_counted_change(self) -> None:
        """Raises RuntimeError as `require_unwritten` does, but looks at the numbers only if torch has counted a
        change, or a parameter has other memory. In-place changes of p.data are not counted."""
        if self._moved() or [p._version for p in self.parameters] != self._versions:
            self.require_unwritten()

    def _written(self) -> Optional[str]:
        """Returns the name of a parameter that is not as it was loaded; None if there is none."""
        for name, p, view in self._moved():
            if _differ(p, view):
                return name
        place = _first_difference(self.vector.cpu().numpy(), self._loaded)
        if place is None:
            return None
        for name, rows, columns in self.layers:
            place -= rows * columns
            if place < 0:
                return name
        return None

    def load(self, x: numpy.ndarray) -> None:
        """Sets the parameters to x, d scalars."""
        self._attach()
        numpy.copyto(self._loaded, x)
        if self.vector.device.type == "cpu":
            numpy.copyto(self.vector.numpy(), x)
        else:
            self.vector.copy_(torch.from_numpy(x.copy()))
        self._versions = [p._version for p in self.parameters]

    def drop_gradients(self) -> None:
        """backward() then leaves new ones, and need not add to what is there."""
        for p in self.parameters:
            p.grad = None

    def write_gradients(self, into: numpy.ndarray) -> None:
        """Writes what backward() has left to `into`, d scalars; zero where it left nothing."""
        for (name, _, _), p in zip(self.layers, self.parameters):
            if p.grad is not None and p.grad.layout != torch.strided:
                raise TypeError(f"{name} has a sparse gradient; expected dense ones: sparse=False")
        if self.vector.device.type != "cpu":  # one copy from the device, not one for each parameter
            torch.from_numpy(into).copy_(torch.cat([_gradient_of(p).reshape(-1) for p in self.parameters]))
            return
        if into is not self._memory:
            self._memory, self._places = into, self._views(torch.from_numpy(into))
        for p, place in zip(self.parameters, self._places):
            place.copy_(_gradient_of(p))

    def _views(self, vector: torch.Tensor) -> List[torch.Tensor]:
        pieces = vector.split([p.numel() for p in self.parameters])
        return [piece.view(p.shape) for piece, p in zip(pieces, self.parameters)]

    def _take_over(self) -> None:
        """Makes the vector what the parameters are where somebody has given one another memory."""
        moved = self._moved()
        first = self._values[0]
        for name, p, _ in moved:
            if p.dtype != first.dtype or p.device != first.device:
                raise TypeError(
                    f"{name} has become {p.dtype} on {p.device}, and was {first.dtype} on {first.device}; "
                    "expected model.to(...) before the model is handed to hearsay"
                )
        for _, p, view in moved:
            view.copy_(p.detach())
        self._attach()

    def _attach(self) -> None:
        """Makes the parameters views of the vector, again where somebody has given one another memory."""
        for _, p, view in self._moved():
            p.data = view

    def _moved(self) -> List[Tuple[str, torch.Tensor, torch.Tensor]]:
        """Name, parameter and view, where somebody has given a parameter another memory."""
        named = zip(self.layers, self.parameters, self._values)
        return [(layer[0], p, view) for layer, p, view in named if p.data_ptr() != view.data_ptr()]


def _first_difference(now: numpy.ndarray, then: numpy.ndarray) -> Optional[int]:
    """Returns the first place in which the bits differ; so a NaN that was loaded is not written."""
    bits = f"u{now.itemsize}"
    now, then = now.view(bits), then.view(bits)
    for begin in range(0, now.size, _BLOCK):  # what a comparison returns stays in the cache
        block = slice(begin, begin + _BLOCK)
        if not numpy.array_equal(now[block], then[block]):
            return begin + int(numpy.argmax(now[block] != then[block]))
    return None


def _gradient_of(p: torch.Tensor) -> torch.Tensor:
    """Zero where no gradient has come."""
    return torch.zeros_like(p) if p.grad is None else p.grad


def _differ(p: torch.Tensor, view: torch.Tensor) -> bool:
    return (p.dtype, p.device) != (view.dtype, view.device) or not torch.equal(p, view)


def _matrix_shape(p: torch.Tensor) -> Tuple[int, int]:
    """(rows, columns): a convolution of shape (6, 1, 5, 5) is 6 x 25, a bias of n numbers n x 1."""
    rows = p.shape[0] if p.dim() > 0 else 1
    return rows, p.numel() // rows


def _require_one_vector(model: torch.nn.Module, named: List[Tuple[str, torch.Tensor]]) -> None:
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.parallel.DistributedDataParallel):
            raise TypeError(
                f"{name or 'the model'} is a DistributedDataParallel, which averages gradients by itself; "
                f"expected its {name or 'model'}.module, and no torch.distributed"
            )
    if not named:
        raise ValueError("the model has no parameters that want gradients; expected one or more")
    first_name, first = named[0]
    for name, p in named:
        if p.layout != torch.strided:
            raise TypeError(f"{name} is sparse; expected dense parameters")
        if p.dtype not in _SCALARS:
            raise TypeError(
                f"{name} is of {p.dtype}; expected torch.float32, or torch.float64 with run.scalar = "
                '"double"'
            )
        if p.dtype != first.dtype:
            raise TypeError(
                f"{first_name} is of {first.dtype}, and {name} of {p.dtype}; expected one type: "
                "model.float()"
            )
        if p.device != first.device:
            raise ValueError(
                f"{first_name} is on {first.device}, and {name} on {p.device}; expected all on one device"
            )
    for name, module in model.named_modules():
        if getattr(module, "sparse", False) is True:
            raise TypeError(f"{name or type(module).__name__} gives sparse gradients; expected sparse=False")
