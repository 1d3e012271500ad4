"""hearsay.torch where a program does more than the usual loop: it writes, skips, unfreezes, schedules."""

import contextlib
import warnings

import hearsay
import numpy
import pytest

torch = pytest.importorskip("torch")
import hearsay.torch  # noqa: E402
from hearsay import protocol  # noqa: E402
from hearsay.torch.surroundings import surroundings  # noqa: E402
from networks import DATA, INPUTS, TARGETS, D, a_point, gradient_of, network  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402


def loop(fake, program, *, begins=True, evaluate=lambda model: 0.0):
    """Starts program(model, optimizer) with a network, and meets it."""

    def start():
        model = network()
        optimizer = hearsay.torch.Optimizer(model, len(DATA), evaluate=lambda: evaluate(model))
        with optimizer.peer:
            return program(model, optimizer)

    fake.start(start)
    fake.meet(begins=begins)


def descend(model, optimizer, before=lambda model, iteration: None, after=lambda model, iteration: None):
    """The usual loop, with something before the gradient of each minibatch and after its step."""
    for samples in optimizer.minibatches:
        before(model, optimizer.iteration)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(INPUTS[samples]), TARGETS[samples]).backward()
        optimizer.step()
        after(model, optimizer.iteration)


def load_other(model):
    torch.manual_seed(9)
    model.load_state_dict(nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)).state_dict())


def zero_in_place(model):
    with torch.no_grad():
        model[0].weight.zero_()


def zero_data(model):
    model[0].weight.data.zero_()


def other_memory(model):
    model[0].weight.data = torch.full((3, 4), 2.0)


def initialize(model):
    nn.init.constant_(model[2].bias, 5)


WRITES = [load_other, zero_in_place, zero_data, other_memory, initialize]


@pytest.mark.parametrize("write", WRITES)
def test_what_is_written_before_the_first_minibatch_is_x0(fake, write):
    expected = network()
    write(expected)

    def program(model, optimizer):
        write(model)
        descend(model, optimizer)

    loop(fake, program)
    x0 = nn.utils.parameters_to_vector(expected.parameters()).detach().numpy()
    assert numpy.array_equal(fake.x, x0)
    assert numpy.array_equal(fake.ask_gradient(x0, [1]), gradient_of(expected, x0, [1]))
    fake.end()
    fake.join()


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("when", ["before", "after"])
def test_what_is_written_later_is_refused(fake, write, when):
    def in_third(model, iteration):
        if iteration == 3:
            write(model)

    loop(fake, lambda model, optimizer: descend(model, optimizer, **{when: in_third}))
    fake.ask_gradient(a_point(), [1], iteration=2)
    fake.send_gradient(a_point(), [1], iteration=3)
    with pytest.raises(RuntimeError, match="was changed by the program.*expected changes before the first"):
        fake.join()


def test_a_gradient_at_other_parameters_is_refused_even_if_they_are_put_back_later(fake):
    kept = {}

    def perturb(model, iteration):
        kept.update({name: tensor.clone() for name, tensor in model.state_dict().items()})
        zero_in_place(model)

    def put_back(model, iteration):
        model.load_state_dict(kept)

    loop(fake, lambda model, optimizer: descend(model, optimizer, before=perturb, after=put_back))
    fake.send_gradient(a_point(), [1])
    with pytest.raises(RuntimeError, match="was changed by the program, and the next minibatch would undo"):
        fake.join()


def test_a_change_that_torch_does_not_count_is_refused_at_the_next_minibatch_and_its_iteration_named(fake):
    def in_third(model, iteration):
        if iteration == 3:
            zero_data(model)

    loop(fake, lambda model, optimizer: descend(model, optimizer, before=in_third))
    fake.ask_gradient(a_point(), [1], iteration=2)
    fake.send_gradient(a_point(), [1], iteration=3)
    with pytest.raises(RuntimeError, match="was changed by the program, in iteration 3 or behind it"):
        fake.join()


@pytest.mark.parametrize("write", WRITES)
def test_what_is_written_while_a_model_is_evaluated_is_refused(fake, write):
    def evaluate(model):
        write(model)
        return 0.0

    loop(fake, descend, evaluate=evaluate)
    fake.ask_gradient(a_point(), [1])
    fake.send_score(a_point())
    with pytest.raises(RuntimeError, match=r"was changed by the program, by its evaluate\(\)"):
        fake.join()


