"""A dedicated hub and its workers as programs: the hub is asked nothing, and ends with the model."""

import json
import subprocess

import hearsay
import numpy
from runs import PEERS, QUADRATIC, command, free_ports

# To ask the hub for a gradient or a loss is an error. Each program writes what it ends with.
HUB = (
    QUADRATIC
    + """
id, peers = hearsay.identity()
mine = Quadratic(id)
samples, loss = (mine.samples, mine.loss) if id else (0, None)
with hearsay.Peer(*WHERE, x0=mine.x0, samples=samples, loss=loss) as peer:
    for ask in peer:
        assert id
        mine.gradient(ask.x, ask.samples, ask.gradient, ask.seed)
numpy.save(f"ended-{id}.npy", peer.model)
"""
)
STAR = {"topology.kind": "star", "topology.hub": "dedicated", "algorithm.kind": "fed-paq"}


def test_the_program_of_a_dedicated_hub_is_asked_nothing_and_ends_with_the_model(folder):
    summary = hearsay.run("run.toml", command(folder, HUB.replace("*WHERE, ", "")), set=STAR)
    assert summary["loss_samples"] == 40 * (PEERS - 1)
    assert summary["per_peer"][0]["gradient_evaluations"] == 0
    assert summary["provenance"]["warnings"] == []
    kept = numpy.load(f"{summary['output']}/model.npy")
    assert numpy.array_equal(numpy.load(folder / "ended-0.npy"), kept)
    assert numpy.linalg.norm(kept - 2) < 1  # the workers' points lie round 1, 2 and 3


def test_on_hosts_of_their_own_hub_and_workers_train_to_the_same_bits(folder):
    summary = hearsay.run("run.toml", command(folder, HUB.replace("*WHERE, ", "")), set=STAR)
    ports = free_ports(PEERS + 1)
    star = f'family = "star"\nobserver = "tcp://127.0.0.1:{ports[0]}"\n'
    peers = "".join(f'[[peer]]\naddress = "tcp://127.0.0.1:{port}"\n' for port in ports[1:])
    (folder / "hosts.toml").write_text(star + peers)
    text = (folder / "run.toml").read_text()
    for old, new in [
        ('kind = "ring"\npeers = 4', 'file = "hosts.toml"\nhub = "dedicated"'),
        ("dcd-psgd", "fed-paq"),
        ('"python"', '"by-hand"'),
    ]:
        text = text.replace(old, new)
    (folder / "hosts-run.toml").write_text(text)
    program = HUB.replace("hearsay.identity()", "(int(sys.argv[1]), 4)")
    program = program.replace("*WHERE", '"hosts-run.toml", id')
    words = command(folder, program, "by_hand.py")
    processes = [subprocess.Popen([*words, str(id)]) for id in range(PEERS)]
    assert [process.wait(120) for process in processes] == [0] * PEERS
    by_hand = json.loads((folder / "runs/by-hand/summary.json").read_text())
    assert by_hand["model_digest"] == summary["model_digest"]
    assert by_hand["loss"] == summary["loss"]


def test_samples_of_a_dedicated_hub_are_not_used_and_hearsay_says_so(folder):
    program = HUB.replace("*WHERE, ", "").replace("(0, None)", "(mine.samples, None)")
    summary = hearsay.run("run.toml", command(folder, program), set=STAR)
    assert "the program of peer 0 has 40 samples" in summary["provenance"]["warnings"][0]
    assert summary["loss_samples"] == 40 * (PEERS - 1)
