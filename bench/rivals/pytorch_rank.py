"""One process of pytorch.py or pytorch_steps.py: trains an MLP in one of several ways, and says when.

    python3 pytorch_rank.py WAY RANKS STEPS FOLDER WIDTHS IMAGES LABELS

WAY: ddp, powersgd or postlocal, over gloo, which meets in FOLDER; hearsay: beside hearsay's peer.
WIDTHS: of the MLP's layers, from the images' 784 to the 10 classes, such as 784,300,117,10.
The environment says which process it is: RANK, or HEARSAY_ID beside hearsay.
STEPS: optimizer steps; 0: until the loss of the mean model has reached the target (rivals only).
Writes FOLDER/times-RANK.json: when, on the clock of the machine, PyTorch was loaded, the first gradient, the
last of the warm-up and the last of all were there, and the loop ended; and the steps made.
"""

import gzip
import json
import os
import sys
import time
import warnings
from pathlib import Path

import numpy
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from pytorch_workload import BATCH, STEP_SIZE, TARGET_LOSS, WARM_UP_STEPS

TRAINING_IMAGES = 8000
LOCAL_STEPS = 10
JUDGED_EVERY = 2


def load(images_file, labels_file, rank, ranks):
    """Returns this rank's images (m, 784) from 0 to 1 and labels (m,)."""
    with gzip.open(images_file) as file:
        images = numpy.frombuffer(file.read(), numpy.uint8, offset=16).reshape(-1, 784)
    with gzip.open(labels_file) as file:
        labels = numpy.frombuffer(file.read(), numpy.uint8, offset=8)
    part = slice(rank, TRAINING_IMAGES, ranks)
    return torch.tensor(images[part]).float() / 255, torch.tensor(labels[part]).long()


def mlp(widths):
    torch.manual_seed(1)
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Clock:
    """When the gradients came. The monotonic clock is that of the machine, so processes can be compared."""

    def __init__(self):
        self.loaded = time.monotonic()
        self.first = self.warm = self.last = None
        self.steps = 0

    def note_gradient(self):
        self.last = time.monotonic()
        self.first = self.first or self.last
        self.steps += 1
        if self.steps == WARM_UP_STEPS:
            self.warm = self.last

    def write(self, file):
        times = {name: getattr(self, name) for name in ("loaded", "first", "warm", "last", "steps")}
        file.write_text(json.dumps({**times, "end": time.monotonic()}))


def train_beside_hearsay(model, images, labels, clock):
    import hearsay.torch

    def evaluate():
        return cross_entropy(model(images), labels)

    optimizer = hearsay.torch.Optimizer(model, len(images), evaluate=evaluate)
    for samples in optimizer.minibatches:
        optimizer.zero_grad()
        cross_entropy(model(images[samples]), labels[samples]).backward()
        clock.note_gradient()
        optimizer.step()


def mean_loss(model, images, labels, averaged):
    """The loss, over all ranks, of the model or, where ranks differ, of the mean of their models."""
    import torch.distributed as distributed

    with torch.no_grad():
        vector = nn.utils.parameters_to_vector(model.parameters())
        if averaged:
            mine = vector.clone()
            distributed.all_reduce(vector)
            nn.utils.vector_to_parameters(vector / distributed.get_world_size(), model.parameters())
        loss = cross_entropy(model(images), labels)
        distributed.all_reduce(loss)
        if averaged:
            nn.utils.vector_to_parameters(mine, model.parameters())
    return float(loss) / distributed.get_world_size()


def train_over_gloo(way, model, images, labels, rank, ranks, steps, folder, clock):
    import torch.distributed as distributed
    from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook
    from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
    from torch.distributed.optim import PostLocalSGDOptimizer

    store = "file://" + str(folder / "store")
    distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=ranks)
    draws = numpy.random.default_rng([1, rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=STEP_SIZE)
    trained = model
    if way == "postlocal":
        averager = PeriodicModelAverager(period=LOCAL_STEPS, warmup_steps=0)
        optimizer = PostLocalSGDOptimizer(optimizer, averager)
    else:
        trained = nn.parallel.DistributedDataParallel(model)
    if way == "powersgd":
        state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=2, start_powerSGD_iter=2)
        trained.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    judges = steps == 0
    while clock.steps < steps or judges:
        samples = torch.tensor(draws.integers(0, len(images), BATCH))
        optimizer.zero_grad()
        cross_entropy(trained(images[samples]), labels[samples]).backward()
        clock.note_gradient()
        optimizer.step()
        if judges and clock.steps % JUDGED_EVERY == 0:
            judges = mean_loss(model, images, labels, way == "postlocal") > TARGET_LOSS


def leave_gloo():
    """All at once: a process that leaves early makes gloo abort the others."""
    import torch.distributed as distributed

    distributed.barrier()
    distributed.destroy_process_group()


def main():
    way, folder = sys.argv[1], Path(sys.argv[4])
    ranks, steps = map(int, sys.argv[2:4])
    rank = int(os.environ.get("HEARSAY_ID", os.environ.get("RANK", "")))
    model = mlp([int(width) for width in sys.argv[5].split(",")])
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    images, labels = load(Path(sys.argv[6]), Path(sys.argv[7]), rank, ranks)
    clock = Clock()
    if way == "hearsay":
        train_beside_hearsay(model, images, labels, clock)
    else:
        train_over_gloo(way, model, images, labels, rank, ranks, steps, folder, clock)
    clock.write(folder / f"times-{rank}.json")
    if way != "hearsay":
        leave_gloo()


main()
