"""Parameter groups of hearsay.torch: a factor of the step size, and a weight decay, for parts of a module."""

import hearsay
import numpy
import pytest

torch = pytest.importorskip("torch")
import hearsay.torch  # noqa: E402
from networks import DATA, INPUTS, TARGETS, D, a_point, gradient_of, network  # noqa: E402
from runs import command, fails, outcome  # noqa: E402
from torch import nn  # noqa: E402

FIRST = 4 * 3 + 3  # coordinates of the first layer


def loop(fake, groups_of, *, settings={}, after=lambda optimizer: None, samples=len(DATA), begins=True):
    """Starts the usual loop with groups_of(model)."""

    def start():
        model = network()
        optimizer = hearsay.torch.Optimizer(model, samples, evaluate=lambda: 0.0, groups=groups_of(model))
        with optimizer.peer:
            for minibatch in optimizer.minibatches:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(INPUTS[minibatch]), TARGETS[minibatch]).backward()
                optimizer.step()
                after(optimizer)

    fake.start(start)
    fake.meet(settings=settings, begins=begins)


def head(model):
    return [{"params": model[2].parameters(), "lr_factor": 0.5, "weight_decay": 0.25}]


def of_head(gradient, x):
    """What head() makes of a gradient, in float32."""
    expected = gradient.copy()
    expected[FIRST:] = (expected[FIRST:] + numpy.float32(0.25) * x[FIRST:]) * numpy.float32(0.5)
    return expected


def test_a_group_has_its_factor_and_decay_and_the_rest_has_none(fake):
    loop(fake, head)
    x = a_point()
    expected = of_head(gradient_of(network(), x, [1, 2]), x)
    assert numpy.array_equal(fake.ask_gradient(x, [1, 2]), expected)
    fake.end()
    fake.join()


def test_an_objective_with_groups_gives_the_same_gradient():
    model = network()
    objective = hearsay.torch.Objective(
        model,
        lambda indices: nn.functional.mse_loss(model(INPUTS[indices]), TARGETS[indices]),
        len(DATA),
        groups=head(model),
    )
    x, out = a_point(), numpy.empty(D, numpy.float32)
    objective.gradient(x, numpy.array([1, 2]), out, 1)
    assert numpy.array_equal(out, of_head(gradient_of(network(), x, [1, 2]), x))


def test_one_step_is_that_of_torchs_sgd_with_the_same_groups(fake):
    loop(
        fake,
        lambda model: [
            {"params": model[0].parameters(), "weight_decay": 0.1},
            {"params": [model[2].bias], "lr_factor": 3},
        ],
    )
    x = a_point()
    stepped = x - numpy.float32(0.2) * fake.ask_gradient(x, [3, 4], step_size=0.2)
    fake.end()
    fake.join()
    model = network()
    gradient_of(model, x, [3, 4])
    torch.optim.SGD(
        [
            {"params": model[0].parameters(), "weight_decay": 0.1},
            {"params": [model[2].bias], "lr": 0.6},
            {"params": [model[2].weight]},
        ],
        lr=0.2,
    ).step()
    expected = nn.utils.parameters_to_vector(model.parameters()).detach().numpy()
    assert numpy.allclose(stepped, expected, rtol=1e-6, atol=1e-7) and not numpy.allclose(x, expected)


def test_the_step_size_of_each_group_can_be_read(fake):
    seen = []
    loop(fake, head, after=lambda optimizer: seen.append([g["lr"] for g in optimizer.param_groups]))
    fake.ask_gradient(a_point(), [1], step_size=0.5)
    fake.end()
    fake.join()
    assert seen == [[0.25, 0.5]]


def test_a_peer_without_samples_has_the_decay_alone(fake):
    loop(fake, head, samples=0)
    x = a_point()
    assert numpy.array_equal(fake.ask_gradient(x, []), of_head(numpy.zeros(D, numpy.float32), x))
    fake.end()
    fake.join()


