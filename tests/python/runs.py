"""Runs of the program hearsay, with objectives that are small and always the same."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import hearsay
import numpy
import pytest

PEERS = 4

RUN = """
[run]
name = "python"
iterations = 20
evaluate_every = 10
[topology]
kind = "ring"
peers = 4
[algorithm]
kind = "dcd-psgd"
compressor = "dither(linf, bits=4, bucket=8)"
step_size = 0.1
batch = 4
[network]
compute = "1 ms"
"""

# A program with NumPy; what `objective` or `main` is replaced by makes the others.
QUADRATIC = """
import os, sys
import hearsay, numpy

class Quadratic:
    # The mean over samples s of |x - point_s|^2 / 2: another one at every peer.
    def __init__(self, id):
        self.points = numpy.random.default_rng(id).normal(size=(40, 12)).astype(numpy.float32) + id
        self.x0, self.samples, self.layers = numpy.ones(12, numpy.float32), 40, [("a", 3, 3), ("b", 3, 1)]

    def gradient(self, x, samples, out, seed):
        out[:] = x - self.points[samples].mean(axis=0)

    def loss(self, x):
        return 0.5 * float(numpy.mean(numpy.sum((x - self.points).astype(float) ** 2, axis=1)))

def me():
    return int(os.environ["HEARSAY_ID"])
"""
SERVE = "\nhearsay.serve(Quadratic(me()))\n"

# Peer 1 does something at its fifteenth gradient.
BAD = """
class Bad(Quadratic):
    gradients = 0
    def gradient(self, x, samples, out, seed):
        self.gradients += 1
        if me() == 1 and self.gradients == 15:
            %s
        super().gradient(x, samples, out, seed)

hearsay.serve(Bad(me()))
"""


def command(folder, text, name="program.py"):
    """Writes a program, and returns the command that runs it."""
    (folder / name).write_text(text)
    return [sys.executable, name]


def outcome(summary):
    """What has to be the same to the last bit: losses, the peers' models, and the mean model's bytes."""
    losses = hearsay.records(summary["output"])["loss"]
    assert len(losses) > 1 and not numpy.array_equal(losses[:1], losses[-1:])
    return losses.tolist(), summary["model_digest"], (Path(summary["output"]) / "model.npy").read_bytes()


def fails(folder, text, driver="run", **set):
    """Returns the Error of a run with this program."""
    settings = {key.replace("__", "."): value for key, value in set.items()}
    with pytest.raises(hearsay.Error) as raised:
        hearsay.run("run.toml", command(folder, text), set=settings, overwrite=True, driver=driver)
    return raised.value


def start_by_hand(folder, text, peers=range(PEERS), **environment):
    """Starts programs, each as one peer of hosts-run.toml, and returns them."""
    ports = free_ports(PEERS + 1)
    listed = "".join(f'[[peer]]\naddress = "tcp://127.0.0.1:{port}"\n' for port in ports[1:])
    (folder / "hosts.toml").write_text(f'family = "ring"\nobserver = "tcp://127.0.0.1:{ports[0]}"\n' + listed)
    (folder / "hosts-run.toml").write_text(RUN.replace('kind = "ring"\npeers = 4', 'file = "hosts.toml"'))
    words = command(folder, text, "by_hand.py")
    return [
        subprocess.Popen(
            words,
            env={**os.environ, **environment, "HEARSAY_ID": str(id)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for id in peers
    ]


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
