"""Who starts whom, and what hearsay hears of a process that ends, forks, or never was one of its programs."""

import textwrap

import hearsay
import numpy
import pytest
from hearsay import command, protocol, start

X0 = numpy.array([1.0, 2.0, 3.0], numpy.float32)


def peer(**how):
    return hearsay.Peer(x0=X0, samples=5, loss=lambda x: 0.0, **how)


def test_a_program_computes_for_one_peer(fake):
    def program():
        with peer():
            return str(pytest.raises(hearsay.Error, peer).value)

    fake.start(program)
    fake.meet()
    assert "already computes for a peer" in fake.join()


def test_a_program_that_hearsay_did_not_start_wants_a_run_file(monkeypatch):
    start.inherit({})
    with pytest.raises(hearsay.Error, match="hearsay has not started this program"):
        peer()


def test_a_channel_that_is_none_is_refused():
    start.inherit({"HEARSAY_CHANNEL": "no"})
    with pytest.raises(hearsay.Error, match="HEARSAY_CHANNEL = no is no socket"):
        peer()
    start.inherit({})


def test_the_id_comes_from_the_argument_or_else_the_environment():
    everything = {"HEARSAY_ID": "2", "RANK": "3", "OMPI_COMM_WORLD_RANK": "4", "SLURM_PROCID": "5"}
    assert start.id_of(7, everything) == 7
    for expected in (2, 3, 4, 5):
        assert start.id_of(None, everything) == expected
        everything.pop(next(iter(everything)))
    assert start.id_of(None, {}) is None
    with pytest.raises(hearsay.Error, match="RANK = first"):
        start.id_of(None, {"RANK": "first"})


def test_the_identity_says_who_of_how_many(monkeypatch):
    for id, peers in start._IDENTITIES:
        monkeypatch.delenv(id, raising=False)
        monkeypatch.delenv(peers, raising=False)
    with pytest.raises(hearsay.Error, match="the environment does not say which peer this is"):
        hearsay.identity()
    monkeypatch.setenv("RANK", "3")
    with pytest.raises(hearsay.Error, match="and of how many"):
        hearsay.identity()
    monkeypatch.setenv("WORLD_SIZE", "8")
    assert hearsay.identity() == (3, 8)
    monkeypatch.setenv("WORLD_SIZE", "many")
    with pytest.raises(hearsay.Error, match="WORLD_SIZE = many"):
        hearsay.identity()


@pytest.mark.parametrize("id, variable", [(None, "WORLD_SIZE"), (2, None)])
def test_as_many_processes_as_peers_are_expected(fake, monkeypatch, id, variable):
    for name in (name for pair in start._IDENTITIES for name in pair):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "8")
    fake.start(lambda: peer(id=id).close())
    fake.meet(begins=variable is None)
    if variable is None:  # the argument says it
        return fake.join()
    with pytest.raises(hearsay.Error, match="WORLD_SIZE = 8, and the run has 4 peers; expected as many"):
        fake.join()


def test_options_of_a_peer_are_arguments_or_in_the_environment():
    assert command.peer_options(False, False, {}) == []
    assert command.peer_options(True, False, {}) == ["--overwrite"]
    both = {"HEARSAY_OPTIONS": "--resume --wait '10 min'"}
    assert command.peer_options(False, True, both) == ["--resume", "--wait", "10 min"]
    with pytest.raises(hearsay.Error, match="HEARSAY_OPTIONS = --wait '10: No closing quotation; expected"):
        command.peer_options(False, False, {"HEARSAY_OPTIONS": "--wait '10"})


def test_a_missing_program_is_said(monkeypatch, tmp_path):
    start.inherit({})
    monkeypatch.setenv("HEARSAY_PROGRAM", str(tmp_path / "gone"))
    with pytest.raises(hearsay.Error, match="gone cannot be started: No such file"):
        peer(run="run.toml", id=0)


