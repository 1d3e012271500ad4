"""The usual loop of torch, with hearsay in the place of the optimizer."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

import numpy
import torch

from ..command import RunFile, Settings
from ..peer import Ask, Peer
from ..protocol import Fixed
from .evaluation import Evaluate, Evaluation, seed_all
from .flat import UNDONE, FlatParameters
from .groups import Group, ParameterGroups
from .left_gradient import LeftGradient
from .statistics import Recalibrate
from .step_size import StepSize
from .surroundings import surroundings


_OTHER_GROUPS = (
    "expected groups=[...] when the Optimizer is made: afterwards it stays as it is, since all peers have the same"
)


class Minibatches:
    """A batch_sampler: the minibatches that hearsay draws, until the run has ended. One step() for each."""

    def __init__(self, optimizer: "Optimizer"):
        self._optimizer = optimizer

    def __iter__(self) -> Iterator[List[int]]:
        return self

    def __len__(self) -> int:
        """Raises TypeError: a method may ask for several gradients in an iteration."""
        raise TypeError(
            "how many minibatches a run has is not known before; expected opt.iteration, of "
            "opt.peer.iterations, instead of len()"
        )

    def __next__(self) -> List[int]:
        """Sets the parameters to the x at which the next gradient is wanted, and returns the samples."""
        return self._optimizer.next_minibatch()


class Optimizer(torch.optim.Optimizer):
    """Hands gradients to hearsay, which makes the steps::

        opt = hearsay.torch.Optimizer(model, len(data), evaluate=evaluate)
        for images, labels in torch.utils.data.DataLoader(data, batch_sampler=opt.minibatches):
            opt.zero_grad()
            cross_entropy(model(images), labels).backward()
            opt.step()

    model: the module, on one device, its parameters of one type, float32 or float64; samples: m_i.
    evaluate() -> the mean loss over all m_i samples, or (loss, hits, judged) with the judged test samples. It
    is called inside of the loop, without gradients, with the model in evaluation mode at the x in question.
    recalibrate(): runs the model forward on samples that are always the same; wanted where modules track
    running statistics, which are estimated by it before each evaluation.
    groups: [{"params": model.head.parameters(), "lr_factor": 0.1, "weight_decay": 0.01}, ...]; the step size of
    a group is that of the run times lr_factor, and weight_decay times the parameters is added to its gradient.
    The length of the run, batch, step size and momentum are the run file's. The rest is as for hearsay.Peer.
    param_groups[k]["lr"] is the step size of the iteration, which hearsay makes.
    After the loop the model is that of this peer, in evaluation mode. A run that was refused, lost,
    interrupted, or that diverged, raises hearsay.Error at the end of the loop.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        samples: int,
        *,
        evaluate: Evaluate,
        groups: Optional[Sequence[Group]] = None,
        run: Optional[RunFile] = None,
        id: Optional[int] = None,
        recalibrate: Optional[Recalibrate] = None,
        weight: float = 1.0,
        set: Optional[Settings] = None,
        overwrite: bool = False,
        resume: bool = False,
    ):
        self._flat = FlatParameters(model)
        self._evaluation = Evaluation(model, self._flat, evaluate, recalibrate)
        self._groups = ParameterGroups(model, self._flat, groups)
        super().__init__([dict(group) for group in self._groups.torch_groups], {})
        self._model = model
        self._left_gradient = LeftGradient(self._flat)
        self.peer = Peer(
            run,
            id,
            x0=self._flat.x0,
            samples=samples,
            loss=self._evaluation,
            layers=self._flat.layers,
            weight=weight,
            set=set,
            overwrite=overwrite,
            resume=resume,
            at_start=self._start,
        )
        self._groups.require_proportional_step(self.peer.settings)
        self.minibatches = Minibatches(self)
        self._ask: Optional[Ask] = None  # the open one
        self._step_size = 0.0  # of the iteration
        self.iteration = 0  # of the last minibatch, from 1 on; an iteration may have several minibatches

    def next_minibatch(self) -> List[int]:
        """What Minibatches gives. Raises StopIteration at the end of the run."""
        if self._ask is not None:
            raise RuntimeError(
                "a second minibatch was asked for before step(), so workers run ahead, or a step was left "
                "out; expected num_workers=0, and one step() for each minibatch: opt.skip() if it has no "
                "gradient, a larger algorithm.batch instead of accumulation"
            )
        self._flat.require_same_parameters()
        if self.iteration > 0:
            self._flat.require_unwritten(f"in iteration {self.iteration} or behind it, {UNDONE}")
        self._show_step_size(self._step_size)
        while True:
            ask = next(self.peer, None)
            if ask is None:
                if self.peer.model is not None:
                    self._evaluation.settle(self.peer.model)
                raise StopIteration
            self._ask = ask
            self.iteration = ask.iteration
            self._step_size = ask.step_size
            self._show_step_size(ask.step_size)
            self._flat.load(ask.x)
            seed_all(ask.seed)
            if len(ask.samples) > 0:
                return ask.samples.tolist()
            ask.gradient = 0.0  # no program has to compute the mean over no samples
            self._groups.apply(ask.gradient, ask.x)
            self._hand_in()

    def _start(self) -> Tuple[numpy.ndarray, List[Fixed]]:
        """Returns x_0 as the program has left it, and what else its output depends on."""
        return self._flat.x0, surroundings(self._model) + self._groups.fixed

    def step(self, closure: Optional[Callable[[], Any]] = None) -> Any:
        """Hands in the gradient that backward() has left, or closure() leaves. Returns what closure returns.

        Raises RuntimeError if no minibatch is open.
        """
        if self._ask is None:
            raise RuntimeError("step() without a minibatch; expected one step() for each of opt.minibatches")
        result = None
        if closure is not None:
            seed_all(self._ask.seed)
            with torch.enable_grad():
                result = closure()
        self._flat.require_same_parameters()
        self._flat.require_no_counted_change()
        self._evaluation.require_unread_statistics()
        self._ask.fill(self._flat.write_gradients)
        self._groups.apply(self._ask.gradient, self._ask.x)
        self._hand_in()
        return result

    def skip(self) -> None:
        """Ends the minibatch with the gradient zero, unless step() has ended it.

        It is for a gradient that is no number: after scaler.step(opt), which then calls no step().
        """
        if self._ask is not None:
            self._ask.gradient = 0.0
            self._hand_in()

    def _show_step_size(self, step_size: float) -> None:
        """Raises TypeError or ValueError if a program has put other groups in the place of those it was given."""
        made = self._groups.torch_groups
        if len(self.param_groups) != len(made):
            raise ValueError(
                f"there are {len(self.param_groups)} parameter groups, and there were {len(made)}; {_OTHER_GROUPS}"
            )
        self.param_groups[:] = [
            StepSize.in_group(group, one, step_size) for group, one in zip(self.param_groups, made)
        ]

    def _hand_in(self) -> None:
        self._ask = None
        self._left_gradient.note_step()
        self.peer.answer()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops all gradients, so that backward() need not add to them; False: sets them to zero."""
        super().zero_grad(set_to_none)

    def add_param_group(self, param_group: Any) -> None:
        """Raises ValueError once the Optimizer is made."""
        made = self._groups.torch_groups
        k = len(self.param_groups)
        if k == len(made):
            raise ValueError(f"a parameter group was added; {_OTHER_GROUPS}")
        super().add_param_group(param_group)
        self.param_groups[k] = StepSize.in_group(self.param_groups[k], made[k], 0.0)
