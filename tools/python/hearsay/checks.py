"""What a program says of its objective, checked before hearsay hears it."""

from __future__ import annotations

import math
import numbers
from typing import Any, List, Optional, Sequence

import numpy

from .protocol import Layer, Score

# The name of a scalar type as run.scalar spells it.
SCALARS = {numpy.dtype(numpy.float32): "float", numpy.dtype(numpy.float64): "double"}


def initial_model(x0: Any) -> numpy.ndarray:
    """Returns x_0 as a vector of d >= 1 scalars. Raises TypeError or ValueError if it is none."""
    x0 = numpy.asarray(x0)
    if x0.dtype not in SCALARS:
        raise TypeError(f'x0 holds {x0.dtype}; expected float32, or float64 with run.scalar = "double"')
    if x0.ndim != 1 or x0.size == 0:
        raise ValueError(f"x0 has shape {x0.shape}; expected a vector of one parameter or more")
    return x0


def sample_count(samples: Any) -> int:
    """Raises TypeError or ValueError unless it is a number of samples."""
    if not isinstance(samples, numbers.Integral):
        raise TypeError(
            f"samples = {samples!r}; expected how many training samples this peer has, such as len(images)"
        )
    if samples < 0:
        raise ValueError(f"samples = {samples}; expected 0 or more")
    return int(samples)


def checked_weight(weight: Any) -> float:
    weight = float(weight)
    if not (weight > 0 and math.isfinite(weight)):
        raise ValueError(f"weight = {weight}; expected a number above 0")
    return weight


def checked_layers(layers: Optional[Sequence[Layer]], dimension: int) -> Optional[List[Layer]]:
    """Returns the layers with plain numbers. Raises ValueError unless their sizes sum to the dimension."""
    if layers is None:
        return None
    checked = [(str(name), int(rows), int(columns)) for name, rows, columns in layers]
    total = sum(rows * columns for _, rows, columns in checked)
    if total != dimension or any(rows < 1 or columns < 1 for _, rows, columns in checked):
        raise ValueError(
            f"the layers have {total} parameters together, and x0 {dimension}; expected (name, rows, "
            "columns) for each layer, in the order of x0"
        )
    return checked


def as_score(result: Any, weight: float) -> Score:
    """Returns what `loss` has returned as a Score, the loss times `weight`. Raises TypeError, ValueError."""
    score = (
        result
        if isinstance(result, Score)
        else Score(*result)
        if isinstance(result, tuple)
        else Score(result)
    )
    try:
        score = Score(
            float(score.loss) * weight, int(score.hits), int(score.judged), bool(score.of_test_samples)
        )
    except (TypeError, ValueError) as error:
        raise TypeError(f"loss returned {result!r}; expected a number, or (loss, hits, judged)") from error
    if not 0 <= score.hits <= score.judged:
        raise ValueError(
            f"loss returned {score.hits} hits of {score.judged} judged samples; expected at most as many "
            "hits as judged samples"
        )
    return score
