"""What goes wrong in the program of one peer ends the run at all peers, with its sentence; a kill does not."""

import json
import os
import signal
import subprocess

import hearsay
import numpy
import pytest
from runs import BAD, PEERS, QUADRATIC, SERVE, command, fails, outcome, start_by_hand

def test_an_exception_in_a_gradient_is_the_reason(folder):
    error = fails(folder, QUADRATIC + BAD % 'raise ValueError("a bad sample")')
    assert error.code == 3 and "peer 1: its objective failed" in str(error)
    assert "ValueError: a bad sample" in str(error)


def test_an_exception_in_a_simulation_is_the_reason(folder):
    error = fails(folder, QUADRATIC + BAD % 'raise ValueError("a bad sample")', driver="simulate")
    assert error.code == 3 and "ValueError: a bad sample" in str(error)


def test_an_exception_in_the_last_loss_is_the_reason(folder):
    error = fails(
        folder,
        QUADRATIC
        + """
class Bad(Quadratic):
    losses = 0
    def loss(self, x):
        self.losses += 1
        if me() == 1 and self.losses == 3:
            raise ValueError("no loss")
        return super().loss(x)

hearsay.serve(Bad(me()))
""",
    )
    assert error.code == 3 and "ValueError: no loss" in str(error)


def test_a_program_that_exits_left(folder):
    error = fails(folder, QUADRATIC + BAD % "sys.exit(0)")
    assert error.code == 3 and "left at iteration" in str(error)


def test_the_error_of_an_objective_in_this_process_is_raised_here(folder):
    names = {}
    exec(QUADRATIC, names)

    class Bad(names["Quadratic"]):
        def gradient(self, x, samples, out, seed):
            raise ZeroDivisionError("by zero")

    objectives = [Bad(id) if id == 2 else names["Quadratic"](id) for id in range(4)]
    with pytest.raises(ZeroDivisionError, match="by zero"):
        hearsay.simulate("run.toml", objectives)


@pytest.mark.parametrize("from_iteration", [1, 5])
@pytest.mark.parametrize("kept", [slice(0, 0), slice(0, 1), slice(1, None)])
def test_an_objective_in_this_process_that_leaves_a_gradient_out_is_told(folder, from_iteration, kept):
    names = {}
    exec(QUADRATIC, names)
    asked = []

    class Forgetful(names["Quadratic"]):
        def gradient(self, x, samples, out, seed):
            asked.append(seed)
            whole = numpy.empty_like(out)
            super().gradient(x, samples, whole, seed)
            part = kept if len(asked) >= from_iteration else slice(None)
            out[part] = whole[part]

    objectives = [Forgetful(id) if id == 2 else names["Quadratic"](id) for id in range(4)]
    with pytest.raises(RuntimeError, match=r"was not computed; expected out\[:\] = \.\.\. in gradient"):
        hearsay.simulate("run.toml", objectives)


def test_a_missing_objective_is_said(folder):
    names = {}
    exec(QUADRATIC, names)
    with pytest.raises(
        hearsay.Error, match="there is no objective for peer 3; expected one for each peer, not 3"
    ):
        hearsay.simulate("run.toml", [names["Quadratic"](id) for id in range(3)])


@pytest.mark.parametrize("at", [1, 2, 12, 20])
def test_a_program_that_is_killed_is_started_anew_with_the_same_bits(folder, capfd, at):
    killed = (
        """
class Killed(Quadratic):
    def gradient(self, x, samples, out, seed):
        if me() == 1 and iteration == %d and not os.path.exists("killed"):
            open("killed", "w").close()
            os.kill(os.getpid(), 9)
        super().gradient(x, samples, out, seed)

objective = Killed(me())
with hearsay.Peer(x0=objective.x0, samples=40, loss=objective.loss, layers=objective.layers) as peer:
    for ask in peer:
        iteration = ask.iteration
        objective.gradient(ask.x, ask.samples, ask.gradient, ask.seed)
"""
        % at
    )
    undisturbed = outcome(
        hearsay.run("run.toml", command(folder, QUADRATIC + SERVE), output="runs/undisturbed")
    )
    summary = hearsay.run("run.toml", command(folder, QUADRATIC + killed), output="runs/killed")
    assert (folder / "killed").exists()
    assert outcome(summary) == undisturbed and summary["restarts"] == 1
    assert "the program of peer 1 was killed by signal 9 (Killed); it is started anew" in capfd.readouterr().err


