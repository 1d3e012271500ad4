"""What a compressor makes of a vector."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy

from .command import find_program
from .error import Error


class Compressed(NamedTuple):
    """A message, as its receivers see it."""

    decoded: numpy.ndarray  # C(x), of x's shape
    bytes: int  # of the message, without the header of its frame
    relative_error: float  # ||C(x) - x|| / ||x||

    @property
    def bits_per_number(self) -> float:
        return 8 * self.bytes / self.decoded.size


def compress(compressor: str, x: numpy.ndarray, *, seed: int = 1) -> Compressed:
    """Compresses x and decodes the message, as `hearsay codec` does.

    compressor: as algorithm.compressor spells it, "topk(1%)". x: float64 is compressed as double, any other
    type as float; two dimensions are a matrix, for compressors that ask. seed: of what the compressor draws.
    Raises Error(2) if the spelling is none, or if x cannot be compressed.
    """
    x = numpy.asarray(x)
    scalar = numpy.float64 if x.dtype == numpy.float64 else numpy.float32
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(Path(folder) / "x.npy", numpy.ascontiguousarray(x, scalar))
        words = [find_program(), "codec", compressor, "x.npy", "--output", "decoded.npy", "--json"]
        words += ["--scalar", "double" if scalar is numpy.float64 else "float", "--seed", str(seed)]
        end = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if end.returncode != 0:
            raise Error(end.returncode, end.stderr.strip().removeprefix("hearsay: "))
        figures = json.loads(end.stdout)
        decoded = numpy.load(Path(folder) / "decoded.npy").reshape(x.shape)
    return Compressed(decoded, figures["bytes"], figures["relative_error"])