def test_parameters_that_are_swapped_and_put_back_are_evaluated(fake):
    def evaluate(model):
        kept = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        zero_in_place(model)
        model.load_state_dict(kept)
        return 0.5

    loop(fake, descend, evaluate=evaluate)
    assert fake.ask_score(a_point()).loss == 0.5
    fake.end()
    fake.join()


def test_writing_the_same_values_is_no_change(fake):
    def swap(model, iteration):
        kept = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        zero_in_place(model)
        model.load_state_dict(kept)

    loop(fake, lambda model, optimizer: descend(model, optimizer, before=swap, after=swap))
    for _ in range(2):
        assert numpy.array_equal(fake.ask_gradient(a_point(), [1]), gradient_of(network(), a_point(), [1]))
    fake.end()
    fake.join()


def test_an_objective_begins_where_its_module_is():
    model = network()
    objective = hearsay.torch.Objective(model, lambda indices: model(INPUTS[indices]).sum(), len(DATA))
    zero_in_place(model)
    assert not objective.x0[:12].any() and objective.x0[12:].any()
    assert ("1", "Tanh") in objective.fixed


def test_a_loss_that_writes_to_its_module_is_refused():
    model = network()

    def loss(indices):
        zero_data(model)
        return model(INPUTS[indices]).sum()

    objective = hearsay.torch.Objective(model, loss, len(DATA))
    with pytest.raises(RuntimeError, match="0.weight was changed by the program"):
        objective.gradient(objective.x0, numpy.arange(2), numpy.zeros(D, numpy.float32), 1)


def test_another_type_after_the_optimizer_was_made_is_refused(fake):
    def program(model, optimizer):
        model.double()
        descend(model, optimizer)

    loop(fake, program, begins=False)
    with pytest.raises(TypeError, match="0.weight has become torch.float64 on cpu.*expected model.to"):
        fake.join()


def test_what_no_message_says_is_told_at_the_start(fake):
    def program(model, optimizer):
        model.register_buffer("mask", torch.ones(3, dtype=torch.bool))
        model[0].bias.data.fill_(2.0)
        descend(model, optimizer)

    def start():
        model = network(nn.BatchNorm1d(3))
        model[3].weight.requires_grad_(False)
        optimizer = hearsay.torch.Optimizer(model, 10, evaluate=lambda: 0.0, recalibrate=lambda: None)
        with optimizer.peer:
            program(model, optimizer)

    fake.start(start)
    fake.meet()
    fixed = fake.fixed
    assert fixed["the model"] == "Sequential" and fixed["2"].startswith("BatchNorm1d(3, eps=")
    assert fixed["0.weight"] == "a parameter of float32 (3, 4)"
    assert fixed["3.weight"].startswith("a frozen parameter of float32 (2, 3), values ")
    assert fixed["mask"].startswith("a buffer of bool (3,), values ")
    assert not any("running" in name for name in fixed)
    fake.end()
    fake.join()


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.int64, torch.bfloat16, torch.float16, torch.float64, torch.complex64]
)
def test_buffers_of_all_types_are_told_apart(dtype):
    class Holder(nn.Module):
        def __init__(self, value):
            super().__init__()
            self.register_buffer("held", torch.tensor(value).to(dtype))
            self.register_buffer("none", torch.zeros(0).to(dtype))

    of = [dict(surroundings(Holder(value)))["held"] for value in (0, 1, 1)]
    assert of[0] != of[1] == of[2]


@pytest.mark.parametrize(
    "of, says",
    [
        (lambda k: nn.LeakyReLU((0.01, 0.9)[k]), "LeakyReLU(negative_slope=0.9)"),
        (lambda k: nn.LayerNorm(3, eps=(1e-5, 1e-2)[k]), "LayerNorm((3,), eps=0.01, elementwise_affine=True)"),
        (lambda k: nn.Dropout((0.1, 0.5)[k]), "Dropout(p=0.5, inplace=False)"),
        (lambda k: nn.MultiheadAttention(4, (1, 2)[k]), "num_heads=2"),
    ],
)
def test_modules_with_other_settings_are_told_apart(of, says):
    fixed = [dict(surroundings(network(of(k))))["2"] for k in (0, 1, 1)]
    assert fixed[0] != fixed[1] == fixed[2] and says in fixed[1]


