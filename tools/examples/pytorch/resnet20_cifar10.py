"""ResNet-20 on CIFAR-10 in its binary format. Every program reads its own share of the images.

    hearsay run cifar10.toml -- python3 resnet20_cifar10.py FOLDER
"""

import os
import sys
from pathlib import Path

import hearsay.torch
import numpy
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    """Every peers-th image of data files; with `flipped`, half of them mirrored at random."""

    def __init__(self, files, id, peers, flipped=False):
        shares = [
            numpy.array(numpy.memmap(file, numpy.uint8, "r").reshape(-1, 3073)[id::peers]) for file in files
        ]
        share = torch.tensor(numpy.concatenate(shares))
        self.labels = share[:, 0].long()
        self.images = (share[:, 1:].view(-1, 3, 32, 32).float() / 255 - 0.5) / 0.25
        self.flipped = flipped

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, k):
        mirrored = self.flipped and torch.rand(()) < 0.5
        return self.images[k].flip(2) if mirrored else self.images[k], self.labels[k]


def norm(channels):
    # No BatchNorm: its running statistics are no parameters, so the peers would not agree on them.
    return nn.GroupNorm(channels // 8, channels)


class Block(nn.Module):
    def __init__(self, before, channels, stride):
        super().__init__()
        self.straight = nn.Sequential(
            nn.Conv2d(before, channels, 3, stride, 1, bias=False),
            norm(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False),
            norm(channels),
        )
        self.shortcut = (
            nn.Identity()
            if before == channels
            else nn.Sequential(nn.Conv2d(before, channels, 1, stride, bias=False), norm(channels))
        )

    def forward(self, x):
        return torch.relu(self.straight(x) + self.shortcut(x))


def resnet20():
    """272,474 parameters."""
    blocks = [Block(16, 16, 1) for _ in range(3)]
    for channels in (32, 64):
        blocks += [
            Block(channels // 2, channels, 2),
            Block(channels, channels, 1),
            Block(channels, channels, 1),
        ]
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, 1, 1, bias=False),
        norm(16),
        nn.ReLU(),
        *blocks,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10)
    )


folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(os.environ["HEARSAY_DATA_DIR"]) / "cifar10-sample")
training = Images(sorted(folder.glob("data_batch_*.bin")), *hearsay.identity(), flipped=True)
test = Images([folder / "test_batch.bin"], *hearsay.identity())
torch.manual_seed(1)  # the same x_0 at all peers
model = resnet20()


def predictions(data):
    return torch.cat([model(images) for images in data.images.split(250)])


def evaluate():
    hits = (predictions(test).argmax(1) == test.labels).sum()
    return cross_entropy(predictions(training), training.labels), hits, len(test)


optimizer = hearsay.torch.Optimizer(model, len(training), evaluate=evaluate)
for images, labels in DataLoader(training, batch_sampler=optimizer.minibatches):
    optimizer.zero_grad()
    cross_entropy(model(images), labels).backward()
    optimizer.step()
