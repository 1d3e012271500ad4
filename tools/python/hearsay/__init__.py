"""Trains a model of yours with hearsay: your program computes losses and gradients, hearsay does the rest.

`hearsay run run.toml -- python3 train.py` starts `train.py` for every peer; in it, hearsay.Peer or
hearsay.torch.
"""

import io as _io
import os as _os
import sys as _sys

from . import last_words as _last_words
from .codec import Compressed, compress
from .command import find_program, run
from .error import Error
from .peer import Ask, Peer, serve
from .protocol import Score
from .record import records
from .simulation import simulate
from .start import identity
from .start import inherit as _inherit

__version__ = "0.1.0"
__all__ = [
    "Ask",
    "Compressed",
    "Error",
    "Peer",
    "Score",
    "compress",
    "find_program",
    "identity",
    "records",
    "run",
    "serve",
    "simulate",
]

# At once, so that hearsay hears of whatever goes wrong from here on.
_link = _inherit(_os.environ)
if _link is not None:
    _last_words.at_exit(_link.leave_unused)
    _last_words.say_error_once()
    if isinstance(_sys.stdout, _io.TextIOWrapper):
        _sys.stdout.reconfigure(line_buffering=True)  # its lines come out while the run goes on