def test_where_a_setting_lies_in_memory_is_not_told():
    class Holder(nn.Module):
        def extra_repr(self):
            return repr(object())

    assert dict(surroundings(Holder()))["the model"] == dict(surroundings(Holder()))["the model"]


def test_a_layer_that_wants_gradients_later_is_noticed_at_the_step(fake):
    def start():
        model = network()
        model[0].weight.requires_grad_(False)
        optimizer = hearsay.torch.Optimizer(model, 10, evaluate=lambda: 0.0)
        with optimizer.peer:
            descend(model, optimizer, before=lambda *_: model[0].weight.requires_grad_(True))

    fake.start(start)
    fake.meet()
    fake.send_gradient(numpy.zeros(D - 12), [1])
    with pytest.raises(RuntimeError, match="^0.weight wants gradients, and did not when x was made"):
        fake.join()


def test_a_layer_that_takes_the_place_of_another_is_noticed(fake):
    def replace(model, iteration):
        model[2] = nn.Linear(3, 2)

    loop(fake, lambda model, optimizer: descend(model, optimizer, after=replace))
    fake.ask_gradient(a_point(), [1])
    with pytest.raises(RuntimeError, match="^2.weight wants gradients, and did not"):
        fake.join()


def test_a_layer_that_wants_gradients_before_the_first_minibatch_is_noticed(fake):
    def program(model, optimizer):
        model.add_module("3", nn.Linear(2, 2))
        descend(model, optimizer)

    loop(fake, program, begins=False)
    with pytest.raises(RuntimeError, match="^3.weight wants gradients"):
        fake.join()


@pytest.mark.parametrize(
    "scheduler",
    [
        lambda optimizer: torch.optim.lr_scheduler.StepLR(optimizer, 10),
        lambda optimizer: torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10),
        lambda optimizer: torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, 10),
        lambda optimizer: torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1.0),
        lambda optimizer: torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0).step(1.0),
        lambda optimizer: optimizer.param_groups[0].update(lr=0.1),
        lambda optimizer: optimizer.param_groups[0].__setitem__("lr", 0.1),
    ],
)
def test_who_sets_a_step_size_hears_where_it_is_set(fake, scheduler):
    def program(model, optimizer):
        made = scheduler(optimizer)
        for _ in optimizer.minibatches:
            optimizer.skip()
            made = torch.optim.lr_scheduler.StepLR(optimizer, 10)  # those that say nothing at first
        return made

    loop(fake, program, begins=False)
    if fake.answer()[1] == protocol.ANSWERED:
        fake.send_gradient(a_point(), [1])
    with pytest.raises(TypeError, match="algorithm.step_schedule"):
        fake.join()


@pytest.mark.parametrize(
    "key, sets",
    [
        ("weight_decay", lambda optimizer: optimizer.param_groups[0].__setitem__("weight_decay", 0.1)),
        ("momentum", lambda optimizer: optimizer.param_groups[0].update(momentum=0.9)),
        ("betas", lambda optimizer: optimizer.param_groups[0].setdefault("betas", (0.9, 0.99))),
        ("nesterov", lambda optimizer: optimizer.param_groups[0].__ior__({"nesterov": True})),
        ("lr", lambda optimizer: torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer).step(1.0)),
    ],
)
@pytest.mark.parametrize("when", ["before", "in the loop"])
def test_what_a_step_of_torch_depends_on_is_refused_where_it_is_set(fake, key, sets, when):
    def program(model, optimizer):
        for _ in optimizer.minibatches if when == "in the loop" else [None]:
            with pytest.raises(TypeError, match=f"a program cannot set {key}, .*expected algorithm."):
                sets(optimizer)
            optimizer.param_groups[0]["name"] = "all"  # what nobody takes for a part of the step
            optimizer.skip()
        return optimizer.param_groups[0]["name"]

    loop(fake, program, begins=when == "in the loop")
    if when == "in the loop":
        fake.send_gradient(a_point(), [1])
        fake.answer()
        fake.end()
    assert fake.join() == "all"


def test_the_step_size_of_the_iteration_can_be_read(fake):
    seen = []
    loop(
        fake,
        lambda model, optimizer: descend(
            model, optimizer, before=lambda *_: seen.append(optimizer.param_groups[0]["lr"])
        ),
    )
    for step_size in (0.1, 0.05):
        fake.ask_gradient(a_point(), [1], step_size=step_size)
    fake.end()
    fake.join()
    assert seen == [0.1, 0.05]


