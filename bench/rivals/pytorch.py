"""Who reaches a training loss first over the kernel's slow network: PyTorch's own ways, or hearsay.torch.

    sudo env HEARSAY_DATA_DIR=FOLDER /usr/bin/python3 bench/rivals/pytorch.py build/hearsay [RATE] [WAY...]

Eight processes train the MLP of pytorch_rank.py on MNIST's test images, each in a network namespace of its
own whose port has RATE (10mbit), both ways (tbf). First every way is asked, on a network without a limit, how
many steps it takes to the loss of 0.6 of the mean model; then it makes just these steps on the slow one.
`start`: from the moment at which all processes have loaded PyTorch to the first gradient of all; `end`: from
the last gradient of all to the end of the last loop. The congestion control is the machine's.
"""

import json
import os
import shutil
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
    TARGET_LOSS,
    end_well,
    environment_of,
    rank_command,
    times_in,
)

RANKS = 8
WIDTHS = "784,300,117,10"  # 271,897 parameters

RIVALS = {
    "DDP": "ddp",
    "DDP, PowerSGD hook, rank 2": "powersgd",
    "PostLocalSGDOptimizer, period 10": "postlocal",
}
HEARSAY = {
    "D-PSGD, one peer a step": ONE_PEER_D_PSGD,
    "DCD, 4 bit": DCD_4_BIT,
    "CHOCO, 1 bit, 4 local steps": """
algorithm.kind = "choco-sgd"
algorithm.compressor = "sign(bucket=layer)"
algorithm.local_steps = 4 """,
    "SparseLoCo, 10 local steps": """
algorithm.kind = "sparse-loco"
algorithm.local_steps = 10 """,
}


def call(command):
    subprocess.run(command, shell=True, check=True)


class Network:
    """Eight namespaces around a bridge in a ninth. `rate`: of every port, each way; None: no limit."""

    def __init__(self, rate):
        tag = f"rival{os.getpid()}"
        self._switch = f"{tag}s"
        self._places = [f"{tag}n{rank}" for rank in range(RANKS)]
        self._rate = rate

    def __enter__(self):
        try:
            self._lay_cables()
        except subprocess.CalledProcessError:
            self.__exit__()
            raise
        return self

    def _lay_cables(self):
        switch = self._switch
        call(
            f"ip netns add {switch} && ip -n {switch} link add bridge type bridge && "
            f"ip -n {switch} link set bridge up"
        )
        for rank, place in enumerate(self._places):
            call(
                f"ip netns add {place} && ip -n {place} link set lo up && "
                f"ip -n {place} link add eth0 type veth peer name p{rank} netns {switch} && "
                f"ip -n {switch} link set p{rank} master bridge up && "
                f"ip -n {place} addr add {self.address(rank)}/24 dev eth0 && ip -n {place} link set eth0 up"
            )
            if self._rate is None:
                continue
            for where, port in ((place, "eth0"), (switch, f"p{rank}")):
                call(
                    f"tc -n {where} qdisc add dev {port} root tbf rate {self._rate} burst 10kb latency 400ms"
                )

    def __exit__(self, *_):
        for place in self._places + [self._switch]:
            subprocess.run(["ip", "netns", "del", place], check=False)

    @staticmethod
    def address(rank):
        return f"10.9.0.{rank + 1}"

    def start(self, rank, command, folder):
        return subprocess.Popen(
            ["ip", "netns", "exec", self._places[rank], *command],
            cwd=folder, env=environment_of("eth0", rank), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )


def run_file(folder, keys, steps, evaluate_every, evaluate, target):
    peers = "".join(
        f'[[peer]]\nname = "p{rank}"\naddress = "tcp://{Network.address(rank)}:7401"\n'
        for rank in range(RANKS)
    )
    family = "complete" if "one-peer" in keys else "ring"
    (folder / "hosts.toml").write_text(
        f'family = "{family}"\nobserver = "tcp://{Network.address(0)}:7400"\n' + peers
    )
    (folder / "run.toml").write_text(
        f'run.name = "rival"\nrun.iterations = {steps}\nrun.evaluate_every = {evaluate_every}\n'
        f'run.evaluate = "{evaluate}"\n{target}topology.file = "hosts.toml"\n'
        f"algorithm.step_size = {STEP_SIZE}\nalgorithm.batch = {BATCH}\n{keys}\n"
    )


def train(network, way, steps, data, hearsay, keys=None, evaluate_every=None, evaluate="own", target=""):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if keys is not None:
            run_file(folder, keys, steps, evaluate_every or steps, evaluate, target)
        processes = []
        for rank in range(RANKS):
            command = rank_command(way, RANKS, steps, folder, WIDTHS, data)
            where = folder
            if keys is not None:
                where = folder / f"host{rank}"
                where.mkdir()
                for file in ("hosts.toml", "run.toml"):
                    shutil.copy(folder / file, where)
                command = [hearsay, "peer", "run.toml", "--id", str(rank), "--", *command]
            processes.append(network.start(rank, command, where))
        end_well(processes)
        result = times_in(folder)
        if target:
            lines = (folder / "host0/runs/rival/metrics.jsonl").read_text().splitlines()
            result["steps"] = next(
                e["iteration"] for e in map(json.loads, lines) if e.get("loss", 9.0) <= TARGET_LOSS
            )
        return result


def print_row(name, steps, result):
    total = result["start"] + result["steady"] + result["end"]
    print(
        f"{name:42} {steps:6} {result['start']:8.2f} {result['steady'] / max(1, steps - 1):10.3f} "
        f"{result['end']:8.2f} {total:9.2f}",
        flush=True,
    )


def reason_to_skip(data):
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    if data is None or not (data / IMAGES).exists():
        return f"no {IMAGES} in HEARSAY_DATA_DIR"
    loads_torch = ["/usr/bin/python3", "-c", "import torch.distributed"]
    if subprocess.run(loads_torch, stderr=subprocess.DEVNULL).returncode:
        return "no PyTorch; it is the package python3-torch"
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit("expected the hearsay program: bench/rivals/pytorch.py build/hearsay [RATE] [WAY...]")
    hearsay = str(Path(sys.argv[1]).resolve())
    rate = sys.argv[2] if len(sys.argv) > 2 else "10mbit"
    wanted = sys.argv[3:]
    data = Path(os.environ["HEARSAY_DATA_DIR"]) if "HEARSAY_DATA_DIR" in os.environ else None
    if reason := reason_to_skip(data):
        print(f"skipped: PyTorch's ways beside hearsay ({reason})")
        return
    print(f"{RANKS} processes, {rate} a port")
    print(f"{'':42} {'steps':>6} {'start s':>8} {'s a step':>10} {'end s':>8} {'to loss s':>9}")
    for name, way in list(RIVALS.items()) + [(name, "hearsay") for name in HEARSAY]:
        if wanted and name not in wanted:
            continue
        keys = HEARSAY.get(name)
        with Network(None) as fast:
            if keys is None:
                steps = train(fast, way, 0, data, hearsay)["steps"]
            else:
                target = f"run.target_loss = {TARGET_LOSS}\n"
                steps = train(fast, way, 400, data, hearsay, keys, 2, "mean", target)["steps"]
        with Network(rate) as slow:
            print_row(name, steps, train(slow, way, steps, data, hearsay, keys))


main()
