"""The record of a run as columns."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

import numpy


def records(directory: Union[str, "os.PathLike[str]"]) -> Dict[str, numpy.ndarray]:
    """Returns metrics.jsonl of a run's folder, a column for each member, as pandas.DataFrame takes them.

    Whole numbers are int64, others float64, with NaN for null. `peer_seconds` becomes three columns,
    "peer_seconds.compute" and so on. Raises FileNotFoundError if it is no folder of a run, and ValueError if a
    line was changed after it was written, or if lines are missing at the end of a run that has ended.
    """
    rows = [_flat(members) for members in _checked(Path(directory))]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: _column([row.get(name) for row in rows]) for name in names}


def _checked(directory: Path) -> List[Dict[str, Any]]:
    """Returns the lines without their checksums. A record of an earlier version has none."""
    file = directory / "metrics.jsonl"
    told_of_end = _told_of_metrics(directory / "summary.json")  # first: a run that goes on appends lines
    rows = []
    crc = 0
    for number, line in enumerate(file.read_text().split("\n")[:-1], 1):  # a half-written last line is left out
        members = json.loads(line)
        text, mark, told = line.rpartition(',"crc32":')
        if mark or crc:
            crc = zlib.crc32(text.encode(), crc)
            if told != f'"{crc:08x}"}}':
                raise ValueError(
                    f"{file}, line {number}: it was changed after it was written, or a line before it was; "
                    "expected the file as the run wrote it"
                )
            del members["crc32"]
        rows.append(members)
    if told_of_end is not None and told_of_end != f"{crc:08x}":
        end = f"line {len(rows)}: it is not the last line of the run" if rows else "it lacks the lines of the run"
        raise ValueError(
            f"{file}, {end}, whose crc32 is {told_of_end} according to summary.json; "
            "expected the file as the run wrote it"
        )
    return rows


def _told_of_metrics(summary: Path) -> Optional[str]:
    """Returns the checksum of the last line of metrics.jsonl, which the summary of an ended run tells."""
    if not summary.is_file():
        return None
    try:
        members = json.loads(summary.read_text())
        told = members.get("crc32_of", {}).get("metrics.jsonl")
    except (ValueError, AttributeError):
        raise ValueError(f"{summary}: it is damaged; expected the file as the run wrote it") from None
    return None if told is None else str(told)


def _flat(members: Dict[str, Any], prefix: str = "") -> Dict[str, Any]:
    flat: Dict[str, Any] = {}
    for name, value in members.items():
        flat.update(_flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value})
    return flat


def _column(values: List[Any]) -> numpy.ndarray:
    if all(type(value) is int for value in values):
        return numpy.array(values, numpy.int64)
    if all(value is None or isinstance(value, (int, float)) for value in values):
        return numpy.array([numpy.nan if value is None else value for value in values], numpy.float64)
    column = numpy.empty(len(values), object)
    column[:] = values
    return column