def test_a_skipped_step_is_the_gradient_zero(fake):
    def program(model, optimizer):
        for samples in optimizer.minibatches:
            model(INPUTS[samples]).sum().backward()
            if optimizer.iteration == 1:
                optimizer.step()
            optimizer.skip()

    loop(fake, program)
    assert fake.ask_gradient(a_point(), [1], iteration=1).any()
    assert not fake.ask_gradient(a_point(), [1], iteration=2).any()
    fake.end()
    fake.join()


def test_a_peer_without_samples_has_the_gradient_and_the_loss_zero(fake):
    def start():
        model = network()
        optimizer = hearsay.torch.Optimizer(
            model, 0, evaluate=lambda: nn.functional.mse_loss(model(INPUTS[:0]), TARGETS[:0])
        )
        for _ in DataLoader(DATA, batch_sampler=optimizer.minibatches):
            raise AssertionError("a minibatch of nothing")

    fake.start(start)
    fake.meet()
    assert not fake.ask_gradient(a_point(), []).any()
    assert fake.ask_score(a_point()).loss == 0.0
    fake.end()
    fake.join()


def test_a_loader_has_no_length(fake):
    def program(model, optimizer):
        len(DataLoader(DATA, batch_sampler=optimizer.minibatches))

    loop(fake, program, begins=False)
    with pytest.raises(TypeError, match="expected opt.iteration, of opt.peer.iterations"):
        fake.join()


def test_accumulation_is_told_of_the_batch(fake):
    def program(model, optimizer):
        for samples in optimizer.minibatches:
            model(INPUTS[samples]).sum().backward()
            if optimizer.iteration % 2 == 0:
                optimizer.step()

    loop(fake, program)
    fake.send_gradient(a_point(), [1], iteration=1)
    with pytest.raises(RuntimeError, match="a larger algorithm.batch instead of accumulation"):
        fake.join()


def zero_all(model, optimizer):
    optimizer.zero_grad()


def zero_each_data(model, optimizer):
    for p in model.parameters():
        p.grad.data.zero_()


def zero_each(model, optimizer):
    for p in model.parameters():
        p.grad.zero_()


def set_to_none(model, optimizer):
    for p in model.parameters():
        p.grad = None


def set_to_others(model, optimizer):
    for p in model.parameters():
        p.grad = torch.zeros_like(p)


def begin_with_regularizer(model, optimizer):
    """A part of the loss whose gradient needs no backward()."""
    for p in model.parameters():
        p.grad.copy_(p.detach())


def begin_with_another_regularizer(model, optimizer):
    """The same in tensors that may come to lie where the last ones lay."""
    for p in model.parameters():
        p.grad = None
        p.grad = p.detach().clone()


def nothing(model, optimizer):
    pass


def gradients_of_a_loop(fake, zero, *, pieces=1, once=False, skips=False):
    """Returns the gradients of three minibatches, each with one or more backward(), and what was warned."""
    warned = []

    def program(model, optimizer):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for samples in optimizer.minibatches:
                if not once or optimizer.iteration == 1:
                    zero(model, optimizer)
                for _ in range(pieces):
                    (nn.functional.mse_loss(model(INPUTS[samples]), TARGETS[samples]) / pieces).backward()
                optimizer.skip() if skips and optimizer.iteration < 3 else optimizer.step()
        warned.extend(str(one.message) for one in caught)

    loop(fake, program)
    gradients = [fake.ask_gradient(a_point(), [1, 2], iteration=k) for k in (1, 2, 3)]
    fake.end()
    fake.join()
    return gradients, warned


@pytest.mark.parametrize(
    "zero",
    [
        zero_all,
        zero_each_data,
        zero_each,
        set_to_none,
        set_to_others,
        begin_with_regularizer,
        begin_with_another_regularizer,
    ],
)
@pytest.mark.parametrize("more", [{}, {"pieces": 3}, {"skips": True}])
def test_gradients_that_begin_anew_are_warned_of_by_nobody(fake, zero, more):
    gradients, warned = gradients_of_a_loop(fake, zero, **more)
    assert numpy.array_equal(gradients[1], gradients[0]) and warned == []


