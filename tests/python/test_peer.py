"""hearsay.Peer against a peer of the test's own: what is asked, what is answered, and how they part."""

from decimal import Decimal
from fractions import Fraction

import hearsay
import numpy
import pytest
from hearsay import protocol
from hearsay.checks import as_score, sample_count

X0 = numpy.array([1.0, 2.0, 3.0], numpy.float32)


def quadratic(x):
    return 0.5 * float(x @ x)


def peer(**changed):
    return hearsay.Peer(**{"x0": X0, "samples": 5, "loss": quadratic, **changed})


def train(**changed):
    """A program that trains to the end, with the gradient x + number of samples."""
    with peer(**changed) as mine:
        for ask in mine:
            ask.gradient[:] = ask.x + len(ask.samples)
    return mine


def test_the_hello_says_what_the_program_computes(fake):
    fake.start(lambda: train(layers=[("weight", 1, 2), ("bias", 1, 1)]))
    assert fake.meet() == {
        "protocol": 1,
        "dimension": 3,
        "samples": 5,
        "scalar": "float",
        "scores": True,
        "layers": [["weight", 1, 2], ["bias", 1, 1]],
    }
    assert numpy.array_equal(fake.x, X0)
    fake.end()
    fake.join()


def test_double_is_the_scalar_of_float64(fake):
    fake.start(lambda: train(x0=X0.astype(numpy.float64)))
    assert fake.meet()["scalar"] == "double"
    assert numpy.array_equal(fake.ask_gradient([0.1, 0.2, 0.3], [0]), numpy.array([0.1, 0.2, 0.3]) + 1)
    fake.end()
    fake.join()


def test_the_facts_of_the_run_are_attributes(fake):
    fake.start(train)
    fake.meet(batch=None, iterations=None, settings={"algorithm.optimizer": "sgd"})
    fake.end()
    mine = fake.join()
    assert (mine.id, mine.count, mine.seed, mine.iterations, mine.batch) == (1, 4, 5, None, None)
    assert mine.settings == {"algorithm.optimizer": "sgd"}


def test_an_ask_has_point_samples_seed_and_iteration(fake):
    asks = []

    def program():
        with peer() as mine:
            for ask in mine:
                asks.append((ask.x.tolist(), ask.samples.tolist(), ask.seed, ask.iteration))
                assert not ask.x.flags.writeable and not ask.samples.flags.writeable
                ask.gradient = ask.x * 2

    fake.start(program)
    fake.meet()
    assert fake.ask_gradient([1, 2, 3], [4, 4], seed=2**63 - 1, iteration=9).tolist() == [2, 4, 6]
    assert fake.ask_gradient([0, 0, 1], [], seed=0, iteration=10).tolist() == [0, 0, 2]
    fake.end()
    fake.join()
    assert asks == [([1, 2, 3], [4, 4], 2**63 - 1, 9), ([0, 0, 1], [], 0, 10)]


@pytest.mark.parametrize(
    "returned, expected",
    [
        (2.5, (2.5, 0, 0, False)),
        (numpy.float32(0.5), (0.5, 0, 0, False)),
        ((1.5, 7, 9), (1.5, 7, 9, True)),
        (hearsay.Score(1.0, 3, 4, of_test_samples=False), (1.0, 3, 4, False)),
    ],
)
def test_a_score_is_a_loss_or_also_counts_hits(fake, returned, expected):
    fake.start(lambda: train(loss=lambda x: returned))
    fake.meet()
    assert fake.ask_score([1, 1, 1]) == expected
    fake.end()
    fake.join()


@pytest.mark.parametrize(
    "loss",
    ["0.5", b"1", numpy.str_("1"), numpy.array("1"), bytearray(b"1"), True, numpy.bool_(True), None, 1 + 0j]
    + [numpy.complex64(1), numpy.array([1.0, 2.0]), 10**400]
    + [numpy.array(True, dtype=object), numpy.array("1", dtype=object), memoryview(b"1")],
    ids=str,
)
def test_a_loss_that_is_no_real_number_is_refused(loss):
    for returned in (loss, (loss, 1, 2), hearsay.Score(loss, 0, 0, True)):
        with pytest.raises(TypeError, match=r"^loss returned .*; expected a number, or \(loss, hits, judged\)$"):
            as_score(returned, 1.0, 5)


