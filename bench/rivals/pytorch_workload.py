"""What pytorch.py and pytorch_steps.py have in common: their processes train an MLP on images of MNIST."""

import json
import os
from pathlib import Path

BATCH = 16  # samples that a process draws for a step
STEP_SIZE = 0.2
# Steps before a steady one: hearsay evaluates x_0 after its first gradient, and DDP orders its buckets anew.
WARM_UP_STEPS = 3
TARGET_LOSS = 0.6  # of the mean model, on the training images
IMAGES, LABELS = "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"
PACKAGE = Path(__file__).resolve().parent.parent.parent / "tools" / "python"
ONE_PEER_D_PSGD = """
topology.schedule = "one-peer-exponential"
algorithm.kind = "d-psgd" """
DCD_4_BIT = """
algorithm.kind = "dcd-psgd"
algorithm.compressor = "dither(linf, bits=4, bucket=256)" """


def environment_of(interface, rank):
    """Of a process with one thread; gloo listens at `interface`."""
    return dict(
        os.environ, PYTHONPATH=str(PACKAGE), OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME=interface, RANK=str(rank)
    )


def rank_command(way, ranks, steps, folder, widths, data):
    words = [way, ranks, steps, folder, widths, data / IMAGES, data / LABELS]
    return ["/usr/bin/python3", str(Path(__file__).with_name("pytorch_rank.py")), *map(str, words)]


def end_well(processes):
    """Waits for all; raises RuntimeError with the words of one that failed."""
    failure = None
    for process in processes:
        _, error = process.communicate(timeout=900)
        if process.returncode != 0:
            failure = failure or f"exit code {process.returncode}: {error.strip()[-600:]}"
    if failure:
        raise RuntimeError(failure)


def ranks_in(folder):
    return [json.loads(file.read_text()) for file in folder.glob("times-*.json")]


def step_in(folder):
    """Seconds a step, after the warm-up."""
    ranks = ranks_in(folder)
    took = max(rank["last"] for rank in ranks) - max(rank["warm"] for rank in ranks)
    return took / (ranks[0]["steps"] - WARM_UP_STEPS)


def times_in(folder):
    """Seconds from PyTorch's import to the first gradient of all, between gradients, and to the end."""
    ranks = ranks_in(folder)
    first = max(rank["first"] for rank in ranks)
    last = max(rank["last"] for rank in ranks)
    return {
        "steps": ranks[0]["steps"],
        "start": first - max(rank["loaded"] for rank in ranks),
        "steady": last - first,
        "end": max(rank["end"] for rank in ranks) - last,
    }
