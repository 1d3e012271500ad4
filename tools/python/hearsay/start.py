"""Who has started whom: a program that hearsay started inherits its channel; another one starts hearsay."""

from __future__ import annotations

import os
import socket
import subprocess
from typing import Mapping, MutableMapping, Optional, Tuple

from .channel import Channel
from .command import RunFile, Settings, assignments, find_program, peer_options, spawn
from .error import LOST, REFUSED, Error
from .last_words import of_exception
from .protocol import LEAVES, encode_answer

# Who a process is, and among how many, as their starters say it: hearsay, torchrun, mpirun, srun.
_IDENTITIES = (
    ("HEARSAY_ID", "HEARSAY_PEERS"),
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)
_PATIENCE_WITH_CHILD = 10.0  # s


class Link:
    """The channel to hearsay, and the hearsay that this process has started, if it has."""

    def __init__(self, channel: Channel, process: Optional["subprocess.Popen[bytes]"] = None):
        self.channel = channel
        self.is_used = False
        self._process = process
        self._owner = os.getpid()

    def close(self) -> None:
        """Closes the channel. A hearsay that this process has started gets ten seconds to end."""
        self.channel.close()
        if self._process is None or os.getpid() != self._owner:
            return
        try:
            self._process.wait(_PATIENCE_WITH_CHILD)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait()

    def leave_unused(self, raised: Optional[BaseException]) -> None:
        """Tells hearsay that this program ends without having made a Peer."""
        if not self.is_used and self.channel.is_open:
            text = of_exception(raised, 0) if raised else "it left without a hearsay.Peer"
            self.channel.send(encode_answer(0, LEAVES, text=text))

    def silent_end(self) -> Error:
        """Returns what to raise where hearsay has ended without saying how. Call `close` first."""
        code = self._process.returncode if self._process else 0
        if code > 0:
            return Error(code, f"hearsay has ended with exit code {code}; it says why on its standard error")
        return Error(LOST, "hearsay has ended without a word")


class _Inheritance:
    """The channel that hearsay has given to this program, until a Peer takes it."""

    def __init__(self) -> None:
        self.link: Optional[Link] = None
        self.defect: Optional[str] = None

    def take(self) -> Optional[Link]:
        """Returns the channel, once; None if hearsay did not start this program. Raises Error(2)."""
        if self.defect is not None:
            raise Error(REFUSED, self.defect)
        if self.link is not None and self.link.is_used:
            raise Error(
                REFUSED,
                "this program already computes for a peer; expected one hearsay.Peer in a program "
                "that hearsay has started",
            )
        if self.link is not None:
            self.link.is_used = True
        return self.link


_inheritance = _Inheritance()


def inherit(environment: MutableMapping[str, str]) -> Optional[Link]:
    """Takes HEARSAY_CHANNEL out of the environment, so that no other process takes it for its own.

    Returns the channel; None if there is none.
    """
    global _inheritance
    _inheritance = _Inheritance()
    number = environment.pop("HEARSAY_CHANNEL", None)
    if number is None:
        return None
    try:
        sock = socket.socket(fileno=int(number))
        if sock.family != socket.AF_UNIX or sock.type != socket.SOCK_SEQPACKET:
            sock.detach()
            raise ValueError
    except (ValueError, OSError):
        _inheritance.defect = (
            f"HEARSAY_CHANNEL = {number} is no socket of hearsay's; expected it to be set by "
            "hearsay run, simulate, peer, launch or sweep alone"
        )
        return None
    _inheritance.link = Link(Channel(sock))
    return _inheritance.link


def connect(
    run: Optional[RunFile],
    id: Optional[int],
    settings: Optional[Settings],
    overwrite: bool = False,
    resume: bool = False,
) -> Link:
    """Returns the inherited channel, or else starts `hearsay peer RUN` as a child. Raises Error(2)."""
    inherited = _inheritance.take()
    if inherited is not None:
        return inherited
    if run is None:
        raise Error(
            REFUSED,
            "hearsay has not started this program; expected hearsay run FILE -- python3 train.py, "
            "or the run file as the first argument",
        )
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channel = Channel(ours)
    with theirs:
        words = [find_program(), "peer", os.fspath(run), "--program-fd", str(theirs.fileno())]
        peer = id_of(id, os.environ)
        if peer is not None:
            words += ["--id", str(peer)]
        words += peer_options(overwrite, resume, os.environ) + assignments(settings)
        process = spawn(words, pass_fds=[theirs.fileno()])
    return Link(channel, process)


def id_of(id: Optional[int], environment: Mapping[str, str]) -> Optional[int]:
    """Returns which peer this process is, from the argument, else the environment; None: hearsay may know."""
    if id is not None:
        return id
    found = _identity_in(environment)
    return found[0] if found else None


def identity() -> Tuple[int, int]:
    """Returns which peer this process computes for, and of how many, before a Peer is made: (id, peers).

    So a program can open its own share of the data. Raises Error(2) if the environment does not say it.
    """
    found = _identity_in(os.environ)
    if found is None or found[1] is None:
        raise Error(
            REFUSED,
            "the environment does not say which peer this is, and of how many; expected hearsay run "
            "FILE -- python3 train.py, or HEARSAY_ID and HEARSAY_PEERS",
        )
    return found[0], found[1]


def require_count(id: Optional[int], peers: int) -> None:
    """Raises Error(2) if the environment, which says who this is unless `id` does, means another run."""
    for variable, count in _IDENTITIES:
        if id is None and os.environ.get(variable):
            if os.environ.get(count) and _number(count, os.environ) != peers:
                raise Error(
                    REFUSED,
                    f"{count} = {os.environ[count]}, and the run has {peers} peers; expected as many "
                    "processes as topology.peers",
                )
            return


def _identity_in(environment: Mapping[str, str]) -> Optional[Tuple[int, Optional[int]]]:
    """Returns the id and the number of peers, as far as they are known."""
    for id, peers in _IDENTITIES:
        if environment.get(id):
            return _number(id, environment), _number(peers, environment) if environment.get(peers) else None
    return None


def _number(variable: str, environment: Mapping[str, str]) -> int:
    value = environment[variable]
    if not value.isdecimal():
        raise Error(REFUSED, f"{variable} = {value}; expected a number: 0, 1, ...")
    return int(value)
