"""A module with a loss as the objective of a peer."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy
import torch

from ..checks import sample_count
from ..command import RunFile, Settings
from ..peer import answer_all
from ..protocol import Fixed
from .evaluation import Evaluate, Evaluation, seed_all
from .flat import FlatParameters
from .groups import Group, ParameterGroups
from .statistics import Recalibrate
from .surroundings import surroundings

# A request for all samples goes through the model in pieces of so many.
_PIECE = 1000


class Objective:
    """f_i of a module, for hearsay.serve and hearsay.simulate.

    loss(indices) -> the mean loss over these samples, a scalar tensor; indices is a LongTensor, 1 to 1000 of
    them. samples: m_i. evaluate() -> the mean loss over all m_i samples, or (loss, hits, judged), as for
    Optimizer; None: computed with `loss`. recalibrate, groups: as for Optimizer.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        loss: Callable[[torch.Tensor], torch.Tensor],
        samples: int,
        *,
        evaluate: Optional[Evaluate] = None,
        recalibrate: Optional[Recalibrate] = None,
        groups: Optional[Sequence[Group]] = None,
    ):
        self._model = model
        self._loss = loss
        self.samples = sample_count(samples)
        self._flat = FlatParameters(model)
        self._groups = ParameterGroups(model, self._flat, groups)
        self._evaluation = Evaluation(model, self._flat, evaluate or self._mean_loss, recalibrate)
        self.layers = self._flat.layers

    @property
    def x0(self) -> numpy.ndarray:
        """The parameters as they are now."""
        return self._flat.x0

    @property
    def fixed(self) -> List[Fixed]:
        """What else f_i depends on."""
        return surroundings(self._model) + self._groups.fixed

    def require_settings(self, settings: Mapping[str, str]) -> None:
        """Raises ValueError if a run with these settings would not do what the groups say."""
        self._groups.require_proportional_step(settings)

    def gradient(self, x: numpy.ndarray, samples: numpy.ndarray, out: numpy.ndarray, seed: int) -> None:
        """Writes the gradient of the mean loss over `samples` at x to `out`, zero for no samples; then what the
        groups make of it."""
        self._flat.load(x)
        self._flat.drop_gradients()
        self._model.train()
        seed_all(seed)
        indices = torch.tensor(samples)
        for piece in indices.split(_PIECE) if len(indices) else ():
            loss = self._loss(piece)
            (loss if len(piece) == len(indices) else loss * (len(piece) / len(indices))).backward()
        self._flat.require_same_parameters()
        self._flat.require_unwritten()
        self._evaluation.require_unread_statistics()
        self._flat.write_gradients(out)
        self._groups.apply(out, x)

    def loss(self, x: numpy.ndarray) -> Any:
        """Returns f_i(x), or what `evaluate` says at x."""
        return self._evaluation(x)

    def settle(self, x: numpy.ndarray) -> None:
        """Leaves the module at x, in evaluation mode."""
        self._evaluation.settle(x)

    def _mean_loss(self) -> float:
        total = 0.0
        for piece in torch.arange(self.samples).split(_PIECE) if self.samples else ():
            total += float(self._loss(piece)) * len(piece)
        return total / max(self.samples, 1)


def train(
    model: torch.nn.Module,
    loss: Callable[[torch.Tensor], torch.Tensor],
    samples: int,
    evaluate: Optional[Evaluate] = None,
    *,
    run: Optional[RunFile] = None,
    id: Optional[int] = None,
    recalibrate: Optional[Recalibrate] = None,
    groups: Optional[Sequence[Group]] = None,
    weight: float = 1.0,
    set: Optional[Settings] = None,
    overwrite: bool = False,
    resume: bool = False,
) -> Dict[str, Any]:
    """Trains to the end of the run. Leaves this peer's model, in evaluation mode, and returns the summary.

    model, loss, samples, evaluate, recalibrate, groups: as for Objective; the other ones: as for hearsay.Peer.
    Raises hearsay.Error.
    """
    objective = Objective(model, loss, samples, evaluate=evaluate, recalibrate=recalibrate, groups=groups)
    peer = answer_all(objective, run, id, weight=weight, set=set, overwrite=overwrite, resume=resume)
    if peer.model is not None:
        objective.settle(peer.model)
    return peer.summary
