"""hearsay.compress: what receivers decode, in how many bytes."""

import hearsay
import numpy
import pytest


def random_vector(size, dtype=numpy.float32):
    return numpy.random.default_rng(5).normal(size=size).astype(dtype)


def test_the_largest_numbers_are_kept(folder):
    x = random_vector(1000)
    sent = hearsay.compress("topk(1%)", x)
    kept = numpy.argsort(-abs(x))[:10]
    expected = numpy.zeros_like(x)
    expected[kept] = x[kept]
    assert (sent.decoded == expected).all()
    assert sent.relative_error == pytest.approx(
        numpy.linalg.norm(expected - x) / numpy.linalg.norm(x), rel=1e-6
    )
    assert sent.bits_per_number == 8 * sent.bytes / 1000


@pytest.mark.parametrize("dtype, size", [(numpy.float32, 4), (numpy.float64, 8)])
def test_full_precision_keeps_every_bit_of_its_type(folder, dtype, size):
    x = random_vector((8, 16), dtype)
    sent = hearsay.compress("none", x)
    assert sent.decoded.dtype == dtype and sent.decoded.shape == (8, 16)
    assert (sent.decoded == x).all() and sent.relative_error == 0
    assert sent.bytes == size * 128


def test_the_seed_decides_what_is_drawn(folder):
    x = random_vector(500)
    first, again, other = (
        hearsay.compress("dither(linf, bits=2)", x, seed=seed).decoded for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_what_cannot_be_compressed_is_said_in_a_sentence(folder):
    with pytest.raises(hearsay.Error, match="topq"):
        hearsay.compress("topq(1%)", numpy.ones(3))
    with pytest.raises(hearsay.Error, match="finite"):
        hearsay.compress("dither(linf, bits=4)", numpy.array([1.0, numpy.nan]))
    with pytest.raises(hearsay.Error, match="no numbers"):
        hearsay.compress("none", numpy.zeros(0))
