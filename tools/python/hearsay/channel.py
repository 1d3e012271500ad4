"""The socket to hearsay, and the memory shared with it."""

from __future__ import annotations

import mmap
import os
import socket
import struct
import weakref
from typing import Any, Mapping, Optional, Tuple

import numpy

_LARGEST_MESSAGE = 1 << 17


class Channel:
    """One end of a SOCK_SEQPACKET socket; a message is a datagram. A fork closes it in the child."""

    def __init__(self, sock: socket.socket):
        sock.set_inheritable(False)
        self._socket = sock
        self._is_of_parent = False
        _channels.add(self)

    @property
    def is_open(self) -> bool:
        return self._socket.fileno() >= 0

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: bytes) -> bool:
        """False if hearsay is gone."""
        self._require_own_process()
        try:
            self._socket.send(message, socket.MSG_NOSIGNAL)
            return True
        except OSError:
            return False

    def receive(self) -> Tuple[bytes, Optional[int]]:
        """Waits for a message. Returns it, b"" if hearsay is gone, and a descriptor that came beside it."""
        self._require_own_process()
        one = struct.Struct("i")
        while True:
            try:
                message, beside, _, _ = self._socket.recvmsg(
                    _LARGEST_MESSAGE, socket.CMSG_SPACE(one.size), socket.MSG_CMSG_CLOEXEC
                )
                break
            except ConnectionResetError:  # hearsay left an answer unread; what it has said comes after that
                continue
            except ConnectionError:
                return b"", None
        for level, kind, data in beside:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS and len(data) >= one.size:
                return message, one.unpack_from(data)[0]
        return message, None

    def close(self) -> None:
        self._socket.close()

    def leave_to_parent(self) -> None:
        """In a process that was forked: only the parent may answer, and only the parent's end counts."""
        self._socket.close()
        self._is_of_parent = True

    def _require_own_process(self) -> None:
        if self._is_of_parent:
            raise RuntimeError(
                "this process was forked from the program of a peer; expected questions to be "
                "answered where hearsay.Peer was made"
            )


_channels: "weakref.WeakSet[Channel]" = weakref.WeakSet()


def _close_in_child() -> None:
    for channel in list(_channels):
        channel.leave_to_parent()


# Workers of a DataLoader, say: with the socket open in them, hearsay would not see this program end.
os.register_at_fork(after_in_child=_close_in_child)


class SharedMemory:
    """x, gradient and sample numbers, as views of the memory that the facts describe."""

    def __init__(self, descriptor: int, facts: Mapping[str, Any], dimension: int, scalar: Any):
        """Closes the descriptor."""
        try:
            memory = mmap.mmap(descriptor, facts["memory"])
        finally:
            os.close(descriptor)
        self.x = numpy.frombuffer(memory, scalar, dimension, facts["x"])  # d scalars
        self.gradient = numpy.frombuffer(memory, scalar, dimension, facts["gradient"])  # d scalars
        self._samples = numpy.frombuffer(
            memory, "<i8", offset=facts["samples"], count=(facts["memory"] - facts["samples"]) // 8
        )
        self.point = _read_only(self.x)
        self._gradient_bits = self.gradient.view(f"u{self.gradient.itemsize}")
        self._mark = numpy.iinfo(self._gradient_bits.dtype).max  # as a float a NaN that no arithmetic gives

    def mark_gradient(self) -> None:
        """Makes all coordinates NaN: one that is left out is noticed, and not that of the question before."""
        self._gradient_bits.fill(self._mark)

    def require_gradient(self, iteration: int, expected: str) -> None:
        """Raises RuntimeError if nobody has written the first or the last coordinate since they were marked.

        Others that are left out are found as every NaN in a gradient is, by hearsay."""
        if self._mark in (self._gradient_bits[0], self._gradient_bits[-1]):
            raise RuntimeError(
                f"the gradient of iteration {iteration} was not computed; expected {expected}"
            )

    def samples(self, count: int) -> numpy.ndarray:
        """The first `count` sample numbers, read-only."""
        return _read_only(self._samples[:count])


def _read_only(array: numpy.ndarray) -> numpy.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
