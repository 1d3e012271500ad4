"""What goes wrong in a run, as an exception."""

from __future__ import annotations

REFUSED = 2
LOST = 3
DIVERGED = 4
INTERRUPTED = 130


class Error(RuntimeError):
    """A run that did not come to its end; the text is hearsay's own sentence.

    code: 2 the input was refused, 3 a peer was lost, 4 the run diverged, 130 it was interrupted, 1 a bug.
    """

    def __init__(self, code: int, text: str):
        super().__init__(text)
        self.code = code
