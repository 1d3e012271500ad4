"""`hearsay simulate` with all objectives in this process."""

from __future__ import annotations

import json
import os
import selectors
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Optional, Sequence

from . import protocol
from .channel import Channel, SharedMemory
from .checks import SCALARS, as_score, checked_layers, initial_model, require_settings, sample_count
from .command import Run, RunFile, Settings
from .error import REFUSED, Error
from .last_words import of_exception


class _Served:
    """One objective and the channel on which hearsay asks about it."""

    def __init__(self, objective: Any, channel: Channel, relay: socket.socket):
        self._objective = objective
        self._channel = channel
        self._relay = relay  # ends when this is closed
        self._memory: Optional[SharedMemory] = None
        self._x0 = initial_model(objective.x0)
        channel.send(
            protocol.encode_hello(
                self._x0.size,
                sample_count(objective.samples),
                SCALARS[self._x0.dtype],
                checked_layers(getattr(objective, "layers", None), self._x0.size),
            )
        )

    def fileno(self) -> int:
        return self._channel.fileno()

    def hear(self) -> bool:
        """Answers the next message. False at the end. What the objective raises is told, and raised."""
        message, descriptor = self._channel.receive()
        if not message or message.startswith(b'{"refused"') or protocol.is_end(message):
            return self._close()
        if self._memory is None:
            facts = json.loads(message)
            self._memory = SharedMemory(descriptor, facts, self._x0.size, self._x0.dtype)
            self._memory.x[:] = self._x0
            try:
                require_settings(self._objective, facts["settings"])
            except Exception as error:
                self._channel.send(protocol.encode_answer(0, protocol.LEAVES, text=of_exception(error, 0)))
                raise
            self._channel.send(protocol.encode_ready(getattr(self._objective, "fixed", ())))
            return True
        question = protocol.decode_question(message)
        try:
            self._channel.send(self._answer(question, self._memory))
        except Exception as error:
            self._channel.send(
                protocol.encode_answer(
                    question.number, protocol.FAILED, text=of_exception(error, question.iteration)
                )
            )
            raise
        return True

    def _answer(self, question: protocol.Question, memory: SharedMemory) -> bytes:
        if question.kind == protocol.SCORE:
            result = self._objective.loss(memory.point)
            return protocol.encode_answer(
                question.number, score=as_score(result, 1.0, self._objective.samples)
            )
        memory.mark_gradient()
        self._objective.gradient(
            memory.point, memory.samples(question.samples), memory.gradient, question.seed
        )
        memory.require_gradient(question.iteration, "out[:] = ... in gradient(x, samples, out, seed)")
        return protocol.encode_answer(question.number)

    def _close(self) -> bool:
        self._channel.close()
        self._relay.close()
        return False


def simulate(
    run: RunFile,
    objectives: Sequence[Any],
    *,
    gradient_seconds: Optional[float] = None,
    set: Optional[Settings] = None,
    output: Optional[RunFile] = None,
    overwrite: bool = False,
) -> Dict[str, Any]:
    """Trains in virtual time with objectives of this process, one for each peer of the run file.

    An objective has x0, samples, gradient(x, samples, out, seed) and loss(x), as for hearsay.serve.
    gradient_seconds: how long a gradient takes in virtual time (network.compute); None: as long as here.
    Returns the members of summary.json, and `output`, the folder of the record. What an objective raises is
    raised here, once hearsay has heard of it. Raises Error.
    """
    settings = dict(set or {})
    if gradient_seconds is not None:
        settings["network.compute"] = f"{gradient_seconds!r} s"
    with tempfile.TemporaryDirectory(prefix="hearsay-") as folder, socket.socket(
        socket.AF_UNIX, socket.SOCK_SEQPACKET
    ) as door, selectors.DefaultSelector() as selector:
        address = os.path.join(folder, "door")
        door.bind(address)
        door.listen(len(objectives) + 1)
        relay = [sys.executable, "-I", str(Path(__file__).with_name("relay.py")), address]
        with Run(
            "simulate", run, settings=settings, output=output, overwrite=overwrite, program=relay
        ) as hearsay:
            selector.register(door, selectors.EVENT_READ)
            selector.register(hearsay, selectors.EVENT_READ)
            raised = _serve(objectives, door, hearsay, selector)
            if raised is None:
                return hearsay.result()
        raise raised


def _serve(
    objectives: Sequence[Any], door: socket.socket, hearsay: Run, selector: selectors.BaseSelector
) -> Optional[Exception]:
    """Answers until hearsay has ended. Returns what an objective raised; None if none did."""
    raised: Optional[Exception] = None
    while True:
        for key, _ in selector.select():
            if key.fileobj is hearsay:
                if not hearsay.listen():
                    return raised
            elif key.fileobj is door:
                try:
                    selector.register(_welcome(objectives, door), selectors.EVENT_READ)
                except Exception as error:
                    raised = raised or error
            else:
                served = key.fileobj
                try:
                    goes_on = served.hear()
                except Exception as error:
                    raised, goes_on = raised or error, True
                if not goes_on:
                    selector.unregister(served)


def _welcome(objectives: Sequence[Any], door: socket.socket) -> _Served:
    relay, _ = door.accept()
    identity, descriptors, _, _ = socket.recv_fds(relay, 64, 1)
    channel = Channel(socket.socket(fileno=descriptors[0]))
    try:
        if int(identity) >= len(objectives):
            raise Error(
                REFUSED,
                f"there is no objective for peer {int(identity)}; expected one for each peer, not "
                f"{len(objectives)}",
            )
        return _Served(objectives[int(identity)], channel, relay)
    except Exception as error:
        channel.send(protocol.encode_answer(0, protocol.LEAVES, text=of_exception(error, 0)))
        channel.close()
        relay.close()
        raise
