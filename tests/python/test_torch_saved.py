"""hearsay.torch.load: the models that a run leaves, as modules."""

import sys

import hearsay
import numpy
import pytest

torch = pytest.importorskip("torch")
import hearsay.torch  # noqa: E402
from networks import D, a_point, network  # noqa: E402
from torch import nn  # noqa: E402


def vector_of(model):
    return nn.utils.parameters_to_vector(model.parameters()).detach().numpy()


def test_a_saved_model_becomes_the_parameters(tmp_path):
    numpy.save(tmp_path / "model.npy", a_point())
    for file in (tmp_path / "model.npy", str(tmp_path / "model.npy"), tmp_path):
        model = network()
        assert hearsay.torch.load(file, model) is model
        assert numpy.array_equal(vector_of(model), a_point())
        assert numpy.array_equal(model.state_dict()["0.weight"].numpy().ravel(), a_point()[:12])


def test_frozen_parameters_and_buffers_stay(tmp_path):
    model = network(nn.BatchNorm1d(3))
    model[0].weight.requires_grad_(False)
    frozen = model[0].weight.detach().clone()
    numpy.save(tmp_path / "x.npy", numpy.full(D - 12 + 6, 0.25, numpy.float32))
    hearsay.torch.load(tmp_path / "x.npy", model)
    assert torch.equal(model[0].weight, frozen)
    assert (model[0].bias == 0.25).all() and (model[2].weight == 0.25).all()
    assert (model[2].running_var == 1).all()


def test_tied_parameters_and_other_scalars(tmp_path):
    first = nn.Linear(3, 3)
    model = nn.Sequential(first, first).double()
    numpy.save(tmp_path / "x.npy", numpy.arange(12, dtype=numpy.float32))
    hearsay.torch.load(tmp_path / "x.npy", model)
    assert model[1].bias.tolist() == [9, 10, 11]


@pytest.mark.parametrize(
    "content, sentence",
    [
        (numpy.zeros(D + 1, numpy.float32), f"x.npy has {D + 1} parameters, and the model {D} that want gradients"),
        (numpy.zeros((D, 1), numpy.float32), "expected one vector of float32 or float64"),
        (numpy.zeros(D, numpy.int64), "int64 of shape"),
        (b"no array at all", "is no .npy file, or damaged"),
        (b"", "is no .npy file, or damaged"),
    ],
)
def test_what_is_no_saved_model_of_this_module_is_one_sentence_and_changes_nothing(tmp_path, content, sentence):
    file = tmp_path / "x.npy"
    file.write_bytes(content) if isinstance(content, bytes) else numpy.save(file, content)
    model = network()
    before = vector_of(model).copy()
    with pytest.raises(ValueError, match=sentence.replace(".", r"\.")):
        hearsay.torch.load(file, model)
    assert numpy.array_equal(vector_of(model), before)
    cut = tmp_path / "cut.npy"
    numpy.save(cut, a_point())
    cut.write_bytes(cut.read_bytes()[:-3])
    with pytest.raises(ValueError, match="damaged"):
        hearsay.torch.load(cut, model)


def test_other_byte_orders_are_read_and_what_a_parameter_cannot_hold_is_refused(tmp_path):
    numpy.save(tmp_path / "x.npy", a_point().astype(">f4"))
    assert numpy.array_equal(vector_of(hearsay.torch.load(tmp_path / "x.npy", network())), a_point())
    numpy.save(tmp_path / "large.npy", numpy.full(D, 1e9, numpy.float32))
    for model, sentence in (
        (network().half(), "not finite in torch.float16, in 0.weight"),
        (network().to("meta"), "0.weight is on the meta device"),
        (network().to(torch.complex64), "0.weight is of torch.complex64"),
    ):
        with pytest.raises(ValueError, match=sentence):
            hearsay.torch.load(tmp_path / "large.npy", model)


def test_a_folder_without_a_model_and_what_is_no_module_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="has no model.npy; expected the folder of a run that has ended"):
        hearsay.torch.load(tmp_path, network())
    numpy.save(tmp_path / "model.npy", a_point())
    with pytest.raises(TypeError, match="list is no torch.nn.Module"):
        hearsay.torch.load(tmp_path, list(network().parameters()))


TRAIN = """
import hearsay, hearsay.torch, torch
from networks import DATA, network
from torch import nn
model = network()
if {pretrained!r}:
    hearsay.torch.load({pretrained!r}, model)
loss = lambda samples: nn.functional.mse_loss(model(DATA.tensors[0][samples]), DATA.tensors[1][samples])
hearsay.torch.train(model, loss, len(DATA))
"""


def test_a_run_begins_with_the_mean_model_of_another(folder, monkeypatch):
    """A pretrained start, and what the mean model is worth, by hearsay and by torch."""
    from pathlib import Path

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=":")
    losses = []
    for pretrained in ("", "first"):
        program = folder / "train.py"
        program.write_text(TRAIN.format(pretrained=pretrained))
        output = "second" if pretrained else "first"
        hearsay.run("run.toml", [sys.executable, str(program)], set={"run.output": output})
        losses.append(hearsay.records(folder / output)["loss"])
    model = hearsay.torch.load(folder / "first", network())
    from networks import DATA

    with torch.no_grad():
        loss = float(nn.functional.mse_loss(model(DATA.tensors[0]), DATA.tensors[1]))
    assert losses[0][-1] < losses[0][0]
    assert losses[0][-1] == pytest.approx(loss, rel=1e-5)
    assert losses[1][0] == losses[0][-1]