def test_a_program_that_always_dies_ends_the_run(folder):
    error = fails(
        folder,
        QUADRATIC + BAD.replace("== 15", ">= 1 and os.path.exists('runs')") % "os.kill(os.getpid(), 11)",
    )
    assert error.code in (2, 3) and "3 times at the same question" in str(error)


def test_a_program_that_begins_elsewhere_is_refused(folder):
    error = fails(
        folder,
        QUADRATIC + "\nobjective = Quadratic(me())\nobjective.x0[3] += me()\nhearsay.serve(objective)\n",
    )
    assert error.code == 2 and "peer 1's model begins elsewhere" in str(error)


def test_other_layers_are_refused(folder):
    error = fails(
        folder,
        QUADRATIC + "\nobjective = Quadratic(me())\nif me() == 2: objective.layers = None\n"
        "hearsay.serve(objective)\n",
    )
    assert error.code == 2 and "peer 2's model has other layers" in str(error)


def test_another_dimension_is_refused(folder):
    error = fails(
        folder,
        QUADRATIC + "\nobjective = Quadratic(me())\nif me() == 2:\n"
        "    objective.x0, objective.layers = objective.x0[:9], None\nhearsay.serve(objective)\n",
    )
    assert error.code == 2 and "peer 2's model has 9 parameters" in str(error)


def test_another_scalar_is_refused(folder):
    error = fails(folder, QUADRATIC + SERVE, run__scalar="double")
    assert error.code == 2 and "run.scalar" in str(error)


def test_a_program_without_a_peer_is_refused(folder):
    error = fails(folder, "import hearsay\n")
    assert error.code == 2 and "left without a hearsay.Peer" in str(error)


def test_an_exception_before_the_hello_is_the_reason(folder):
    error = fails(folder, "import hearsay\nopen('data.npy')\n")
    assert error.code == 2 and "FileNotFoundError: [Errno 2] No such file or directory: 'data.npy'" in str(
        error
    )


UNSEEDED = """
class Unseeded(Quadratic):
    def gradient(self, x, samples, out, seed):
        super().gradient(x, samples, out, seed)
        out += numpy.random.default_rng(%s).normal(size=12)

hearsay.serve(Unseeded(me()))
"""


def test_unseeded_randomness_with_checkpoints_is_refused(folder):
    error = fails(folder, QUADRATIC + UNSEEDED % "", failure__checkpoint_every=5)
    assert error.code == 2 and "does not give the same gradient twice" in str(error)


def test_unseeded_randomness_is_warned_of(folder, capfd):
    hearsay.run("run.toml", command(folder, QUADRATIC + UNSEEDED % ""))
    assert "does not give the same gradient twice" in capfd.readouterr().err


def test_randomness_from_the_seed_has_the_same_bits(folder):
    words = command(folder, QUADRATIC + UNSEEDED % "seed")
    run = outcome(hearsay.run("run.toml", words, output="runs/run", set={"failure.checkpoint_every": 5}))
    assert outcome(hearsay.run("run.toml", words, output="runs/simulate", driver="simulate")) == run


def test_what_the_program_prints_has_its_peer_in_front(folder, capfd):
    hearsay.run("run.toml", command(folder, QUADRATIC + "\nprint('hello', me())\n" + SERVE))
    said = capfd.readouterr().err
    assert all(f"peer {id} | hello {id}\n" in said for id in range(4))


def test_stop_interrupts_the_run_everywhere(folder):
    error = fails(
        folder,
        QUADRATIC
        + """
objective = Quadratic(me())
peer = hearsay.Peer(x0=objective.x0, samples=40, loss=objective.loss)
for ask in peer:
    objective.gradient(ask.x, ask.samples, ask.gradient, ask.seed)
    if ask.iteration == 5 and peer.id == 2:
        peer.stop()
open(f"after-{peer.id}", "w").write(str(peer.summary["code"]))
""",
    )
    assert error.code == 130
    assert (folder / "after-2").read_text() == "130"


@pytest.mark.parametrize("gradient", [1, 2])
def test_stop_before_the_run_begins_interrupts_it(folder, gradient):
    error = fails(
        folder,
        QUADRATIC
        + f"""
objective = Quadratic(me())
peer = hearsay.Peer(x0=objective.x0, samples=40, loss=objective.loss)
for number, ask in enumerate(peer, 1):
    objective.gradient(ask.x, ask.samples, ask.gradient, ask.seed)
    if number == {gradient}:  # the first two show that the program gives the same gradient twice
        peer.stop()
""",
    )
    assert error.code == 130


