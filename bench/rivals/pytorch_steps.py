"""How long a step takes beside many parameters: hearsay.torch, and PyTorch's DDP over gloo, on loopback.

    env HEARSAY_DATA_DIR=FOLDER /usr/bin/python3 bench/rivals/pytorch_steps.py build/hearsay [SIZE...]

SIZE: 1M, 10M or 100M parameters (all). 4 and 8 processes train an MLP of so many on MNIST's test images, one
thread each. The ways take turns, so that what else the machine does meets all of them; each figure is the
median of its repetitions. A ratio below 1: sooner than DDP.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from pytorch_workload import (
    BATCH,
    DCD_4_BIT,
    IMAGES,
    ONE_PEER_D_PSGD,
    STEP_SIZE,
    end_well,
    environment_of,
    rank_command,
    step_in,
)

REPETITIONS = 3
PROCESSES = (4, 8)
# Parameters: widths of the MLP, and steps to make.
SIZES = {
    "1M": ("784,700,600,10", 40),
    "10M": ("784,2800,2700,10", 12),
    "100M": ("784,9600,9500,10", 6),
}
WAYS = {
    "DDP": None,
    "all-reduce of gradients": """
topology.kind = "complete"
algorithm.kind = "allreduce-sgd" """,
    "D-PSGD, one peer a step": f'topology.kind = "complete"{ONE_PEER_D_PSGD}',
    "DCD, 4 bit, ring": f'topology.kind = "ring"{DCD_4_BIT}',
}


def seconds_a_step(keys, ranks, widths, steps, data, hearsay):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        way = "ddp" if keys is None else "hearsay"
        command = rank_command(way, ranks, steps, folder, widths, data)
        if keys is not None:
            (folder / "run.toml").write_text(
                f'run.name = "steps"\nrun.iterations = {steps}\nrun.evaluate_every = {steps}\n'
                f'run.evaluate = "own"\ntopology.peers = {ranks}\n'
                f"algorithm.step_size = {STEP_SIZE}\nalgorithm.batch = {BATCH}\n{keys}\n"
            )
            command = [hearsay, "run", "run.toml", "--quiet", "--", *command]
        end_well(
            [
                subprocess.Popen(
                    command, cwd=folder, env=environment_of("lo", rank),
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                )
                for rank in (range(ranks) if keys is None else [0])
            ]
        )
        return step_in(folder)


def compare(size, ranks, data, hearsay):
    widths, steps = SIZES[size]
    taken = {name: [] for name in WAYS}
    for _ in range(REPETITIONS):
        for name, keys in WAYS.items():
            taken[name].append(seconds_a_step(keys, ranks, widths, steps, data, hearsay))
    for name, seconds in taken.items():
        # A ratio is of runs that were neighbors in time.
        ratio = statistics.median(own / ddp for own, ddp in zip(seconds, taken["DDP"]))
        print(f"{size:>10} {ranks:9} {name:26} {statistics.median(seconds):9.3f} {ratio:6.2f}", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit("expected the hearsay program: bench/rivals/pytorch_steps.py build/hearsay [SIZE...]")
    hearsay, sizes = str(Path(sys.argv[1]).resolve()), sys.argv[2:] or list(SIZES)
    if unknown := [size for size in sizes if size not in SIZES]:
        sys.exit(f"SIZE = {unknown[0]}; expected one of {', '.join(SIZES)}")
    data = Path(os.environ.get("HEARSAY_DATA_DIR", "."))
    if not (data / IMAGES).exists():
        sys.exit(f"skipped: a step beside DDP's (no {IMAGES} in HEARSAY_DATA_DIR)")
    print(f"{'parameters':>10} {'processes':>9} {'':26} {'s a step':>9} {'ratio':>6}")
    for size in sizes:
        for ranks in PROCESSES:
            compare(size, ranks, data, hearsay)


main()