PROGRAM = textwrap.dedent(
    """
    import os, sys
    import hearsay, numpy

    def train(gradient, loss=lambda x: 0.0):
        for ask in hearsay.Peer(x0=numpy.zeros(2, numpy.float32), samples=3, loss=loss):
            ask.gradient[:] = gradient(ask)

    def bad(*of):
        raise ValueError("a bad sample")
"""
)


def start_process(fake, tmp_path, rest):
    fake.start_process(PROGRAM + textwrap.dedent(rest), tmp_path)


def test_a_process_that_nobody_catches_for_tells_its_exception(fake, tmp_path):
    start_process(fake, tmp_path, "train(bad)")
    fake.meet()
    fake.send_gradient([0, 0], [0])
    assert fake.answer()[1::2] == (protocol.FAILED, "ValueError: a bad sample")
    assert fake.hears_the_end()
    assert "Traceback" in fake.said_at_end() and fake.process.returncode == 1


def test_a_process_tells_the_exception_before_its_peer(fake, tmp_path):
    start_process(fake, tmp_path, "bad()")
    assert fake.answer() == (0, protocol.LEAVES, (0.0, 0, 0, False), "ValueError: a bad sample")
    assert fake.hears_the_end()


def test_a_process_without_a_peer_says_so(fake, tmp_path):
    start_process(fake, tmp_path, "")
    assert fake.answer()[1::2] == (protocol.LEAVES, "it left without a hearsay.Peer")


def test_a_process_that_exits_early_left_at_an_iteration(fake, tmp_path):
    start_process(fake, tmp_path, "train(lambda ask: sys.exit(0))")
    fake.meet()
    fake.send_gradient([0, 0], [0], iteration=7)
    assert fake.answer()[1::2] == (protocol.LEAVES, "left at iteration 7")
    assert fake.hears_the_end()


def test_an_error_of_the_run_prints_no_traceback(fake, tmp_path):
    start_process(fake, tmp_path, "train(lambda ask: ask.x)")
    fake.meet()
    fake.end(code=3, reason="peer 2: it was lost")
    assert fake.said_at_end() == "" and fake.process.returncode == 1


def test_lines_come_out_while_the_run_goes_on(fake, tmp_path):
    start_process(fake, tmp_path, "print('a line')\ntrain(lambda ask: ask.x)")
    fake.meet()
    assert fake.process.stdout.readline() == "a line\n"
    fake.end()
    assert fake.said_at_end() == ""


def test_the_channel_is_not_for_the_processes_of_a_program(fake, tmp_path):
    start_process(
        fake,
        tmp_path,
        """
        import subprocess
        assert "HEARSAY_CHANNEL" not in os.environ
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
        train(lambda ask: os._exit(0))
    """,
    )
    fake.meet()
    fake.send_gradient([0, 0], [0])
    assert fake.hears_the_end()


def test_a_forked_process_neither_answers_nor_leaves(fake, tmp_path):
    start_process(
        fake,
        tmp_path,
        """
        def gradient(ask):
            if os.fork() == 0:
                try:
                    peer.answer()
                except RuntimeError as error:
                    print(error, flush=True)
                sys.exit(0)
            os.wait()
            return ask.x
        peer = hearsay.Peer(x0=numpy.zeros(2, numpy.float32), samples=3, loss=lambda x: 0.0)
        for ask in peer:
            ask.gradient[:] = 1
            ask.gradient[:] = gradient(ask)
    """,
    )
    fake.meet()
    assert fake.ask_gradient([3, 4], [0]).tolist() == [3, 4]
    fake.end()
    assert "this process was forked from the program of a peer" in fake.said_at_end()
    assert fake.process.returncode == 0


def test_a_program_ends_when_hearsay_is_killed(fake, tmp_path):
    start_process(fake, tmp_path, "train(lambda ask: ask.x)")
    fake.meet()
    fake._socket.close()
    assert fake.said_at_end() == "" and fake.process.returncode == 1