def test_ctrl_c_ends_a_long_gradient_and_all_processes(folder):
    text = (
        QUADRATIC.replace("import os", "import os, time")
        + BAD % 'open("sleeps", "w").close(); time.sleep(600)'
    )
    pids = text.replace("hearsay.serve(Bad", "open(f'{os.getpid()}.pid', 'w').close()\nhearsay.serve(Bad")
    os.mkfifo(folder / "sleeps")
    run = subprocess.Popen(
        [hearsay.find_program(), "run", "run.toml", "--quiet", "--", *command(folder, pids)]
    )
    (folder / "sleeps").read_text()  # until the program has opened it
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) == 130
    assert len(list(folder.glob("*.pid"))) == 4
    for path in folder.glob("*.pid"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.stem), 0)


def test_the_target_ends_the_run_without_an_error(folder):
    summary = hearsay.run("run.toml", command(folder, QUADRATIC + SERVE), set={"run.target_loss": 1000.0})
    assert summary["status"] == "target" and summary["iterations"] < 20


def test_a_diverged_run_has_its_code(folder):
    with numpy.errstate(all="ignore"):
        error = fails(folder, QUADRATIC + SERVE, algorithm__step_size=1e30)
    assert error.code == 4


def test_by_hand_an_exception_ends_all(folder):
    programs = start_by_hand(
        folder,
        QUADRATIC
        + BAD.replace("Bad(me())", "Bad(me()), 'hosts-run.toml'") % 'raise ValueError("a bad sample")',
    )
    said = [program.communicate(timeout=60)[0] for program in programs]
    assert [program.returncode for program in programs] == [1] * 4
    assert "Traceback" in said[1] and "\nValueError: a bad sample\n" in said[1]
    for id in (0, 2, 3):
        assert "hearsay.error.Error: peer 1: its objective failed in iteration" in said[id]
        assert "ValueError: a bad sample" in said[id]


def test_by_hand_ctrl_c_at_one_interrupts_all(folder):
    os.mkfifo(folder / "sleeps")
    text = (
        QUADRATIC.replace("import os", "import os, time")
        + BAD % 'open("sleeps", "w").close(); time.sleep(600)'
    )
    programs = start_by_hand(folder, text.replace("Bad(me())", "Bad(me()), 'hosts-run.toml'"))
    (folder / "sleeps").read_text()
    programs[1].send_signal(signal.SIGINT)
    said = [program.communicate(timeout=60)[0] for program in programs]
    assert "KeyboardInterrupt" in said[1]
    assert all(program.returncode != 0 for program in programs)
    assert '"status": "interrupted"' in (folder / "runs" / "python" / "summary.json").read_text(), said


def test_by_hand_a_run_file_that_is_none_is_refused(folder):
    program = subprocess.run(
        command(folder, QUADRATIC + "\nhearsay.serve(Quadratic(0), 'gone.toml', 0)\n"),
        capture_output=True,
        text=True,
    )
    assert program.returncode == 1
    assert "hearsay: cannot read gone.toml" in program.stderr
    assert "hearsay.error.Error: cannot read gone.toml" in program.stderr


def test_by_hand_an_earlier_output_is_replaced_or_gone_on_with(folder):
    """What the refusal advises can be followed in a notebook, where there is no command line."""

    def serve(arguments, **how):
        serve = SERVE.replace("me())", f'me()), "hosts-run.toml", {arguments}')
        programs = start_by_hand(folder, QUADRATIC + serve, **how)
        said = [program.communicate(timeout=60)[0] for program in programs]
        return [program.returncode for program in programs], said

    def iterations():
        return json.loads((folder / "runs/python/summary.json").read_text())["iterations"]

    def keys(iterations):
        return f"set={{'run.iterations': {iterations}, 'failure.checkpoint_every': 5}}"

    done = [0] * PEERS
    assert serve(keys(10))[0] == done
    codes, said = serve(keys(15), peers=[0])
    assert codes == [1]
    advice = "arguments, overwrite=True, or in HEARSAY_OPTIONS"
    assert "hearsay.error.Error: run.output = " in said[0] and advice in said[0]
    assert serve(keys(15) + ", resume=True")[0] == done and iterations() == 15
    assert serve(keys(20), HEARSAY_OPTIONS="--resume")[0] == done and iterations() == 20
    assert serve(keys(5) + ", overwrite=True")[0] == done and iterations() == 5


def test_settings_are_those_of_the_command_line(folder):
    summary = hearsay.run(
        "run.toml",
        command(folder, QUADRATIC + SERVE),
        set={"run.iterations": 7, "run.keep": "best", "algorithm.clip": 0.5},
    )
    assert summary["iterations"] == 7
    assert 'keep = "best"' in (folder / "runs" / "python" / "run.toml").read_text()