def test_the_state_with_groups_may_be_loaded_again(fake):
    loop(fake, head, after=lambda optimizer: optimizer.load_state_dict(optimizer.state_dict()))
    x = a_point()
    for _ in range(2):
        assert numpy.array_equal(fake.ask_gradient(x, [1]), of_head(gradient_of(network(), x, [1]), x))
    fake.end()
    fake.join()


def test_a_factor_that_is_changed_later_is_refused(fake):
    def change(optimizer):
        with pytest.raises(TypeError, match=r"cannot set lr_factor, .* groups=\[...\] of the Optimizer"):
            optimizer.param_groups[0]["lr_factor"] = 2
        optimizer.load_state_dict(
            {
                "state": {},
                "param_groups": [
                    {**group, "weight_decay": 0.5} for group in optimizer.state_dict()["param_groups"]
                ],
            }
        )

    loop(fake, head, after=change)
    fake.ask_gradient(a_point(), [1])
    with pytest.raises(TypeError, match="cannot set weight_decay"):
        fake.join()


def test_groups_are_compared_between_peers(fake):
    loop(fake, head)
    assert fake.fixed["lr_factor and weight_decay of 2.weight"] == "0.5 and 0.25"
    assert not any("0.weight" in name for name in fake.fixed if name.startswith("lr_factor"))
    fake.end()
    fake.join()


def test_frozen_parameters_of_a_group_are_left_out(fake):
    def groups(model):
        return [{"params": model.named_parameters(), "weight_decay": 0.25}]

    def start():
        model = network()
        model[0].weight.requires_grad_(False)
        optimizer = hearsay.torch.Optimizer(model, 0, evaluate=lambda: 0.0, groups=groups(model))
        for _ in optimizer.minibatches:
            raise AssertionError("a minibatch of nothing")

    fake.start(start)
    fake.meet()
    x = numpy.arange(1, D - 11, dtype=numpy.float32)
    assert numpy.array_equal(fake.ask_gradient(x, []), numpy.float32(0.25) * x)
    fake.end()
    fake.join()


@pytest.mark.parametrize(
    "groups, sentence",
    [
        (lambda m: {"params": m.parameters()}, "^groups is dict; expected a list of groups, such as "),
        (lambda m: m.parameters(), "^groups is generator; expected a list of groups"),
        (lambda m: [{"params": m.parameters(), "lr": 0.1}], "has lr = 0.1; expected lr_factor, by which the step"),
        (lambda m: [{"params": m.parameters(), "momentum": 0.9}], r"^groups\[0\] has momentum; expected params"),
        (lambda m: [{"weight_decay": 0.9}], r"^groups\[0\] has no params; expected"),
        (lambda m: [{"params": 3}], r"^the params of groups\[0\] are no parameters; expected"),
        (lambda m: [{"params": ["0.weight"]}], r"^the params of groups\[0\] are no parameters; expected"),
        (lambda m: [{"params": []}], r"^groups\[0\] has no parameters that want gradients"),
        (lambda m: [{"params": network().parameters()}], "of shape .* that is none of the model's; expected"),
        (lambda m: [{"params": [m[0].bias]}, {"params": m.parameters()}], "^0.bias is in two groups; expected"),
        (lambda m: [{"params": [m[0].bias, m[0].bias]}], "^0.bias is in two groups; expected"),
        (lambda m: [{"params": m.parameters(), "lr_factor": 0}], "lr_factor = 0; expected a number above 0"),
        (lambda m: [{"params": m.parameters(), "lr_factor": "1"}], "lr_factor = '1'; expected a number above 0"),
        (lambda m: [{"params": m.parameters(), "weight_decay": -1}], "weight_decay = -1; expected a number of 0"),
        (lambda m: [{"params": m.parameters(), "weight_decay": float("nan")}], "weight_decay = nan; expected"),
    ],
)
def test_groups_that_are_none_are_refused_in_a_sentence(groups, sentence):
    model = network()
    with pytest.raises((TypeError, ValueError), match=sentence):
        hearsay.torch.Optimizer(model, 10, evaluate=lambda: 0.0, groups=groups(model))


