"""What hearsay hears of a program that ends before its run does."""

from __future__ import annotations

import atexit
import sys
import traceback
from types import TracebackType
from typing import Callable, List, Optional, Type

from .error import Error

Leave = Callable[[Optional[BaseException]], None]

_leaves: List[Leave] = []


def at_exit(leave: Leave) -> None:
    """Calls `leave` at the end of the process, with the exception that nobody caught, or None."""
    _leaves.append(leave)


def not_at_exit(leave: Leave) -> None:
    if leave in _leaves:
        _leaves.remove(leave)


@atexit.register
def _leave_all() -> None:
    raised = getattr(sys, "last_value", None)  # set by the interpreter before it prints a traceback
    for leave in list(_leaves):
        leave(raised)


def say_error_once() -> None:
    """Lets an Error that nobody caught end the process without a traceback: hearsay says its sentence."""
    before = sys.excepthook

    def hook(kind: Type[BaseException], raised: BaseException, where: Optional[TracebackType]) -> None:
        if not isinstance(raised, Error):
            before(kind, raised, where)

    sys.excepthook = hook


def of_exception(raised: Optional[BaseException], iteration: int) -> str:
    """Returns "ValueError: a bad sample"; without an exception, or at sys.exit, where the program left."""
    if raised is None or isinstance(raised, (SystemExit, GeneratorExit)):
        return f"left at iteration {iteration}" if iteration else "left before the first iteration"
    if isinstance(raised, Error):
        return str(raised)
    return traceback.format_exception_only(type(raised), raised)[-1].strip()
