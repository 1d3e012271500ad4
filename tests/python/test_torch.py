"""hearsay.torch against a peer of the test's own: a module is a vector, and a function of x alone."""

import datetime
import random

import hearsay
import numpy
import pytest

torch = pytest.importorskip("torch")
import hearsay.torch  # noqa: E402
from hearsay.torch.flat import FlatParameters  # noqa: E402
from networks import DATA, INPUTS, TARGETS, D, a_point, gradient_of, network  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402


def train(model=None, closure=False, to_none=False, workers=0, evaluate=lambda: 0.0, **more):
    """The usual loop."""
    model = model or network()
    optimizer = hearsay.torch.Optimizer(model, len(DATA), evaluate=evaluate, **more)
    for inputs, targets in DataLoader(DATA, batch_sampler=optimizer.minibatches, num_workers=workers):

        def compute():
            model.zero_grad(set_to_none=True) if to_none else optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(inputs), targets)
            loss.backward()
            return loss

        if closure:
            assert optimizer.step(compute) > 0
        else:
            compute()
            optimizer.step()
    return model, optimizer


def test_layers_are_matrices():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Conv2d(1, 6, 5), nn.Flatten(), nn.Linear(6, 2))
    assert FlatParameters(model).layers == [
        ("0.weight", 6, 25),
        ("0.bias", 6, 1),
        ("2.weight", 2, 6),
        ("2.bias", 2, 1),
    ]


def test_parameters_are_views_of_a_vector_and_gradients_are_written_to_one():
    model = network()
    before = nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    flat = FlatParameters(model)
    assert torch.equal(flat.vector, before)
    flat.load(a_point())
    assert torch.equal(nn.utils.parameters_to_vector(model.parameters()), torch.tensor(a_point()))
    model(INPUTS).sum().backward()
    written = numpy.full(D, numpy.nan, numpy.float32)
    flat.write_gradients(written)
    assert numpy.array_equal(torch.cat([p.grad.flatten() for p in model.parameters()]).numpy(), written)


def test_a_gradient_from_before_counts_for_nothing():
    model = network()
    model(INPUTS).sum().backward()
    FlatParameters(model)
    assert not any(p.grad.any() for p in model.parameters())


def test_a_parameter_that_was_given_other_memory_is_a_view_again():
    model = network()
    flat = FlatParameters(model)
    model[0].weight.data = torch.ones(3, 4)
    flat.load(a_point())
    assert torch.equal(model[0].weight.detach().flatten(), torch.tensor(a_point()[:12]))


def test_frozen_parameters_are_no_part_of_x():
    model = network()
    model[0].weight.requires_grad_(False)
    flat = FlatParameters(model)
    assert flat.x0.size == D - 12 and flat.layers[0] == ("0.bias", 3, 1)


def test_tied_parameters_count_once():
    model = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False))
    model[1].weight = model[0].weight
    assert FlatParameters(model).x0.size == 9


