"""Programs that end by themselves, do not answer, or leave something behind, and what becomes of the run."""

import os
import re
import signal
import subprocess
from pathlib import Path

import hearsay
import pytest
from runs import BAD, QUADRATIC, SERVE, command, fails

# A program that hands in its gradients itself, and does something between them.
BETWEEN = """
objective = Quadratic(me())
peer = hearsay.Peer(x0=objective.x0, samples=40, loss=objective.loss)
%s
for ask in peer:
    objective.gradient(ask.x, ask.samples, ask.gradient, ask.seed)
    peer.answer()
    if me() == 1 and ask.iteration == %d:
        %s
"""


@pytest.mark.parametrize(
    "at, ends, words",
    [
        (7, 'raise ValueError("x")', "1's objective failed in iteration 8: ValueError: x"),
        (20, 'raise ValueError("x")', "the evaluation of iteration 20: ValueError: x"),
        (7, "sys.exit(5)", "left at iteration 7"),
        (7, "os._exit(5)", "its program has ended, with exit code 5"),
        (7, "os.abort()", "its program has ended, by signal 6 (Aborted)"),
    ],
)
def test_a_program_that_ends_by_itself_between_two_questions_ends_the_run(folder, capfd, at, ends, words):
    error = fails(folder, QUADRATIC + BETWEEN % ("", at, ends))
    assert error.code == 3 and words.replace("1's", "peer 1: its") in str(error)
    assert capfd.readouterr().err.count("Traceback") == ("raise" in ends)


@pytest.mark.parametrize("driver", ["run", "simulate"])
def test_an_exception_before_the_loop_is_told_once(folder, capfd, driver):
    error = fails(
        folder, QUADRATIC + BETWEEN % ('if me() == 1: raise ValueError("x")', 0, "pass"), driver=driver
    )
    assert error.code == 2 and "ValueError: x" in str(error)
    assert capfd.readouterr().err.count("Traceback") == 1


def test_under_drop_a_program_that_fails_leaves_with_its_peer(folder, capfd):
    words = command(folder, QUADRATIC + BETWEEN % ("", 7, 'raise ValueError("x")'))
    summary = hearsay.run("run.toml", words, set={"failure.policy": "drop"})
    assert summary["status"] == "done" and summary["dropped"] == [1]
    said = capfd.readouterr().err
    assert "its objective failed in iteration 8: ValueError: x; the others go on" in said
    # In parentheses: how far the neighbor is. Peer 1 computes the gradient of iteration 8 while the messages
    # of iteration 7 travel, so its neighbors have ended iteration 5 at least, and 7 at most.
    assert re.search(
        r"without peer 1 \(iteration [678]\): it has left: its objective failed in iteration 8: ValueError: x", said
    )
    error = fails(
        folder,
        QUADRATIC + BETWEEN % ("", 7, 'raise ValueError("x")'),
        failure__policy="drop",
        failure__program="end",
    )
    assert error.code == 3


def test_a_program_that_does_not_answer_is_named(folder):
    error = fails(
        folder,
        QUADRATIC.replace("import os", "import os, time") + BAD % "time.sleep(600)",
        model__answer_within="3 s",
    )
    assert error.code == 3
    assert "the program of peer 1 has not answered the question for the gradient of iteration" in str(error)
    assert "within 3 s (model.answer_within)" in str(error)


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_gradient_that_is_not_finite_is_its_own_peers(folder, value):
    text = QUADRATIC + BAD.replace(
        "super().gradient(x, samples, out, seed)",
        "super().gradient(x, samples, out, seed)\n        if spoils: out[10] = float('%s')" % value,
    )
    text = text.replace("        self.gradients += 1", "        self.gradients += 1\n        spoils = False")
    error = fails(folder, text % "spoils = True")
    assert error.code == 4
    assert "in coordinate 10, of layer b (peer 1, iteration" in str(error)


# A program that has started another one, which keeps its standard output.
SLEEPER = """
import subprocess
sleeper = subprocess.Popen(["sleep", "600"]%s)
open(f"{sleeper.pid}.pid", "w").close()
"""


def test_what_a_program_has_forked_ends_with_it(folder):
    words = command(folder, QUADRATIC + SLEEPER % "" + SERVE)
    run = [hearsay.find_program(), "run", "run.toml", "--quiet", "--", *words]
    end = subprocess.run(run, capture_output=True, timeout=60)
    assert end.returncode == 0
    assert len(list(folder.glob("*.pid"))) == 4
    for path in folder.glob("*.pid"):
        assert not Path(f"/proc/{path.stem}").exists() or is_zombie(path.stem)


def test_what_is_in_a_session_of_its_own_outlives_the_run_and_keeps_nobody_from_the_end(folder):
    words = command(folder, QUADRATIC + SLEEPER % ", start_new_session=True" + SERVE)
    run = [hearsay.find_program(), "run", "run.toml", "--quiet", "--", *words]
    try:
        assert subprocess.run(run, capture_output=True, timeout=60).returncode == 0
        assert len(list(folder.glob("*.pid"))) == 4
        for path in folder.glob("*.pid"):
            assert not is_zombie(path.stem)
    finally:
        for path in folder.glob("*.pid"):
            os.kill(int(path.stem), signal.SIGKILL)


@pytest.mark.parametrize("ends", ['open("/nonexistent/model.npy", "w")', "sys.exit(1)"])
def test_a_program_that_fails_after_its_loop_is_told_and_the_record_is_done(folder, ends):
    error = fails(folder, QUADRATIC + SERVE + f"\nif me() == 2: {ends}\n")
    sentence = "the program of peer 2 has failed after its last answer, with exit code 1"
    assert error.code == 3 and sentence in str(error)
    summary = next(folder.rglob("summary.json"))
    assert '"status": "done"' in summary.read_text() or '"status":"done"' in summary.read_text()


def is_zombie(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"


def test_what_is_fixed_is_the_same_at_all_peers(folder):
    error = fails(
        folder,
        QUADRATIC
        + "\nobjective = Quadratic(me())\nobjective.fixed = [('mask', str(me() == 2))]\n"
        "hearsay.serve(objective)\n",
    )
    assert error.code == 2
    assert "peer 2's model has mask: True, and the first one mask: False; expected the same" in str(error)


def test_a_refused_run_prints_no_error_of_the_package(folder, capfd):
    error = fails(folder, QUADRATIC + "\nif me() == 0: raise ValueError('x')\n" + SERVE)
    assert error.code == 2 and "ValueError: x" in str(error)
    assert "Unicode" not in capfd.readouterr().err
