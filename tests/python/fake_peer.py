"""A peer without hearsay: it asks a program what a test tells it to ask."""

import json
import mmap
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy

from hearsay import protocol, start

PACKAGE = Path(__file__).resolve().parents[2] / "tools" / "python"
PATIENCE = 60.0  # s; a test that waits so long has failed


class FakePeer:
    """Peer 1 of 4, for a program in a thread of this process (`start`) or in a process (`start_process`)."""

    def __init__(self):
        self._socket, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(PATIENCE)
        self._number = 0
        self._thread = None
        self._raised = None
        self._result = None
        self.process = None

    def start(self, program):
        """Runs `program()` in a thread, as if hearsay had started it."""

        def run():
            try:
                self._result = program()
            except BaseException as error:
                self._raised = error

        start.inherit({"HEARSAY_CHANNEL": str(self._theirs.detach())})
        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def join(self):
        """Returns what the program has returned, or raises what it has raised."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        if self._raised is not None:
            raise self._raised
        return self._result

    def start_process(self, text, folder):
        """Runs a script in a process, as hearsay does."""
        (folder / "program.py").write_text(text)
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(PACKAGE)]))
        environment = {
            **os.environ,
            "HEARSAY_CHANNEL": str(self._theirs.fileno()),
            "HEARSAY_ID": "1",
            "HEARSAY_PEERS": "4",
            "PYTHONPATH": path,
            "OMP_NUM_THREADS": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, "program.py"],
            cwd=folder,
            env=environment,
            text=True,
            pass_fds=[self._theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._theirs.close()

    def said_at_end(self):
        """Waits for the end of the process, and returns what it has printed."""
        return self.process.communicate(timeout=PATIENCE)[0]

    def hello(self):
        return json.loads(self._socket.recv(protocol.HELLO_LIMIT))

    def meet(self, batch=2, iterations=10, begins=True, settings={}):
        """Takes the hello, shares memory, and takes x_0, unless the program is not to begin."""
        hello = self.hello()
        self._scalar = {"float": numpy.float32, "double": numpy.float64}[hello["scalar"]]
        self._dimension = hello["dimension"]
        self._share(batch, iterations, settings, room=max(batch or 0, hello["samples"]))
        if begins:
            number, outcome, _, text = self.answer()
            assert (number, outcome) == (0, protocol.ANSWERED), text
            self.fixed = dict(json.loads(text)["fixed"]) if text else {}
        return hello

    @property
    def x(self):
        return self._part("x")

    def ask_gradient(self, x, samples, seed=7, iteration=1, step_size=0.0):
        """Asks, and returns the gradient."""
        self.send_gradient(x, samples, seed, iteration, step_size)
        number, outcome, _, text = self.answer()
        assert (number, outcome) == (self._number, protocol.ANSWERED), text
        return self._part("gradient").copy()

    def send_gradient(self, x, samples, seed=7, iteration=1, step_size=0.0):
        numpy.frombuffer(self._memory, "<i8", len(samples), self._facts["samples"])[:] = samples
        self._part("gradient")[:] = -1.0
        self._ask(
            protocol.GRADIENT,
            x,
            seed=seed,
            samples=len(samples),
            iteration=iteration,
            step_size=step_size,
        )

    def ask_score(self, x):
        """Asks, and returns the score."""
        self.send_score(x)
        number, outcome, score, text = self.answer()
        assert (number, outcome) == (self._number, protocol.ANSWERED), text
        return score

    def send_score(self, x):
        self._ask(protocol.SCORE, x)

    def end(self, x=None, code=0, reason="", output=None):
        text = json.dumps({"code": code, "reason": reason, "output": output})
        self._ask(protocol.END, self.x.copy() if x is None else x, text=text)

    def end_before_the_facts(self, code, reason):
        text = json.dumps({"code": code, "reason": reason, "output": None})
        self._socket.send(protocol.encode_question(protocol.Question(protocol.END, 1, text=text)))

    def wait_for_an_answer(self):
        """Waits until an answer is there, and leaves it unread."""
        self._socket.recv(1, socket.MSG_PEEK)

    def refuse(self, why):
        self._socket.send(json.dumps({"refused": why}).encode())

    def answer(self):
        """Returns number, outcome, score and text of the next answer."""
        return protocol.decode_answer(self._socket.recv(1 << 16))

    def hears_the_end(self):
        """True if the program has ended, or left the socket, without another word."""
        return self._socket.recv(1 << 16) == b""

    def close(self):
        self._socket.close()
        self._theirs.close()
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def _share(self, batch, iterations, settings, room):
        stride = -(-self._dimension * numpy.dtype(self._scalar).itemsize // 64) * 64
        self._facts = {
            "protocol": 1,
            "peer": 1,
            "peers": 4,
            "seed": 5,
            "iterations": iterations,
            "batch": batch,
            "memory": 2 * stride + max(room, 1) * 8,
            "x": 0,
            "gradient": stride,
            "samples": 2 * stride,
            "settings": settings,
        }
        descriptor = os.memfd_create("test")
        os.ftruncate(descriptor, self._facts["memory"])
        self._memory = mmap.mmap(descriptor, self._facts["memory"])
        socket.send_fds(self._socket, [json.dumps(self._facts).encode()], [descriptor])
        os.close(descriptor)

    def _part(self, name):
        return numpy.frombuffer(self._memory, self._scalar, self._dimension, self._facts[name])

    def _ask(self, kind, x, **fields):
        self.x[:] = x
        self._number += 1
        self._socket.send(protocol.encode_question(protocol.Question(kind, self._number, **fields)))