@pytest.mark.parametrize(
    "model, sentence",
    [
        (network().half(), "0.weight is of torch.float16; expected torch.float32"),
        (nn.Linear(2, 2, dtype=torch.complex64), "weight is of torch.complex64; expected torch.float32"),
        (
            nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).double()),
            "0.weight is of torch.float32, and 1.weight of torch.float64",
        ),
        (nn.Sequential(nn.Embedding(5, 2, sparse=True)), "0 gives sparse gradients; expected sparse=False"),
        (nn.Flatten(), "the model has no parameters that want gradients"),
        (list(network().parameters()), "list is no torch.nn.Module; expected the model itself"),
    ],
)
def test_what_is_no_vector_is_refused_in_a_sentence(model, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        hearsay.torch.Optimizer(model, 10, evaluate=lambda: 0.0)


@pytest.fixture
def distributed(monkeypatch):
    """torch.distributed; hearsay has started peer 1 of 4 by a program that torchrun started as rank 0 of 2."""
    if not torch.distributed.is_available():
        pytest.skip("this torch has no torch.distributed")
    by_torchrun = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
    by_hearsay = {"HEARSAY_ID": "1", "HEARSAY_PEERS": "4"}
    for variable, value in {**by_torchrun, **by_hearsay}.items():
        monkeypatch.setenv(variable, value)
    yield torch.distributed
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def begin_alone(distributed, folder):
    store = distributed.FileStore(str(folder / "store"), 1)
    distributed.init_process_group("gloo", store=store, rank=0, world_size=1)


@pytest.mark.parametrize(
    "around, where",
    [(lambda model: model, "model"), (lambda model: nn.Sequential(nn.Tanh(), model), "1")],
)
def test_a_module_that_averages_gradients_by_itself_is_refused(distributed, tmp_path, around, where):
    begin_alone(distributed, tmp_path)
    model = around(nn.parallel.DistributedDataParallel(network()))
    with pytest.raises(TypeError, match=f"expected its {where}.module, and no torch.distributed"):
        hearsay.torch.Optimizer(model, 10, evaluate=lambda: 0.0)


def nothing(distributed, folder):
    pass


def begin_without_the_others(distributed, folder):
    """No rank 1 comes; the program goes on nevertheless."""
    with pytest.raises((OSError, RuntimeError)):
        distributed.init_process_group("gloo", timeout=datetime.timedelta(milliseconds=1))


@pytest.mark.parametrize("begin", [nothing, begin_without_the_others, begin_alone])
def test_what_torch_distributed_was_told_changes_nothing(fake, distributed, tmp_path, begin):
    begin(distributed, tmp_path)
    assert distributed.is_initialized() == (begin is begin_alone)
    fake.start(train)
    fake.meet()
    for samples in ([3, 3, 7], [0]):
        expected = gradient_of(network(), a_point(), samples)
        assert numpy.array_equal(fake.ask_gradient(a_point(), samples), expected)
    fake.end()
    _, optimizer = fake.join()
    assert (optimizer.peer.id, optimizer.peer.count) == (1, 4)  # as hearsay says


@pytest.mark.parametrize(
    "how", [{}, {"closure": True}, {"to_none": True}, {"closure": True, "to_none": True}]
)
def test_the_usual_loop_hands_in_the_gradient_of_autograd(fake, how):
    fake.start(lambda: train(**how))
    assert fake.meet()["dimension"] == D
    for samples in ([3, 3, 7], [0], [3, 3, 7]):
        assert numpy.array_equal(
            fake.ask_gradient(a_point(), samples), gradient_of(network(), a_point(), samples)
        )
    fake.end()
    fake.join()


def test_the_objective_hands_in_the_gradient_of_autograd(fake):
    model = network()

    def loss(indices):
        return nn.functional.mse_loss(model(INPUTS[indices]), TARGETS[indices])

    fake.start(lambda: hearsay.torch.train(model, loss, len(DATA)))
    fake.meet()
    assert numpy.array_equal(fake.ask_gradient(a_point(), [5, 1]), gradient_of(network(), a_point(), [5, 1]))
    assert not fake.ask_gradient(a_point(), []).any()
    expected = network()
    gradient_of(expected, a_point(), [0])
    assert fake.ask_score(a_point()).loss == pytest.approx(
        float(nn.functional.mse_loss(expected(INPUTS), TARGETS)), rel=1e-6
    )
    fake.end(x=a_point())
    assert fake.join()["code"] == 0
    assert (
        torch.equal(nn.utils.parameters_to_vector(model.parameters()), torch.tensor(a_point()))
        and not model.training
    )


def test_all_samples_go_through_the_model_in_pieces():
    model = nn.Linear(1, 1, bias=False)
    sizes = []

    def loss(indices):
        sizes.append(len(indices))
        return (model(indices.float().view(-1, 1))).mean()

    objective = hearsay.torch.Objective(model, loss, 2500)
    out = numpy.zeros(1, numpy.float32)
    objective.gradient(objective.x0, numpy.arange(2500), out, 1)
    assert sizes == [1000, 1000, 500] and out[0] == pytest.approx(2499 / 2)
    assert objective.loss(numpy.ones(1, numpy.float32)) == pytest.approx(2499 / 2)


def test_double_parameters_are_double_here(fake):
    def program():
        model = network().double()
        optimizer = hearsay.torch.Optimizer(model, 10, evaluate=lambda: 0.0)
        for samples in optimizer.minibatches:
            optimizer.zero_grad()
            (model(INPUTS[samples].double()) ** 2).mean().backward()
            optimizer.step()

    fake.start(program)
    assert fake.meet()["scalar"] == "double"
    assert fake.ask_gradient(numpy.full(D, 0.1), [1]).dtype == numpy.float64
    fake.end()
    fake.join()


def test_randomness_comes_from_the_seed(fake):
    drawn = []

    def program():
        model = network(nn.Dropout(0.5))
        optimizer = hearsay.torch.Optimizer(model, 10, evaluate=lambda: float(torch.rand(())))
        for samples in optimizer.minibatches:
            drawn.append((random.random(), numpy.random.rand()))
            optimizer.zero_grad()
            model(INPUTS[samples]).sum().backward()
            optimizer.step()

    fake.start(program)
    fake.meet()
    samples = list(range(8))
    first, other = (fake.ask_gradient(a_point(), samples, seed=seed) for seed in (2**63 - 1, 12))
    score = fake.ask_score(a_point())
    again = fake.ask_gradient(a_point(), samples, seed=2**63 - 1)
    assert numpy.array_equal(first, again) and not numpy.array_equal(first, other)
    assert fake.ask_score(a_point()) == score
    fake.end()
    fake.join()
    assert drawn[0] == drawn[2] != drawn[1]


def test_a_closure_draws_what_the_loop_would(fake):
    fake.start(lambda: train(network(nn.Dropout(0.5))))
    fake.meet()
    once = fake.ask_gradient(a_point(), list(range(8)), seed=5)
    fake.end()
    fake.join()
    other = type(fake)()
    other.start(lambda: train(network(nn.Dropout(0.5)), closure=True))
    other.meet()
    assert numpy.array_equal(once, other.ask_gradient(a_point(), list(range(8)), seed=5))
    other.end()
    other.join()
    other.close()


def test_an_evaluation_is_in_evaluation_mode_and_leaves_no_trace(fake):
    model = network(nn.Dropout(0.5))
    model[2].eval()
    seen = []

    def evaluate():
        seen.append((model.training, torch.is_grad_enabled()))
        return 1.0, 3, 4

    fake.start(lambda: train(model, evaluate=evaluate))
    fake.meet()
    assert fake.ask_score(a_point()) == (1.0, 3, 4, True)
    fake.ask_gradient(a_point(), [1])
    assert model.training and not model[2].training
    fake.end()
    fake.join()
    assert seen == [(False, False)] and not model.training


def test_batch_norm_wants_to_be_recalibrated():
    sentence = r"layer 2 \(BatchNorm1d\) tracks running statistics.*expected GroupNorm"
    with pytest.raises(ValueError, match=sentence):
        hearsay.torch.Optimizer(network(nn.BatchNorm1d(3)), 10, evaluate=lambda: 0.0)
    FlatParameters(network(nn.BatchNorm1d(3, track_running_stats=False)))


def test_a_recalibrated_score_depends_on_x_alone(fake):
    model = network(nn.BatchNorm1d(3), nn.Dropout(0.5))

    def evaluate():
        return float(model(INPUTS).square().sum())

    fake.start(lambda: train(model, evaluate=evaluate, recalibrate=lambda: model(INPUTS[:6])))
    fake.meet()
    x = numpy.random.default_rng(3).normal(size=D + 6).astype(numpy.float32)
    before = fake.ask_score(x)
    fake.ask_gradient(x * 5, list(range(8)))
    assert model[2].momentum == 0.1 and model[2].training
    assert fake.ask_score(x) == before
    assert fake.ask_score(x * 2) != before
    fake.end()
    fake.join()


def test_workers_that_run_ahead_are_refused(fake):
    def program():
        optimizer = hearsay.torch.Optimizer(network(), 10, evaluate=lambda: 0.0)
        minibatches = iter(optimizer.minibatches)
        next(minibatches)
        next(minibatches)

    fake.start(program)
    fake.meet()
    fake.send_gradient(a_point(), [1])
    with pytest.raises(RuntimeError, match="expected num_workers=0, and one step"):
        fake.join()


def test_a_loader_with_workers_ends_the_run(fake, tmp_path):
    fake.start_process(
        """
import hearsay.torch, torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.zeros(10, 2))
optimizer = hearsay.torch.Optimizer(torch.nn.Linear(2, 1), 10, evaluate=lambda: 0.0)
for _ in DataLoader(data, batch_sampler=optimizer.minibatches, num_workers=2):
    optimizer.step()
""",
        tmp_path,
    )
    fake.meet()
    fake.send_gradient([0, 0, 0], [1])
    text = fake.answer()[3]
    assert text.startswith(
        "RuntimeError: a second minibatch was asked for before step(), so workers run ahead"
    )
    assert fake.hears_the_end()


def test_a_step_wants_a_minibatch(fake):
    def program():
        optimizer = hearsay.torch.Optimizer(network(), 10, evaluate=lambda: 0.0)
        try:
            optimizer.step()
        finally:
            optimizer.peer.close()

    fake.start(program)
    fake.meet(begins=False)
    assert "left before the first iteration" in fake.answer()[3]
    with pytest.raises(RuntimeError, match="expected one step\\(\\) for each of opt.minibatches"):
        fake.join()


def test_a_group_that_is_added_later_is_refused(fake):
    def program():
        optimizer = hearsay.torch.Optimizer(network(), 10, evaluate=lambda: 0.0)
        try:
            optimizer.add_param_group({"params": [torch.zeros(1, requires_grad=True)]})
        finally:
            optimizer.peer.close()

    fake.start(program)
    fake.meet(begins=False)
    with pytest.raises(ValueError, match=r"a parameter group was added; expected groups=\[...\] when"):
        fake.join()


def test_sparse_gradients_are_refused(fake):
    def program():
        table = nn.Embedding(5, 2)
        optimizer = hearsay.torch.Optimizer(table, 10, evaluate=lambda: 0.0)
        with optimizer.peer:
            for samples in optimizer.minibatches:
                table.zero_grad(set_to_none=True)
                nn.functional.embedding(torch.tensor(samples), table.weight, sparse=True).sum().backward()
                optimizer.step()

    fake.start(program)
    fake.meet()
    fake.send_gradient(numpy.zeros(10), [1, 2])
    assert "weight has a sparse gradient; expected dense ones" in fake.answer()[3]
    with pytest.raises(TypeError):
        fake.join()


def test_the_model_is_that_of_the_peer_at_the_end(fake):
    fake.start(lambda: train())
    fake.meet()
    fake.ask_gradient(a_point(), [1], iteration=8)
    fake.end(x=a_point() * 3)
    model, optimizer = fake.join()
    assert optimizer.iteration == 8
    assert torch.equal(nn.utils.parameters_to_vector(model.parameters()), torch.tensor(a_point() * 3))
    assert numpy.array_equal(optimizer.peer.model, a_point() * 3)


def test_a_lost_run_raises_through_the_loader(fake):
    fake.start(train)
    fake.meet()
    fake.end(code=3, reason="peer 2: it was lost")
    with pytest.raises(hearsay.Error, match="^peer 2: it was lost$") as raised:
        fake.join()
    assert raised.value.code == 3
