#!/usr/bin/env python3
"""Graphs for a network: is the graph that `hearsay topology --fit` finds sooner at a loss than ring, torus,
exponential and complete graph?

    bench/graphs.py build/hearsay FOLDER [NETWORK ...]

writes links files, fitted graphs and a sweep for every network into FOLDER, and runs the sweeps in virtual time.
Networks: `ports` (16 peers, ports of 1 to 20 Mbit/s, spread evenly on a logarithmic scale), `pairs` (16 peers, 1 to
20 Mbit/s between any two, each direction drawn alike), and three of the Internet Topology Zoo, from
$HEARSAY_DATA_DIR/topology-zoo.tar.xz.

In a network of the Zoo the nodes are the peers. The labels of its links give their speeds, scaled such that the
slowest is 1 Mbit/s; a link takes 2 ms, since the files have no places. Between two peers a message takes the path of
the fewest links, and the slowest of them is its bandwidth. A port is as fast as the fastest line of its node.
"""

import collections
import io
import itertools
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree

ZOO = {"aarnet": "Aarnet", "belnet": "Belnet2003", "cesnet": "Cesnet200304"}
PEERS = 16
HOP_MS = 2


def ports():
    megabits = [20 ** (k / (PEERS - 1)) for k in range(PEERS)]
    random.Random(7).shuffle(megabits)
    text = 'latency = "5 ms"\n'
    for peer, rate in enumerate(megabits):
        text += f'\n[[peer]]\nname = "{peer}"\nbandwidth = "{rate:.3f} Mbit/s"\n'
    return PEERS, text


def pairs():
    drawn = random.Random(8)
    text = f'peers = {PEERS}\nlatency = "5 ms"\n'
    for a, b in itertools.permutations(range(PEERS), 2):
        text += f'\n[[link]]\nfrom = {a}\nto = {b}\nbandwidth = "{20 ** drawn.random():.3f} Mbit/s"\n'
    return PEERS, text


def bits_per_second(label):
    """The fastest speed that a label names: "< 2.5 Gbps", "155M"; None if it names none."""
    found = re.findall(r"([\d.]+)\s*([GMk])", label, re.IGNORECASE)
    return max((float(number) * {"g": 1e9, "m": 1e6, "k": 1e3}[unit.lower()] for number, unit in found), default=None)


def zoo_lines(name):
    """The speed of every pair of linked nodes."""
    archive = pathlib.Path(os.environ["HEARSAY_DATA_DIR"]) / "topology-zoo.tar.xz"
    with tarfile.open(archive) as files:
        text = files.extractfile(f"topology-zoo/{ZOO[name]}.graphml").read()
    root = ElementTree.parse(io.BytesIO(text)).getroot()
    space = root.tag[: root.tag.index("}") + 1]
    label = next(
        key.get("id") for key in root.iter(space + "key") if (key.get("attr.name"), key.get("for")) == ("label", "edge")
    )
    lines = {}
    for edge in root.iter(space + "edge"):
        words = [data.text for data in edge.iter(space + "data") if data.get("key") == label and data.text]
        speed = bits_per_second(words[0]) if words else None
        ends = tuple(sorted((edge.get("source"), edge.get("target"))))
        if speed and ends[0] != ends[1]:
            lines[ends] = max(speed, lines.get(ends, 0.0))
    return lines


def paths(lines):
    """For the nodes of the largest part: hops and slowest speed between any two."""
    neighbors = collections.defaultdict(dict)
    for (a, b), speed in lines.items():
        neighbors[a][b] = neighbors[b][a] = speed

    def from_node(start):
        reached = {start: (0, math.inf)}
        layer = [start]
        while layer:
            following = {}
            for node in layer:
                for other, speed in neighbors[node].items():
                    slowest = min(reached[node][1], speed)
                    if other not in reached and slowest > following.get(other, 0.0):
                        following[other] = slowest
            for node, slowest in following.items():
                reached[node] = (reached[layer[0]][0] + 1, slowest)
            layer = sorted(following)
        return reached

    reached = {node: from_node(node) for node in sorted(neighbors)}
    largest = max(reached.values(), key=len)
    nodes = sorted(largest, key=lambda node: int(re.sub(r"\D", "", node) or 0))
    return nodes, {node: reached[node] for node in nodes}, {node: max(neighbors[node].values()) for node in nodes}


def zoo(name):
    nodes, reached, port = paths(zoo_lines(name))
    unit = min(slowest for node in nodes for other, (_, slowest) in reached[node].items() if other != node)
    text = ""
    for peer, node in enumerate(nodes):
        text += f'[[peer]]\nname = "{peer}"\nbandwidth = "{port[node] / unit:.4f} Mbit/s"\n'
    for (a, start), (b, end) in itertools.permutations(enumerate(nodes), 2):
        hops, slowest = reached[start][end]
        text += f'\n[[link]]\nfrom = "{a}"\nto = "{b}"\nlatency = "{HOP_MS * hops} ms"\n'
        text += f'bandwidth = "{slowest / unit:.4f} Mbit/s"\n'
    return len(nodes), text


SWEEP = """
[run]
name = "{name}"
iterations = 3000
evaluate_every = 2
target_loss = 0.3

[data]
source = "synthetic(samples=4096, features=200, classes=32)"
partition = "by-label"

[model]
kind = "softmax"

[topology]
peers = {peers}

[algorithm]
kind = "d-psgd"
compressor = "none"
batch = 64

[network]
links = "links.toml"
compute = "0 ms"

[sweep]
driver = "simulate"
baseline = "fitted, degree 3, metropolis"
tune = ["algorithm.step_size"]
"algorithm.step_size" = [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8]
"""
MESSAGE_BYTES = 64 + 4 * 200 * 32


def torus(peers):
    rows = max(k for k in range(1, math.isqrt(peers) + 1) if peers % k == 0)
    return f"torus({rows}x{peers // rows})" if rows > 1 else None


def measure(program, folder, name):
    peers, links = {"ports": ports, "pairs": pairs}.get(name, lambda: zoo(name))()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "links.toml").write_text(links)
    sweep = SWEEP.format(name=name, peers=peers)
    for degree in (3, 6):
        fit = [program, "topology", "--fit", "links.toml", "--degree", str(degree), "--message", f"{MESSAGE_BYTES} B"]
        for name_of_weights, weights in (("fastest", ["--weights", "fastest-chain"]), ("metropolis", [])):
            file = f"degree-{degree}-{name_of_weights}.toml"
            words = fit + ["--write", file, "--overwrite"] + weights
            table = subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
            print(f"{name}, {peers} peers, degree {degree}\n" + table.split("\n\n")[0] + "\n", flush=True)
            sweep += f'\n[[sweep.variant]]\nname = "fitted, degree {degree}, {name_of_weights}"\n'
            sweep += f'topology.file = "{file}"\n'
    for kind in filter(None, ("ring", torus(peers), "exponential", "complete")):
        for weights in ("fastest-chain", "metropolis"):
            sweep += f'\n[[sweep.variant]]\nname = "{kind}, {weights}"\n'
            sweep += f'topology.kind = "{kind}"\ntopology.weights = "{weights}"\n'
    (folder / "sweep.toml").write_text(sweep)
    run = [program, "sweep", "sweep.toml", "--output", "out", "--overwrite", "--quiet"]
    subprocess.run(run, cwd=folder, check=False)


def main():
    program, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    for name in sys.argv[3:] or ["ports", "pairs", *ZOO]:
        measure(program, folder / name, name)


if __name__ == "__main__":
    main()
