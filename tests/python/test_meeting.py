"""How hearsay and a program meet, and what they tell one another before and after the gradients."""

import hearsay
import numpy
import pytest
from hearsay import protocol
from test_peer import X0, peer, train


def test_counts_of_every_library_are_counts(fake):
    fake.start(lambda: train(loss=lambda x: (1.0, numpy.int64(3), numpy.array(4)), samples=numpy.uint8(5)))
    assert fake.meet()["samples"] == 5
    assert fake.ask_score(X0) == (1.0, 3, 4, True)
    fake.end()
    fake.join()


@pytest.mark.parametrize("samples, loss", [(0, 0.0), (5, None)])
def test_no_number_is_the_loss_of_no_samples_only(fake, samples, loss):
    fake.start(lambda: train(loss=lambda x: float("nan"), samples=samples))
    fake.meet()
    told = fake.ask_score(X0).loss
    assert told == loss if loss is not None else numpy.isnan(told)
    fake.end()
    fake.join()


def test_what_is_fixed_is_told_with_x0(fake):
    fake.start(lambda: train(fixed=[("mask", "1a2b")]))
    fake.meet()
    assert fake.fixed == {"mask": "1a2b"}
    fake.end()
    fake.join()


def test_a_long_list_of_what_is_fixed_becomes_a_digest():
    texts = [
        protocol.encode_ready([(f"layer {k}", what) for k in range(9000)]) for what in ("one", "one", "other")
    ]
    assert texts[0] == texts[1] != texts[2] and len(texts[0]) < 200


def test_x0_may_change_until_the_loop_begins(fake):
    def program():
        x0 = X0.copy()
        with peer(x0=x0, at_start=lambda: (x0, [])) as mine:
            x0[:] = 7.0
            for ask in mine:
                ask.gradient[:] = 0

    fake.start(program)
    fake.meet()
    assert fake.x.tolist() == [7.0] * 3
    fake.end()
    fake.join()


@pytest.mark.parametrize("code", [2, 3, 130])
def test_the_end_may_come_before_the_facts(fake, code):
    fake.start(train)
    fake.hello()
    fake.end_before_the_facts(code, "peer 0 has other layers")
    with pytest.raises(hearsay.Error, match="^peer 0 has other layers$") as raised:
        fake.join()
    assert raised.value.code == code


def test_what_hearsay_said_before_it_left_counts(fake):
    fake.start(train)
    fake.meet()
    fake.send_gradient([0, 0, 0], [0])
    fake.wait_for_an_answer()
    fake.end(code=3, reason="peer 2: it was lost")
    fake._socket.close()  # with an answer unread
    with pytest.raises(hearsay.Error, match="^peer 2: it was lost$"):
        fake.join()
