"""Questions and answers as bytes: version 1 of the protocol in runtime/program/README.md."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import NamedTuple, Optional, Sequence, Tuple

VERSION = 1
HELLO_LIMIT = 131_072
TEXT_LIMIT = 2_048  # bytes of text after an answer

# Kinds of questions.
GRADIENT, SCORE, END = 1, 2, 3
# Outcomes of answers.
ANSWERED, FAILED, LEAVES, STOPS = 0, 1, 2, 3

_QUESTION = struct.Struct("<IIQQQQd")
_ANSWER = struct.Struct("<QIIdQQ")
_OF_TEST_SAMPLES = 1

Layer = Tuple[str, int, int]
Fixed = Tuple[str, str]  # its name, and what it is


class Question(NamedTuple):
    kind: int
    number: int
    seed: int = 0
    samples: int = 0
    iteration: int = 0
    step_size: float = 0.0
    text: str = ""


class Score(NamedTuple):
    """f_i(x), and how many of the `judged` samples were classified correctly; judged = 0: no classifier."""

    loss: float
    hits: int = 0
    judged: int = 0
    of_test_samples: bool = True


def encode_hello(dimension: int, samples: int, scalar: str, layers: Optional[Sequence[Layer]]) -> bytes:
    """Raises ValueError if the names of the layers make the hello longer than 131,072 bytes."""
    hello = {
        "protocol": VERSION,
        "dimension": dimension,
        "samples": samples,
        "scalar": scalar,
        "scores": True,
    }
    if layers is not None:
        hello["layers"] = [list(layer) for layer in layers]
    message = json.dumps(hello, separators=(",", ":"), ensure_ascii=False).encode()
    if len(message) > HELLO_LIMIT:
        raise ValueError(
            f"{len(layers or ())} layers take {len(message)} bytes; expected {HELLO_LIMIT} at most: "
            "join some, or shorten their names"
        )
    return message


def encode_question(question: Question) -> bytes:
    return (
        _QUESTION.pack(
            question.kind,
            0,
            question.number,
            question.seed,
            question.samples,
            question.iteration,
            question.step_size,
        )
        + question.text.encode()
    )


def decode_question(message: bytes) -> Question:
    """Raises ValueError if the bytes are no question."""
    if len(message) < _QUESTION.size:
        raise ValueError(f"a question of {len(message)} bytes; expected {_QUESTION.size} at least")
    kind, _, number, seed, samples, iteration, step_size = _QUESTION.unpack_from(message)
    if kind not in (GRADIENT, SCORE, END):
        raise ValueError(f"a question of kind {kind}; expected 1, 2 or 3")
    text = message[_QUESTION.size :].decode()
    return Question(kind, number, seed, samples, iteration, step_size, text)


def is_end(message: bytes) -> bool:
    """True if the message says that the run has ended, which it may before there are any facts."""
    return message[:4] == struct.pack("<I", END)


def encode_answer(number: int, outcome: int = ANSWERED, score: Score = Score(0.0), text: str = "") -> bytes:
    flags = _OF_TEST_SAMPLES if score.judged and score.of_test_samples else 0
    return _ANSWER.pack(number, outcome, flags, score.loss, score.hits, score.judged) + _cut(text)


def encode_ready(fixed: Sequence[Fixed]) -> bytes:
    """Answer 0: x_0 is there. `fixed`: what else the objective depends on.

    A list that is too long for a message becomes a digest.
    """
    text = json.dumps({"fixed": [list(one) for one in fixed]}, separators=(",", ":"), ensure_ascii=False)
    if _ANSWER.size + len(text.encode()) > HELLO_LIMIT:
        what = f"{len(fixed)} entries, values {hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"
        text = json.dumps({"fixed": [["what it does not train", what]]})
    return encode_answer(0) + (text.encode() if fixed else b"")


def decode_answer(message: bytes) -> Tuple[int, int, Score, str]:
    """Returns number, outcome, score and text."""
    number, outcome, flags, loss, hits, judged = _ANSWER.unpack_from(message)
    return (
        number,
        outcome,
        Score(loss, hits, judged, flags == _OF_TEST_SAMPLES),
        message[_ANSWER.size :].decode(),
    )


def _cut(text: str) -> bytes:
    """The text as UTF-8, cut at the limit, between two characters."""
    return text.encode(errors="replace")[:TEXT_LIMIT].decode(errors="ignore").encode()