@pytest.mark.parametrize(
    "how", [{"zero": nothing}, {"zero": nothing, "skips": True}, {"zero": zero_all, "once": True}]
)
def test_a_forgotten_zero_grad_is_warned_of_once(fake, how):
    gradients, warned = gradients_of_a_loop(fake, **how)
    assert gradients[2].any() and not numpy.array_equal(gradients[2], gradients[0])
    assert len(warned) == 1
    assert "gradient of the minibatch before" in warned[0] and "expected opt.zero_grad()" in warned[0]


def test_a_gradient_that_was_zero_needs_no_zero_grad(fake):
    warned = []

    def program(model, optimizer):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for samples in optimizer.minibatches:
                (0 * model(INPUTS[samples])).sum().backward()
                optimizer.step()
        warned.extend(caught)

    loop(fake, program)
    for _ in range(3):
        assert not fake.ask_gradient(a_point(), [1]).any()
    fake.end()
    fake.join()
    assert warned == []


def normalized_loop(fake, prepare, in_loop):
    """The usual loop of a network with a BatchNorm, whose statistics are estimated before each evaluation."""

    def start():
        model = network(nn.BatchNorm1d(3))
        prepare(model)
        optimizer = hearsay.torch.Optimizer(
            model, len(DATA), evaluate=lambda: float(model(INPUTS).sum()), recalibrate=lambda: model(INPUTS)
        )
        with optimizer.peer:
            descend(model, optimizer, before=lambda *_: in_loop(model))

    fake.start(start)
    dimension = fake.meet()["dimension"]
    return numpy.random.default_rng(3).normal(size=dimension).astype(numpy.float32)


@pytest.mark.parametrize("in_loop", [lambda model: model[2].eval(), lambda model: model.eval()])
def test_a_gradient_at_running_statistics_is_refused(fake, in_loop):
    x = normalized_loop(fake, lambda model: None, in_loop)
    fake.send_gradient(x, [1, 2])
    with pytest.raises(RuntimeError, match=r"layer 2 \(BatchNorm1d\) is in evaluation mode.*track_running_stats"):
        fake.join()


def test_statistics_that_stay_as_they_are_make_a_gradient_of_x_alone(fake):
    def freeze(model):
        model[2].running_mean[:] = torch.tensor([0.5, -0.5, 1.0])
        model[2].track_running_stats = False

    x = normalized_loop(fake, freeze, lambda model: model[2].eval())
    assert fake.fixed["2.running_mean"].startswith("a buffer of float32 (3,), values ")
    first = fake.ask_gradient(x, [1, 2])
    fake.ask_score(2 * x)
    assert numpy.array_equal(fake.ask_gradient(x, [1, 2]), first)
    fake.end()
    fake.join()


def sgd_of(optimizer):
    return torch.optim.SGD(optimizer.param_groups[0]["params"], lr=0.1, momentum=0.9, weight_decay=0.01)


def two_groups(optimizer):
    params = optimizer.param_groups[0]["params"]
    optimizer.param_groups[:] = [{"params": params[:2], "lr": 0.1}, {"params": params[2:], "lr": 0.01}]


@pytest.mark.parametrize(
    "put, refusal",
    [
        (two_groups, "there are 2 parameter groups, and there were 1; expected groups="),
        (lambda o: o.load_state_dict(sgd_of(o).state_dict()), "a program cannot set momentum, "),
        (lambda o: o.param_groups.__setitem__(0, sgd_of(o).param_groups[0]), "a program cannot set momentum, "),
    ],
)
@pytest.mark.parametrize("at", [1, 2])
def test_groups_that_are_put_in_place_of_the_one_are_refused(fake, put, refusal, at):
    def program(model, optimizer):
        if at == 1:
            put(optimizer)
        descend(model, optimizer, after=lambda *_: put(optimizer))

    loop(fake, program, begins=at == 2)
    if at == 2:
        fake.ask_gradient(a_point(), [1])
        with contextlib.suppress(BrokenPipeError):  # the loop may have ended before it is asked again
            fake.send_gradient(a_point(), [1])
    with pytest.raises((TypeError, ValueError), match=refusal):
        fake.join()


def test_the_state_of_the_optimizer_itself_may_be_loaded(fake):
    def program(model, optimizer):
        descend(model, optimizer, after=lambda *_: optimizer.load_state_dict(optimizer.state_dict()))
        return optimizer.param_groups[0]["lr"]

    loop(fake, program)
    for step_size in (0.5, 0.25):
        fake.ask_gradient(a_point(), [1], step_size=step_size)
    fake.end()
    assert fake.join() == 0.25
