"""A module with the parameters of a model that hearsay has saved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List, Tuple, TypeVar, Union

import numpy
import torch

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
    trained = _trained(model)
    d = sum(p.numel() for _, p in trained)
    if x.size != d:
        parts = ", ".join(f"{name} {p.numel()}" for name, p in trained[:3]) + (", ..." if len(trained) > 3 else "")
        raise ValueError(
            f"{path} has {x.size} parameters, and the model {d} that want gradients ({parts}); "
            "expected the module with which it was trained, with the same parameters frozen"
        )
    values = torch.from_numpy(x).split([p.numel() for _, p in trained])
    with torch.no_grad():
        for (_, p), value in zip(trained, values):
            p.copy_(value.view(p.shape))
    return model


def _trained(model: torch.nn.Module) -> List[Tuple[str, torch.nn.Parameter]]:
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"{type(model).__name__} is no torch.nn.Module; expected the model itself")
    return [(name, p) for name, p in model.named_parameters() if p.requires_grad and p.numel() > 0]


def _vector_in(path: Path) -> numpy.ndarray:
    try:
        x = numpy.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} is no .npy file, or damaged; expected a model that hearsay has saved") from error
    if not isinstance(x, numpy.ndarray) or x.ndim != 1 or x.dtype not in (numpy.float32, numpy.float64):
        shape = f"{x.dtype} of shape {x.shape}" if isinstance(x, numpy.ndarray) else "several arrays"
        raise ValueError(f"{path} has {shape}; expected one vector of float32 or float64")
    return x.astype(x.dtype.newbyteorder("="), copy=False)
