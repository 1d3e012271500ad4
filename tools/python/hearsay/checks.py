"""What a program says of its objective, checked before hearsay hears it."""

from __future__ import annotations

import math
import operator
from typing import Any, List, Mapping, Optional, Sequence

import numpy

from .protocol import Fixed, Layer, Score

# The name of a scalar type as run.scalar spells it.
SCALARS = {numpy.dtype(numpy.float32): "float", numpy.dtype(numpy.float64): "double"}

_MOST_SAMPLES = 2**31 - 1  # as hearsay counts them
_NO_NUMBERS = ("bool", "complex", "object", "<U", "|S")  # dtypes


def initial_model(x0: Any) -> numpy.ndarray:
    """Returns x_0 as a vector of d >= 1 scalars. Raises TypeError or ValueError if it is none."""
    x0 = numpy.asarray(x0)
    if x0.dtype not in SCALARS:
        raise TypeError(f'x0 holds {x0.dtype}; expected float32, or float64 with run.scalar = "double"')
    if x0.ndim != 1 or x0.size == 0:
        raise ValueError(f"x0 has shape {x0.shape}; expected a vector of one parameter or more")
    return x0


def as_count(value: Any) -> Optional[int]:
    """Returns a whole number of any library as an int; None if the value is none. 64.0 and True are none."""
    if isinstance(value, bool) or str(getattr(value, "dtype", "")).endswith("bool"):
        return None
    try:
        return operator.index(value)
    except (TypeError, ValueError):  # ValueError: a tensor of several numbers
        return None


def sample_count(samples: Any) -> int:
    """Raises TypeError or ValueError unless it is a number of samples."""
    count = as_count(samples)
    if count is None:
        raise TypeError(
            f"samples = {samples!r}; expected how many training samples this peer has, such as len(images)"
        )
    if count < 0:
        raise ValueError(f"samples = {samples}; expected 0 or more")
    if count > _MOST_SAMPLES:
        raise ValueError(f"samples = {samples}; expected at most {_MOST_SAMPLES}")
    return count


def as_real(value: Any) -> Optional[float]:
    """Returns a real number of any library as a float; None if the value is none. Text and True are none."""
    kind = str(getattr(value, "dtype", "")).replace("torch.", "")
    if isinstance(value, (str, bytes, bytearray, memoryview, bool)) or kind.startswith(_NO_NUMBERS):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def checked_weight(weight: Any) -> float:
    wrong = ValueError(f"weight = {weight!r}; expected a number above 0")
    try:
        number = float(weight)
    except (TypeError, ValueError) as error:
        raise wrong from error
    if not (number > 0 and math.isfinite(number)):
        raise wrong
    return number


def require_settings(objective: Any, settings: Mapping[str, str]) -> None:
    """Raises what the objective raises if it does not fit the settings of the run; most do not look at them."""
    judge = getattr(objective, "require_settings", None)
    if judge is not None:
        judge(settings)


def checked_fixed(fixed: Any) -> List[Fixed]:
    """Raises TypeError unless each part is two texts."""
    wrong = TypeError(
        f"fixed = {_shortened(fixed)}; expected (name, what), two texts, for each part that the objective "
        "depends on"
    )
    try:
        parts = [tuple(part) for part in fixed if not isinstance(part, str)]
        if len(parts) != len(fixed):
            raise wrong
    except TypeError as error:
        raise wrong from error
    if not all(len(part) == 2 and all(isinstance(text, str) for text in part) for part in parts):
        raise wrong
    return parts


def checked_layers(layers: Optional[Sequence[Layer]], dimension: int) -> Optional[List[Layer]]:
    """Returns the layers with plain numbers. Raises TypeError or ValueError unless their sizes sum to the
    dimension.
    """
    if layers is None:
        return None
    try:
        triples = [(name, rows, columns) for name, rows, columns in layers]
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"layers = {_shortened(layers)}; expected (name, rows, columns) for each layer, in the order of x0"
        ) from error
    checked = []
    for name, rows, columns in triples:
        sizes = as_count(rows), as_count(columns)
        if None in sizes:
            raise TypeError(
                f"layer {name} has {rows!r} rows and {columns!r} columns; expected two whole numbers"
            )
        checked.append((str(name), *sizes))
    total = sum(rows * columns for _, rows, columns in checked)
    if total != dimension or any(rows < 1 or columns < 1 for _, rows, columns in checked):
        raise ValueError(
            f"the layers have {total} parameters together, and x0 {dimension}; expected (name, rows, "
            "columns) for each layer, in the order of x0"
        )
    return checked


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:100] + "..."


def as_score(result: Any, weight: float, samples: int) -> Score:
    """Returns what `loss` has returned as a Score, the loss times `weight`. Raises TypeError, ValueError.

    The mean loss over no samples, NaN, is 0.
    """
    wrong = TypeError(f"loss returned {_shortened(result)}; expected a number, or (loss, hits, judged)")
    of_test_samples = True
    if isinstance(result, Score):
        loss, hits, judged, of_test_samples = result
    elif not isinstance(result, tuple):
        loss, hits, judged = result, 0, 0
    elif len(result) == 3:
        loss, hits, judged = result
    else:
        raise wrong
    loss = as_real(loss)
    if loss is None:
        raise wrong
    counts = as_count(hits), as_count(judged)
    if None in counts:
        raise TypeError(
            f"loss returned {hits!r} hits of {judged!r} judged samples; expected two whole numbers: how many "
            "samples were judged, and how many of them correctly"
        )
    if samples == 0 and math.isnan(loss):
        loss = 0.0
    score = Score(loss * weight, *counts, bool(of_test_samples))
    if not 0 <= score.hits <= score.judged:
        raise ValueError(
            f"loss returned {score.hits} hits of {score.judged} judged samples; expected at most as many "
            "hits as judged samples"
        )
    return score
