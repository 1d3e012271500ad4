"""The peer that this program computes for: hearsay asks, the program answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import last_words, protocol
from .channel import SharedMemory
from .checks import (
    SCALARS,
    as_score,
    checked_fixed,
    checked_layers,
    checked_weight,
    initial_model,
    require_settings,
    sample_count,
)
from .command import RunFile, Settings
from .error import INTERRUPTED, REFUSED, Error
from .protocol import Fixed, Layer, Question, Score
from .start import connect, require_count

AtStart = Callable[[], Tuple[numpy.ndarray, Sequence[Fixed]]]
Loss = Callable[[numpy.ndarray], Union[float, Tuple[float, int, int], Score]]


class Ask:
    """A gradient that hearsay asks for. Its arrays are shared with hearsay, until it is answered."""

    __slots__ = ("x", "samples", "seed", "iteration", "step_size", "_memory", "_is_begun")

    def __init__(self, question: Question, memory: SharedMemory):
        self.x = memory.point  # d scalars, read-only
        self.samples = memory.samples(question.samples)  # int64, read-only; a sample may occur twice
        self.seed = question.seed  # below 2**63: all randomness of this gradient is to come from it
        self.iteration = question.iteration  # counted from 1
        self.step_size = question.step_size  # of the iteration; hearsay makes the step
        self._memory = memory
        self._is_begun = False  # the memory still holds the gradient of the question before

    @property
    def gradient(self) -> numpy.ndarray:
        """To be filled, d scalars: the mean over `samples` of the gradient of loss_s at x."""
        self._mark_unless_begun()
        return self._memory.gradient

    @gradient.setter
    def gradient(self, values: Any) -> None:
        self._memory.gradient[:] = values
        self._is_begun = True  # and whole: it needs no mark

    def fill(self, write: Callable[[numpy.ndarray], None]) -> None:
        """Lets `write` set all d scalars of the gradient; what they were before is undefined."""
        write(self._memory.gradient)
        self._is_begun = True

    def require_gradient(self) -> None:
        """Raises RuntimeError if the gradient was not computed."""
        self._mark_unless_begun()
        self._memory.require_gradient(self.iteration, "ask.gradient[:] = ... for every ask")

    def _mark_unless_begun(self) -> None:
        if not self._is_begun:
            self._is_begun = True
            self._memory.mark_gradient()


class Peer:
    """Computes f_i for one peer of a run. Iterating gives the gradients to compute, until the run has ended::

        with hearsay.Peer(x0=x0, samples=m, loss=loss) as peer:
            for ask in peer:
                ask.gradient[:] = gradient(ask.x, ask.samples)

    x0: the common start, d scalars, float32, or float64 with run.scalar = "double"; samples: m_i, 0 or more.
    loss(x) -> f_i(x), the mean loss over all m_i samples, or, of a classifier, (loss, hits, judged): `judged`
    test samples were judged, and `hits` of them correctly; or a Score. It is called inside the loop.
    layers: [(name, rows, columns)] in the order of x, for compressors and methods that look at matrices.
    fixed: [(name, what)]: what else f_i depends on, beside the data, such as the digest of frozen weights; it
    has to be the same at all peers. at_start() -> (x0, fixed): asked before the first gradient instead, so
    that both may change until then.
    weight: what f_i counts beside those of the other peers; loss and gradient are multiplied by it.
    run, id, set, overwrite, resume: only where hearsay did not start this program: the run file, which peer this
    is (else HEARSAY_ID, RANK, OMPI_COMM_WORLD_RANK or SLURM_PROCID says it), keys, as in {"run.iterations": 100},
    and whether an earlier output is replaced, or gone on with. HEARSAY_OPTIONS in the environment, such as
    "--overwrite --wait '10 min'", gives these and the other options of hearsay peer.

    A run that was refused, lost, interrupted, or that diverged, raises Error at the end of the loop.
    """

    id: int
    count: int  # peers of the run
    seed: int  # run.seed
    iterations: Optional[int]  # None: the run file gives run.epochs
    batch: Optional[int]  # samples of a minibatch; None: all
    settings: Mapping[str, str]  # what the run does with a gradient: {"algorithm.optimizer": "sgd", ...}
    model: Optional[numpy.ndarray]  # after the end: x_i, d scalars
    # After the end: code, reason, output; where the record is kept, the members of summary.json, too.
    summary: Dict[str, Any]

    def __init__(
        self,
        run: Optional[RunFile] = None,
        id: Optional[int] = None,
        *,
        x0: Any,
        samples: int,
        loss: Loss,
        layers: Optional[Sequence[Layer]] = None,
        weight: float = 1.0,
        set: Optional[Settings] = None,
        overwrite: bool = False,
        resume: bool = False,
        fixed: Sequence[Fixed] = (),
        at_start: Optional[AtStart] = None,
    ):
        x0 = initial_model(x0)
        self._samples = sample_count(samples)
        hello = protocol.encode_hello(
            x0.size, self._samples, SCALARS[x0.dtype], checked_layers(layers, x0.size)
        )
        self._loss = loss
        self._weight = checked_weight(weight)
        fixed = checked_fixed(fixed)
        self._question: Optional[Question] = None  # the open one
        self._ask: Optional[Ask] = None  # the open one
        self._iteration = 0
        self._is_stopping = False
        self._is_over = False
        self._at_start: Optional[AtStart] = None
        self.model = None
        self.summary = {}
        self._link = connect(run, id, set, overwrite, resume)
        last_words.at_exit(self._leave)
        self._meet(hello, x0, id)
        self._at_start = at_start
        if at_start is None:
            self._begin(x0, fixed)

    def _meet(self, hello: bytes, x0: numpy.ndarray, id: Optional[int]) -> None:
        self._send(hello)
        message, descriptor = self._receive()
        if protocol.is_end(message):
            self._close()
            end = json.loads(protocol.decode_question(message).text)
            raise Error(end["code"], end["reason"])
        facts = json.loads(message)
        if descriptor is None or facts["protocol"] != protocol.VERSION:
            self._close()
            raise Error(
                REFUSED,
                f"hearsay speaks version {facts['protocol']} of the protocol, and its Python package "
                f"version {protocol.VERSION}; expected both of one release",
            )
        self._memory = SharedMemory(descriptor, facts, x0.size, x0.dtype)
        self.id, self.count, self.seed = facts["peer"], facts["peers"], facts["seed"]
        self.iterations, self.batch = facts["iterations"], facts["batch"]
        self.settings = facts["settings"]
        require_count(id, self.count)

    def _begin(self, x0: numpy.ndarray, fixed: Sequence[Fixed]) -> None:
        self._at_start = None
        numpy.copyto(self._memory.x, x0)
        self._send(protocol.encode_ready(fixed))

    def __iter__(self) -> Iterator[Ask]:
        return self

    def __next__(self) -> Ask:
        if self._at_start is not None:
            self._begin(*self._at_start())
        self.answer()
        while not self._is_over:
            message, _ = self._receive()
            question = protocol.decode_question(message)
            if question.kind == protocol.END:
                self._end(json.loads(question.text))
            elif question.kind == protocol.SCORE:
                self._question = question
                score = as_score(self._loss(self._memory.point), self._weight, self._samples)
                self._question = None
                self._send(protocol.encode_answer(question.number, score=score))
            else:
                self._question = question
                self._iteration = question.iteration
                self._ask = Ask(question, self._memory)
                return self._ask
        raise StopIteration

    def answer(self) -> None:
        """Hands in the gradient of the open Ask, if there is one; the loop does it by itself."""
        if self._ask is None or self._question is None:
            return
        if not self._is_stopping:
            self._ask.require_gradient()
            if self._weight != 1.0:
                numpy.multiply(self._memory.gradient, self._weight, out=self._memory.gradient)
            self._send(protocol.encode_answer(self._question.number))
        self._ask = self._question = None

    def stop(self) -> None:
        """Ends the run at all peers, as interrupted; the loop here ends without an Error."""
        if not self._is_over and not self._is_stopping:
            self._is_stopping = True
            self._send(protocol.encode_answer(self._number(), protocol.STOPS))

    def close(self) -> None:
        """Leaves the run, if it has not ended: it then ends at all peers."""
        self._leave(None)

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, kind: Any, raised: Optional[BaseException], traceback: Any) -> None:
        if raised is None and self._is_stopping:
            for _ in self:
                pass
        self._leave(raised)

    def _leave(self, raised: Optional[BaseException]) -> None:
        """Tells hearsay, if the run has not ended, that it ends for what was raised; None: for nothing."""
        if self._is_over or not self._link.channel.is_open:
            return
        if isinstance(raised, KeyboardInterrupt):
            self.stop()
        if not self._is_stopping:
            fails = self._question is not None and isinstance(raised, Exception)
            self._send(
                protocol.encode_answer(
                    self._number(),
                    protocol.FAILED if fails else protocol.LEAVES,
                    text=last_words.of_exception(raised, self._iteration),
                )
            )
        self._close()

    def _end(self, end: Dict[str, Any]) -> None:
        """Takes the run's end. Raises Error unless it came to its end, or this program has stopped it."""
        self.model = self._memory.x.copy()
        self._close()
        self.summary = end
        if end["output"] is not None and (Path(end["output"]) / "summary.json").is_file():
            self.summary = {**json.loads((Path(end["output"]) / "summary.json").read_text()), **end}
        if end["code"] != 0 and not (self._is_stopping and end["code"] == INTERRUPTED):
            raise Error(end["code"], end["reason"])

    def _close(self) -> None:
        self._is_over = True
        self._ask = self._question = None
        last_words.not_at_exit(self._leave)
        self._link.close()

    def _number(self) -> int:
        return self._question.number if self._question else 0

    def _send(self, message: bytes) -> None:
        self._link.channel.send(message)  # if hearsay is gone, the next `_receive` finds out

    def _receive(self) -> Tuple[bytes, Optional[int]]:
        """Returns the next message. Raises Error if hearsay is gone, or cannot use this program."""
        message, descriptor = self._link.channel.receive()
        if not message:
            self._close()
            raise self._link.silent_end()
        if message.startswith(b"{") and "refused" in (refusal := json.loads(message)):
            self._close()
            raise Error(REFUSED, refusal["refused"])
        return message, descriptor


