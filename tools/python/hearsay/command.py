"""The program hearsay: where it is, and running it to its end."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .error import REFUSED, Error

RunFile = Union[str, "os.PathLike[str]"]
Settings = Mapping[str, Any]


def find_program() -> str:
    """Returns the path of hearsay: HEARSAY_PROGRAM, else beside this package, else in PATH.

    Raises Error(2) if it is nowhere.
    """
    named = os.environ.get("HEARSAY_PROGRAM")
    if named:
        return named
    package = Path(__file__).resolve().parent
    # From tools/python/hearsay of a source tree; from share/hearsay/python/hearsay or site-packages/hearsay
    # of a prefix.
    for candidate in (package.parents[2] / "build" / "hearsay", package.parents[3] / "bin" / "hearsay"):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("hearsay")
    if found is None:
        raise Error(
            REFUSED, "the program hearsay was not found; expected it in PATH, or its path in HEARSAY_PROGRAM"
        )
    return found


def assignments(settings: Optional[Settings]) -> List[str]:
    """Returns {"run.iterations": 100} as ["--set", "run.iterations=100"]; None takes a key out: --unset."""
    words = []
    for key, value in (settings or {}).items():
        words += ["--unset", key] if value is None else ["--set", f"{key}={_toml(value)}"]
    return words


def peer_options(overwrite: bool, resume: bool, environment: Mapping[str, str]) -> List[str]:
    """Returns the options of a `hearsay peer` that a program starts: its arguments, then HEARSAY_OPTIONS.

    Raises Error(2) if HEARSAY_OPTIONS cannot be read as a shell would.
    """
    try:
        words = shlex.split(environment.get("HEARSAY_OPTIONS", ""))
    except ValueError as error:
        raise Error(
            REFUSED,
            f"HEARSAY_OPTIONS = {environment['HEARSAY_OPTIONS']}: {error}; expected options of hearsay peer, "
            "quoted as for a shell",
        ) from error
    for word, wanted in (("--overwrite", overwrite), ("--resume", resume)):
        if wanted and word not in words:
            words.append(word)
    return words


def _toml(value: Any) -> str:
    if isinstance(value, str):  # as it stands, as on a command line: "topk(5%)", "5 ms"
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return (
            "["
            + ", ".join(json.dumps(item) if isinstance(item, str) else _toml(item) for item in value)
            + "]"
        )
    return str(value)


def spawn(words: Sequence[str], **how: Any) -> "subprocess.Popen[bytes]":
    """Starts a process without standard input. Raises Error(2) if that is not possible."""
    try:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, **how)
    except OSError as error:
        raise Error(REFUSED, f"{words[0]} cannot be started: {error.strerror}") from error


class Run:
    """A hearsay that runs to its end. Its standard error is copied to ours; its record comes as JSON."""

    def __init__(
        self,
        command: str,
        run: RunFile,
        *,
        settings: Optional[Settings],
        output: Optional[RunFile],
        overwrite: bool,
        program: Sequence[str],
    ):
        words = [find_program(), command, os.fspath(run), "--json", *assignments(settings)]
        if output is not None:
            words += ["--output", os.fspath(output)]
        if overwrite:
            words.append("--overwrite")
        self._output = output
        self._record = tempfile.TemporaryFile()
        self._said: List[str] = []
        self._rest = b""
        self.process = spawn(
            [*words, "--", *map(os.fspath, program)], stdout=self._record, stderr=subprocess.PIPE
        )

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *raised: Any) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.process.stderr.close()
        self._record.close()

    def fileno(self) -> int:
        """Readable when there is something for `listen`."""
        return self.process.stderr.fileno()

    def listen(self) -> bool:
        """Takes in what hearsay says on its standard error. False once it has said all."""
        said = os.read(self.fileno(), 1 << 16)
        lines = (self._rest + said).split(b"\n")
        self._rest = lines.pop()
        if not said and self._rest:
            lines.append(self._rest)
        for line in lines:
            text = line.decode(errors="replace")
            print(text, file=sys.stderr, flush=True)
            self._said.append(text)
        del self._said[:-20]
        return bool(said)

    def result(self) -> Dict[str, Any]:
        """Waits for the end. Returns the summary, with `output`, the folder of the record. Raises Error."""
        code = self.process.wait()
        if code != 0:
            raise Error(code, self._sentence() or f"hearsay has ended with exit code {code}")
        self._record.seek(0)
        summary = json.loads(self._record.read())
        summary["output"] = str(Path(self._output or Path("runs") / summary["run"]).absolute())
        return summary

    def _sentence(self) -> str:
        beginning = "hearsay: "
        said = [line[len(beginning) :] for line in self._said if line.startswith(beginning)]
        return said[-1] if said else ""


def run(
    run: RunFile,
    command: Sequence[str],
    *,
    set: Optional[Settings] = None,
    output: Optional[RunFile] = None,
    overwrite: bool = False,
    driver: str = "run",
) -> Dict[str, Any]:
    """Does what `hearsay run FILE -- COMMAND` does, and returns the members of summary.json.

    command: ["python3", "train.py"]; set: {"run.iterations": 100}; output: the folder of the record;
    driver: "run", or "simulate" for virtual time. Raises Error.
    """
    if isinstance(command, str) or not command:
        raise TypeError(f'command = {command!r}; expected a list of words, such as ["python3", "train.py"]')
    with Run(driver, run, settings=set, output=output, overwrite=overwrite, program=command) as hearsay:
        while hearsay.listen():
            pass
        return hearsay.result()
