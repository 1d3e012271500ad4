"""One run, however its objectives are computed: the same losses and models, to the last bit."""

import json
import sys

import hearsay
import pytest
from runs import PEERS, QUADRATIC, SERVE, command, fails, outcome, start_by_hand

NETWORK = """
import hearsay.torch, torch
from torch import nn

def network(id):
    # A small convolutional network, and data that differ from peer to peer.
    torch.manual_seed(1)
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Flatten(), nn.Dropout(0.1),
                          nn.Linear(4 * 6 * 6, 3))
    own = torch.Generator().manual_seed(id)
    return model, torch.randn(30, 1, 8, 8, generator=own), torch.randint(3, (30,), generator=own)

def pieces(id):
    model, images, labels = network(id)
    def loss(indices):
        return nn.functional.cross_entropy(model(images[indices]), labels[indices])
    def evaluate():
        scores = model(images)
        hits = (scores.argmax(1) == labels).sum()
        return nn.functional.cross_entropy(scores, labels), hits, len(labels)
    return model, loss, images, labels, evaluate
"""
TRAIN = """
model, loss, images, labels, evaluate = pieces(int(__import__("os").environ["HEARSAY_ID"]))
hearsay.torch.train(model, loss, len(images), evaluate)
"""
LOOP = """
from torch.utils.data import DataLoader, TensorDataset
model, _, images, labels, evaluate = pieces(int(__import__("os").environ["HEARSAY_ID"]))
optimizer = hearsay.torch.Optimizer(model, len(images), evaluate=evaluate)
for x, y in DataLoader(TensorDataset(images, labels), batch_sampler=optimizer.minibatches):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
"""


def train(folder, text, driver, **settings):
    return outcome(
        hearsay.run(
            "run.toml",
            command(folder, text),
            driver=driver,
            output=f"runs/{driver}",
            overwrite=True,
            set=settings,
        )
    )


def in_this_process(objectives):
    return outcome(
        hearsay.simulate("run.toml", objectives, gradient_seconds=0.001, output="runs/here", overwrite=True)
    )


def by_topology_file(folder, text):
    """Four programs, each started by hand; each starts its own hearsay."""
    programs = start_by_hand(folder, text)
    said = [program.communicate(timeout=120)[0] for program in programs]
    assert [program.returncode for program in programs] == [0] * PEERS, said
    output = folder / "runs" / "python"
    return outcome({**json.loads((output / "summary.json").read_text()), "output": output})


def test_numpy_simulated_run_and_by_hand_have_the_same_bits(folder):
    names = {}
    exec(QUADRATIC, names)
    simulated = train(folder, QUADRATIC + SERVE, "simulate")
    assert train(folder, QUADRATIC + SERVE, "run") == simulated
    assert in_this_process([names["Quadratic"](id) for id in range(PEERS)]) == simulated
    by_hand = SERVE.replace("me())", 'me()), "hosts-run.toml"')
    assert by_topology_file(folder, QUADRATIC + by_hand) == simulated


def test_a_loop_over_asks_has_the_bits_of_serve(folder):
    loop = """
objective = Quadratic(me())
with hearsay.Peer(x0=objective.x0, samples=40, loss=objective.loss, layers=objective.layers) as peer:
    for ask in peer:
        objective.gradient(ask.x, ask.samples, ask.gradient, ask.seed)
"""
    assert train(folder, QUADRATIC + loop, "run") == train(folder, QUADRATIC + SERVE, "simulate")


@pytest.mark.parametrize(
    "settings",
    [
        {"algorithm.kind": "beer", "algorithm.compressor": "topk(25%)"},
        {"algorithm.kind": "dpsvrg", "algorithm.compressor": "none"},
        {"algorithm.kind": "d-psgd", "algorithm.compressor": "none", "algorithm.local_steps": 4},
        {"algorithm.kind": "d-psgd", "algorithm.compressor": "none", "algorithm.batch": "full"},
        {"algorithm.kind": "power-gossip", "algorithm.compressor": "none"},
    ],
    ids=lambda settings: " ".join(str(value) for value in settings.values()),
)
def test_methods_that_ask_otherwise_have_the_same_bits(folder, settings):
    assert train(folder, QUADRATIC + SERVE, "run", **settings) == train(
        folder, QUADRATIC + SERVE, "simulate", **settings
    )


def test_double_has_the_same_bits(folder):
    text = QUADRATIC.replace("float32", "float64") + SERVE
    settings = {"run.scalar": "double"}
    assert train(folder, text, "run", **settings) == train(folder, text, "simulate", **settings)


def test_torch_in_any_form_has_the_same_bits(folder):
    torch = pytest.importorskip("torch")
    names = {}
    exec(NETWORK, names)
    simulated = train(folder, NETWORK + TRAIN, "simulate")
    assert train(folder, NETWORK + LOOP, "run") == simulated
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        objectives = []
        for id in range(PEERS):
            model, loss, images, _, evaluate = names["pieces"](id)
            objectives.append(hearsay.torch.Objective(model, loss, len(images), evaluate=evaluate))
        assert in_this_process(objectives) == simulated
    finally:
        torch.set_num_threads(threads)


def test_batch_norm_recalibrated_has_the_same_bits(folder):
    pytest.importorskip("torch")
    text = NETWORK.replace("nn.GroupNorm(2, 4)", "nn.BatchNorm2d(4)") + TRAIN.replace(
        "evaluate)", "evaluate, recalibrate=lambda: model(images[:10]))"
    )
    assert train(folder, text, "run") == train(folder, text, "simulate")


FROZEN = """
model, loss, images, labels, evaluate = pieces(int(__import__("os").environ["HEARSAY_ID"]))
model[0].weight.requires_grad_(False)
if __import__("hearsay").identity()[0] == 2:
    model[0].weight += 1
hearsay.torch.train(model, loss, len(images), evaluate)
"""


def test_another_frozen_layer_at_one_peer_is_refused(folder):
    pytest.importorskip("torch")
    error = fails(folder, NETWORK + FROZEN)
    assert error.code == 2 and "peer 2's model has 0.weight: a frozen parameter of float32" in str(error)


def test_a_program_is_told_what_the_run_does_with_a_gradient(folder):
    said = """
with hearsay.Peer(x0=numpy.ones(2, "float32"), samples=1, loss=lambda x: 0.0) as peer:
    for ask in peer:
        ask.gradient[:] = 0
if peer.id == 0:
    open("told.json", "w").write(__import__("json").dumps(peer.settings))
"""
    settings = {"algorithm.clip": 0.5, "algorithm.batch": 1, "failure.checkpoint_every": 7}
    hearsay.run("run.toml", command(folder, QUADRATIC + said), set=settings, overwrite=True)
    told = json.loads((folder / "told.json").read_text())
    assert told["algorithm.kind"] == "dcd-psgd"
    assert told["algorithm.optimizer"] == "sgd" and told["algorithm.local_steps"] == "1"  # defaults, too
    assert told["algorithm.clip"] == "0.5" and told["failure.checkpoint_every"] == "7"