FACTOR_WITHOUT_EFFECT = [
    {"algorithm.kind": "d-psgd", "algorithm.optimizer": name}
    for name in ("adam(0.9, 0.999)", "amsgrad(0.9, 0.99)", "adamw(0.9, 0.999, 0.01)", "adagrad(1e-8)")
    + ("adagrad-da(1e-8)", "novograd(0.95, 0.98, 0)", "muon(0.95, 5)")
] + [
    {"algorithm.kind": "one-bit-adam"},
    {"algorithm.kind": "qcmd-adagrad"},
    {"algorithm.kind": "qrda-adagrad"},
    {"algorithm.kind": "demo", "algorithm.signs": "signed"},
]


@pytest.mark.parametrize("settings", FACTOR_WITHOUT_EFFECT)
def test_a_factor_that_would_do_nothing_is_refused(fake, settings):
    loop(fake, head, settings=settings, begins=False)
    with pytest.raises(ValueError, match="^algorithm.*lr_factor would do nothing; expected .*without lr_factor"):
        fake.join()


@pytest.mark.parametrize("settings", FACTOR_WITHOUT_EFFECT)
def test_a_decay_alone_is_taken_by_all(fake, settings):
    loop(fake, lambda model: [{"params": model.parameters(), "weight_decay": 0.1}], settings=settings)
    fake.end()
    fake.join()


@pytest.mark.parametrize("optimizer", ["sgd", "heavy-ball(0.9)", "nesterov(0.9)"])
def test_a_factor_is_taken_where_the_step_is_proportional_to_the_gradient(fake, optimizer):
    loop(fake, head, settings={"algorithm.kind": "d-psgd", "algorithm.optimizer": optimizer})
    fake.end()
    fake.join()


def test_groups_beside_the_clipping_of_the_run_file_are_refused(fake):
    loop(fake, head, settings={"algorithm.clip": "0.5"}, begins=False)
    with pytest.raises(ValueError, match="^algorithm.clip = 0.5 would clip .*expected torch.nn.utils.clip_grad"):
        fake.join()


PROGRAM = """
import hearsay, hearsay.torch, torch
id, peers = hearsay.identity()
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
inputs = torch.randn(40, 4, generator=torch.Generator().manual_seed(id))
targets = inputs.sum(1, keepdim=True)
def loss(samples):
    return torch.nn.functional.mse_loss(model(inputs[samples]), targets[samples])
hearsay.torch.train(model, loss, 40, groups=[{"params": model[2].parameters(), %s}])
"""


def test_a_run_with_a_factor_one_is_that_without_groups_and_another_is_not(folder):
    ends = [
        outcome(hearsay.run("run.toml", command(folder, PROGRAM % group), output=f"runs/{k}", driver="simulate"))
        for k, group in enumerate(('"name": "head"', '"lr_factor": 1, "weight_decay": 0', '"lr_factor": 2'))
    ]
    assert ends[0] == ends[1] != ends[2]


def test_a_run_refuses_a_factor_under_adam_in_one_sentence(folder):
    error = fails(folder, PROGRAM % '"lr_factor": 2', algorithm__optimizer="adam")
    assert "algorithm.optimizer = adam" in str(error) and "lr_factor would do nothing; expected sgd" in str(error)


def test_peers_with_other_groups_are_refused(folder):
    error = fails(folder, PROGRAM % '"lr_factor": 1 + (id == 2)')
    assert error.code == 2
    assert "lr_factor and weight_decay of 2.weight" in str(error) and "expected the same" in str(error)


def test_objectives_in_one_process_hear_of_the_settings(folder):
    def objective():
        model = network()
        return hearsay.torch.Objective(
            model,
            lambda s: nn.functional.mse_loss(model(INPUTS[s]), TARGETS[s]),
            len(DATA),
            groups=head(model),
        )

    with pytest.raises(ValueError, match="algorithm.optimizer = adam.* lr_factor would do nothing"):
        hearsay.simulate("run.toml", [objective() for _ in range(4)], set={"algorithm.optimizer": "adam"})
