"""What a module's output depends on beside x: it has to be the same at all peers, and no message says it."""

from __future__ import annotations

import hashlib
import inspect
import re
from typing import List

import torch

from ..protocol import Fixed
from .statistics import tracking_modules


def surroundings(model: torch.nn.Module) -> List[Fixed]:
    """Returns the type and settings of each module, the shape of each parameter, and the values of frozen
    parameters and buffers. Running statistics are left out: they are estimated before each evaluation.
    """
    estimated = {id(buffer) for _, module in tracking_modules(model) for buffer in module.buffers(False)}
    fixed = [(name or "the model", _spelled(module)) for name, module in model.named_modules()]
    for name, p in model.named_parameters():
        what = f"a parameter of {_kind(p)}"
        fixed.append((name, what if p.requires_grad else f"a frozen parameter of {_kind(p)}, {_values(p)}"))
    for name, buffer in model.named_buffers():
        if id(buffer) not in estimated:
            fixed.append((name, f"a buffer of {_kind(buffer)}, {_values(buffer)}"))
    return fixed


def _spelled(module: torch.nn.Module) -> str:
    """Returns "Dropout(p=0.5, inplace=False)": the type, and the settings of one of torch's own.

    What the user's own modules hold, and what a program hangs onto a module, may differ from peer to peer.
    """
    if not type(module).__module__.startswith("torch.nn."):
        return type(module).__qualname__
    settings = module.extra_repr()
    if not settings:
        known = inspect.signature(type(module).__init__).parameters
        told = ((key, value) for key, value in vars(module).items() if key in known)
        settings = ", ".join(f"{key}={value!r}" for key, value in told if _is_plain(value))
    settings = re.sub(r" at 0x[0-9a-fA-F]+", "", settings)  # differs from process to process
    return type(module).__qualname__ + (f"({settings})" if settings else "")


def _is_plain(value: object) -> bool:
    return isinstance(value, (bool, int, float, str))


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).split('.')[-1]} {tuple(tensor.shape)}"


def _values(tensor: torch.Tensor) -> str:
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.device.type == "meta":
        return f"{tensor.layout} on {tensor.device.type}"
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    if flat.numel() == 0:
        return "empty"
    digest = hashlib.blake2b(flat.view(torch.uint8).numpy(), digest_size=8)
    return f"values {digest.hexdigest()}"