@pytest.mark.parametrize(
    "loss", [numpy.float64(0.5), numpy.array(0.5), numpy.array([0.5]), Decimal("0.5"), Fraction(1, 2)]
)
def test_a_loss_is_a_real_number_of_any_library(loss):
    assert as_score(loss, 2.0, 5).loss == 1.0


@pytest.mark.parametrize(
    "samples", [True, numpy.bool_(False), -1, 2.0, "5", None, float("nan"), 2**31, numpy.array([5])]
)
def test_samples_that_are_no_count_are_refused(samples):
    with pytest.raises((TypeError, ValueError), match="^samples = .*; expected "):
        sample_count(samples)


@pytest.mark.parametrize("samples", [0, 5, numpy.int64(5), numpy.uint8(5), numpy.array(5), 2**31 - 1])
def test_samples_are_a_count_of_any_library(samples):
    assert sample_count(samples) == int(samples)


def test_losses_and_gradients_are_asked_in_any_order(fake):
    fake.start(train)
    fake.meet()
    assert fake.ask_score([2, 0, 0]).loss == 2.0
    assert fake.ask_gradient([2, 0, 0], [1, 2]).tolist() == [4, 2, 2]
    assert fake.ask_score([0, 0, 0]).loss == 0.0
    assert fake.ask_score([4, 0, 0]).loss == 8.0
    fake.end()
    fake.join()


def test_the_weight_multiplies_loss_and_gradient(fake):
    fake.start(lambda: train(weight=3.0))
    fake.meet()
    assert fake.ask_gradient([1, 0, 0], []).tolist() == [3, 0, 0]
    assert fake.ask_score([2, 0, 0]).loss == 6.0
    fake.end()
    fake.join()


def test_after_the_end_the_model_is_there_and_the_summary(fake, tmp_path):
    (tmp_path / "summary.json").write_text('{"status": "done", "loss": 0.5}')
    fake.start(train)
    fake.meet()
    fake.end(x=[7, 8, 9], output=str(tmp_path))
    mine = fake.join()
    assert mine.model.tolist() == [7, 8, 9]
    assert mine.summary == {"status": "done", "loss": 0.5, "code": 0, "reason": "", "output": str(tmp_path)}
    assert fake.hears_the_end()


@pytest.mark.parametrize(
    "code, reason",
    [(2, 'run.scalar = "float"'), (3, "peer 2: it was lost"), (4, "the run diverged"), (130, "interrupted")],
)
def test_a_run_without_a_good_end_raises_its_sentence(fake, code, reason):
    fake.start(train)
    fake.meet()
    fake.end(code=code, reason=reason)
    with pytest.raises(hearsay.Error, match=reason) as raised:
        fake.join()
    assert raised.value.code == code


def test_a_program_that_cannot_be_used_hears_why(fake):
    fake.start(train)
    fake.hello()
    fake.refuse("the program of peer 1 has another dimension")
    with pytest.raises(hearsay.Error, match="another dimension") as raised:
        fake.join()
    assert raised.value.code == 2


def test_a_refusal_may_come_after_the_facts(fake):
    fake.start(train)
    fake.meet()
    fake.refuse("no")
    with pytest.raises(hearsay.Error, match="^no$"):
        fake.join()


def test_without_hearsay_the_run_is_lost(fake):
    fake.start(train)
    fake.meet()
    fake._socket.close()
    with pytest.raises(hearsay.Error, match="without a word") as raised:
        fake.join()
    assert raised.value.code == 3


