"""LeNet-5 on MNIST's test images: 8,000 to train, 2,000 to test. Every program keeps its own share.

    hearsay run mnist.toml -- python3 lenet_mnist.py FOLDER
"""

import gzip
import os
import sys
from pathlib import Path

import hearsay.torch
import numpy
import torch
from torch import nn
from torch.nn.functional import cross_entropy

TRAINING_IMAGES = 8000


def load(folder, id, peers):
    """Returns images (m, 1, 28, 28) from 0 to 1 and labels (m,), to train and to test: every peers-th one."""
    with gzip.open(folder / "t10k-images-idx3-ubyte.gz") as file:
        images = numpy.frombuffer(file.read(), numpy.uint8, offset=16).reshape(-1, 1, 28, 28)
    with gzip.open(folder / "t10k-labels-idx1-ubyte.gz") as file:
        labels = numpy.frombuffer(file.read(), numpy.uint8, offset=8)
    for part in (slice(id, TRAINING_IMAGES, peers), slice(TRAINING_IMAGES + id, None, peers)):
        yield torch.tensor(images[part]).float() / 255, torch.tensor(labels[part]).long()


def lenet5():
    """61,706 parameters."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.Tanh(),
        nn.Linear(120, 84),
        nn.Tanh(),
        nn.Linear(84, 10),
    )


folder = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["HEARSAY_DATA_DIR"])
(images, labels), (test_images, test_labels) = load(folder, *hearsay.identity())
torch.manual_seed(1)  # the same x_0 at all peers
model = lenet5()


def loss(samples):
    return cross_entropy(model(images[samples]), labels[samples])


def evaluate():
    hits = (model(test_images).argmax(1) == test_labels).sum()
    return cross_entropy(model(images), labels), hits, len(test_labels)


hearsay.torch.train(model, loss, len(images), evaluate)
