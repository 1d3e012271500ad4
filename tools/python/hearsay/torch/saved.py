"""A module with the parameters of a model that hearsay has saved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List, Tuple, TypeVar, Union

import numpy
import torch

from .flat import trained_parameters

_SAVED = (numpy.dtype(numpy.float32), numpy.dtype(numpy.float64))
Module = TypeVar("Module", bound=torch.nn.Module)


def load(file: Union[str, "os.PathLike[str]"], model: Module) -> Module:
    """Sets the parameters of `model` that want gradients to those of a saved model, and returns `model`.

    file: an .npy file with one vector of d numbers, such as model.npy, or the folder of a run, whose model.npy is
        the mean model.
    model: the module of that run, with any values: the parameters are told apart by their order alone. Frozen
        parameters and buffers are no part of the vector, and stay as they are.

    Raises FileNotFoundError, and ValueError, in a sentence, if it is no such file, or has another number of
    parameters. Nothing has changed then.
    """
    path = Path(file)
    if path.is_dir():
        path = path / "model.npy"
        if not path.is_file():
            raise FileNotFoundError(f"{file} has no model.npy; expected the folder of a run that has ended")
    x = _vector_in(path)
    trained = trained_parameters(model)
    _require_memory(trained)
    d = sum(p.numel() for _, p in trained)
    if x.size != d:
        parts = ", ".join(f"{name} {p.numel()}" for name, p in trained[:3]) + (", ..." if len(trained) > 3 else "")
        raise ValueError(
            f"{path} has {x.size} parameters, and the model {d} that want gradients ({parts}); "
            "expected the module with which it was trained, with the same parameters frozen"
        )
    values = [
        value.view(p.shape).to(p.dtype)
        for (_, p), value in zip(trained, torch.from_numpy(x).split([p.numel() for _, p in trained]))
    ]
    for (name, _), value in zip(trained, values):
        if not torch.isfinite(value).all():
            raise ValueError(f"{path} has numbers that are not finite in {value.dtype}, in {name}; expected others")
    with torch.no_grad():
        for (_, p), value in zip(trained, values):
            p.copy_(value)
    return model


def _require_memory(trained: List[Tuple[str, torch.nn.Parameter]]) -> None:
    for name, p in trained:
        if p.is_meta or not p.is_floating_point():
            what = "on the meta device" if p.is_meta else f"of {p.dtype}"
            raise ValueError(f"{name} is {what}; expected real parameters that have memory")


def _vector_in(path: Path) -> numpy.ndarray:
    try:
        x = numpy.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} is no .npy file, or damaged; expected a model that hearsay has saved") from error
    except MemoryError as error:
        raise ValueError(f"{path} announces more numbers than fit in memory; expected a saved model") from error
    if not isinstance(x, numpy.ndarray) or x.ndim != 1 or x.dtype.newbyteorder("=") not in _SAVED:
        shape = f"{x.dtype} of shape {x.shape}" if isinstance(x, numpy.ndarray) else "several arrays"
        raise ValueError(f"{path} has {shape}; expected one vector of float32 or float64")
    return x.astype(x.dtype.newbyteorder("="), copy=False)