def test_what_a_gradient_raises_is_told_by_with(fake):
    def program():
        with peer() as mine:
            for ask in mine:
                raise ValueError("a bad sample")

    fake.start(program)
    fake.meet()
    fake.send_gradient([0, 0, 0], [0], iteration=15)
    assert fake.answer() == (1, protocol.FAILED, (0.0, 0, 0, False), "ValueError: a bad sample")
    assert fake.hears_the_end()
    with pytest.raises(ValueError, match="a bad sample"):
        fake.join()


def test_what_a_loss_raises_is_told_by_with(fake):
    def loss(x):
        raise numpy.linalg.LinAlgError("singular")

    fake.start(lambda: train(loss=loss))
    fake.meet()
    fake._ask(protocol.SCORE, [0, 0, 0])
    assert fake.answer()[::3] == (1, "numpy.linalg.LinAlgError: singular")
    with pytest.raises(numpy.linalg.LinAlgError):
        fake.join()


def test_a_text_is_cut_between_two_characters(fake):
    def program():
        with peer() as mine:
            for ask in mine:
                raise ValueError("x" + "\N{GREEK SMALL LETTER ALPHA}" * 2000)

    fake.start(program)
    fake.meet()
    fake.send_gradient([0, 0, 0], [0])
    assert fake.answer()[3] == "ValueError: x" + "\N{GREEK SMALL LETTER ALPHA}" * 1017
    with pytest.raises(ValueError):
        fake.join()


def test_leaving_early_is_told(fake):
    def program():
        with peer() as mine:
            for ask in mine:
                if ask.iteration == 3:
                    break
                ask.gradient[:] = 0

    fake.start(program)
    fake.meet()
    fake.ask_gradient([0, 0, 0], [0], iteration=2)
    fake.send_gradient([0, 0, 0], [0], iteration=3)
    assert fake.answer()[1::2] == (protocol.LEAVES, "left at iteration 3")
    fake.join()


def test_leaving_before_the_loop_is_told(fake):
    fake.start(lambda: peer().close())
    fake.meet()
    assert fake.answer()[1::2] == (protocol.LEAVES, "left before the first iteration")
    fake.join()


def test_stop_ends_the_run_without_an_error_here(fake):
    def program():
        with peer() as mine:
            for ask in mine:
                ask.gradient[:] = 0
                mine.stop()
        return mine.summary["code"]

    fake.start(program)
    fake.meet()
    fake.send_gradient([0, 0, 0], [0])
    assert fake.answer()[1] == protocol.STOPS
    assert fake.ask_score([2, 0, 0]).loss == 2.0
    fake.end(code=130, reason="interrupted")
    assert fake.join() == 130


def test_ctrl_c_ends_the_run(fake):
    def program():
        with peer() as mine:
            for ask in mine:
                raise KeyboardInterrupt

    fake.start(program)
    fake.meet()
    fake.send_gradient([0, 0, 0], [0])
    assert fake.answer()[1] == protocol.STOPS
    with pytest.raises(KeyboardInterrupt):
        fake.join()


def test_a_gradient_that_was_not_computed_is_no_answer(fake):
    def program():
        with peer() as mine:
            for ask in mine:
                gradient = ask.x * 2  # noqa: F841

    fake.start(program)
    fake.meet()
    fake.send_gradient([0, 0, 0], [0], iteration=4)
    assert "the gradient of iteration 4 was not computed" in fake.answer()[3]
    with pytest.raises(RuntimeError, match="was not computed"):
        fake.join()


def test_a_gradient_that_did_not_fit_is_none_even_if_the_program_goes_on(fake):
    def program():
        with peer() as mine:
            for ask in mine:
                try:
                    ask.gradient = ask.x * 2 if ask.iteration == 1 else numpy.zeros(7)
                except ValueError:
                    pass

    fake.start(program)
    fake.meet()
    fake.ask_gradient([1, 1, 1], [0], iteration=1)
    fake.send_gradient([0, 0, 0], [0], iteration=2)
    assert "the gradient of iteration 2 was not computed" in fake.answer()[3]
    with pytest.raises(RuntimeError, match="was not computed"):
        fake.join()