def serve(
    objective: Any,
    run: Optional[RunFile] = None,
    id: Optional[int] = None,
    *,
    layers: Optional[Sequence[Layer]] = None,
    weight: float = 1.0,
    set: Optional[Settings] = None,
    overwrite: bool = False,
    resume: bool = False,
) -> Dict[str, Any]:
    """Trains to the end of the run with an object: x0, samples, gradient(x, samples, out, seed) and loss(x).

    `gradient` fills `out`. `layers` is the object's, if it has any. The arguments are those of Peer; returns
    the summary. Raises Error.
    """
    return answer_all(
        objective, run, id, layers=layers, weight=weight, set=set, overwrite=overwrite, resume=resume
    ).summary


def answer_all(
    objective: Any,
    run: Optional[RunFile],
    id: Optional[int],
    *,
    layers: Optional[Sequence[Layer]] = None,
    weight: float,
    set: Optional[Settings],
    overwrite: bool,
    resume: bool,
) -> Peer:
    """Does what `serve` does. Returns the peer, whose run has ended."""
    layers = getattr(objective, "layers", None) if layers is None else layers
    with Peer(
        run,
        id,
        x0=objective.x0,
        samples=objective.samples,
        loss=objective.loss,
        layers=layers,
        weight=weight,
        set=set,
        overwrite=overwrite,
        resume=resume,
        at_start=lambda: (objective.x0, checked_fixed(getattr(objective, "fixed", ()))),
    ) as peer:
        require_settings(objective, peer.settings)
        for ask in peer:
            objective.gradient(ask.x, ask.samples, ask.gradient, ask.seed)
    return peer