def test_a_gradient_of_nan_is_an_answer(fake):
    def program():
        with peer() as mine:
            for ask in mine:
                ask.gradient[:] = numpy.nan

    fake.start(program)
    fake.meet()
    assert numpy.isnan(fake.ask_gradient([0, 0, 0], [0])).all()
    fake.end(code=4, reason="the run diverged")
    with pytest.raises(hearsay.Error):
        fake.join()


def test_serve_asks_an_object(fake):
    class Objective:
        x0, samples, layers = X0, 5, [("all", 1, 3)]

        def gradient(self, x, samples, out, seed):
            out[:] = x * seed

        def loss(self, x):
            return 4.0, 1, 2

    fake.start(lambda: hearsay.serve(Objective()))
    assert fake.meet()["layers"] == [["all", 1, 3]]
    assert fake.ask_gradient([1, 2, 3], [0], seed=3).tolist() == [3, 6, 9]
    assert fake.ask_score([0, 0, 0]) == (4.0, 1, 2, True)
    fake.end()
    assert fake.join()["code"] == 0


@pytest.mark.parametrize(
    "changed, sentence",
    [
        ({"x0": numpy.zeros(3, numpy.float16)}, "x0 holds float16; expected float32"),
        ({"x0": [1, 2]}, "x0 holds int64; expected float32"),
        ({"x0": numpy.zeros((2, 2), numpy.float32)}, r"x0 has shape \(2, 2\); expected a vector"),
        ({"x0": numpy.zeros(0, numpy.float32)}, "expected a vector of one parameter or more"),
        ({"samples": 2.5}, "samples = 2.5; expected how many"),
        ({"samples": -1}, "samples = -1; expected 0 or more"),
        ({"samples": 5.0}, "samples = 5.0; expected how many"),
        ({"samples": True}, "samples = True; expected how many"),
        ({"layers": [("a", 1.5, 2)]}, "layer a has 1.5 rows and 2 columns; expected two whole numbers"),
        ({"layers": [("a", 3)]}, "layers = \\[\\('a', 3\\)\\]; expected \\(name, rows, columns\\) for each"),
        ({"layers": 3}, "layers = 3; expected \\(name, rows, columns\\) for each layer"),
        ({"fixed": "mask"}, "fixed = 'mask'; expected \\(name, what\\), two texts, for each part"),
        ({"fixed": [("mask", 3)]}, "fixed = \\[\\('mask', 3\\)\\]; expected \\(name, what\\)"),
        ({"fixed": 7}, "fixed = 7; expected \\(name, what\\)"),
        ({"weight": "heavy"}, "weight = 'heavy'; expected a number above 0"),
        ({"weight": None}, "weight = None; expected a number above 0"),
        ({"weight": 0.0}, "weight = 0.0; expected a number above 0"),
        ({"layers": [("a", 1, 2)]}, "the layers have 2 parameters together, and x0 3"),
        ({"layers": [("a", 0, 9), ("b", 1, 3)]}, "expected \\(name, rows, columns\\) for each layer"),
        (
            {"x0": numpy.zeros(9000, numpy.float32), "layers": [("layer" * 3, 1, 1)] * 9000},
            "9000 layers take",
        ),
    ],
)
def test_misuse_is_refused_in_a_sentence(changed, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        peer(**changed)


@pytest.mark.parametrize(
    "returned, sentence",
    [
        ("low", "loss returned 'low'; expected a number"),
        ((1.0, 5, 4), "5 hits of 4 judged samples"),
        ((1.0, 0.93, 64), "0.93 hits of 64 judged samples; expected two whole numbers"),
        ((1.0, 60.0, 64), "60.0 hits of 64 judged samples; expected two whole numbers"),
        ((1.0, 60, numpy.float32(64)), "60 hits of 64.0 judged samples; expected two whole numbers"),
        ((1.0, True, 1), "True hits of 1 judged samples; expected two whole numbers"),
        ((1.0, numpy.bool_(True), 1), "True hits of 1 judged samples; expected two whole numbers"),
        ((1.0, None, 64), "None hits of 64 judged samples; expected two whole numbers"),
        ((1.0, 60), "loss returned (1.0, 60); expected a number, or (loss, hits, judged)"),
        ((1.0, 60, 64, True), "loss returned (1.0, 60, 64, True); expected a number, or"),
        ((), "loss returned (); expected a number, or"),
        (hearsay.Score(1.0, 0.5, 64), "0.5 hits of 64 judged samples; expected two whole numbers"),
        (1j, "loss returned 1j; expected a number"),
    ],
)
def test_a_score_that_is_none_is_refused(fake, returned, sentence):
    fake.start(lambda: train(loss=lambda x: returned))
    fake.meet()
    fake._ask(protocol.SCORE, [0, 0, 0])
    assert sentence in fake.answer()[3]
    with pytest.raises((TypeError, ValueError)):
        fake.join()


def test_records_are_columns(tmp_path):
    (tmp_path / "metrics.jsonl").write_text(
        '{"iteration": 0, "loss": 2.5, "accuracy": null, "peer_seconds": {"wait": 0.0}}\n'
        '{"iteration": 10, "loss": 1, "accuracy": 0.5, "peer_seconds": {"wait": 0.25}}\n'
    )
    columns = hearsay.records(tmp_path)
    assert list(columns) == ["iteration", "loss", "accuracy", "peer_seconds.wait"]
    assert columns["iteration"].dtype == numpy.int64 and columns["iteration"].tolist() == [0, 10]
    assert columns["loss"].tolist() == [2.5, 1.0] and columns["peer_seconds.wait"].tolist() == [0.0, 0.25]
    assert numpy.isnan(columns["accuracy"][0]) and columns["accuracy"][1] == 0.5


def test_records_that_were_changed_are_refused(tmp_path):
    lines = ['{"iteration":0,"loss":2.5,"crc32":"4fe2e28b"}\n', '{"iteration":5,"loss":1.0,"crc32":"aad03916"}\n']
    (tmp_path / "metrics.jsonl").write_text("".join(lines))
    columns = hearsay.records(tmp_path)
    assert list(columns) == ["iteration", "loss"] and columns["loss"].tolist() == [2.5, 1.0]
    for changed in (lines[0].replace("2.5", "1.5") + lines[1], lines[1], lines[1] + lines[0]):
        (tmp_path / "metrics.jsonl").write_text(changed)
        with pytest.raises(ValueError, match="metrics.jsonl, line 1: it was changed"):
            hearsay.records(tmp_path)


def test_records_that_lack_lines_at_the_end_of_an_ended_run_are_refused(tmp_path):
    lines = ['{"iteration":0,"loss":2.5,"crc32":"4fe2e28b"}\n', '{"iteration":5,"loss":1.0,"crc32":"aad03916"}\n']
    (tmp_path / "summary.json").write_text('{"status":"done","crc32_of":{"metrics.jsonl":"aad03916"}}')
    (tmp_path / "metrics.jsonl").write_text("".join(lines))
    assert hearsay.records(tmp_path)["loss"].tolist() == [2.5, 1.0]
    for cut, end in ((lines[0], "it is not the last line of the run"), ("", "it lacks the lines of the run")):
        (tmp_path / "metrics.jsonl").write_text(cut)
        with pytest.raises(ValueError, match=f"{end}, whose crc32 is aad03916"):
            hearsay.records(tmp_path)
    for damaged in ("[]", '{"crc32_of":null}', '{"status":'):
        (tmp_path / "summary.json").write_text(damaged)
        with pytest.raises(ValueError, match="summary.json: it is damaged"):
            hearsay.records(tmp_path)
    (tmp_path / "summary.json").write_text('{"status":"done"}')  # of an earlier version
    assert hearsay.records(tmp_path) == {}
