"""A small transformer that continues text, a character at a time. Every program keeps its own part.

    hearsay run chars.toml -- python3 chars.py [TEXT]
"""

import sys
from pathlib import Path

import hearsay.torch
import torch
from torch import nn
from torch.nn.functional import cross_entropy

ALPHABET = 128  # ASCII
CONTEXT = 48
WIDTH = 32


def read(path):
    """The text of a file; without one, that of this project's pages."""
    if path:
        return Path(path).read_bytes()
    root = Path(__file__).resolve().parents[3]
    pages = [
        page for room in ("topology", "algorithms", "runtime") for page in (root / room).rglob("README.md")
    ]
    return b"\n".join(page.read_bytes() for page in sorted(pages))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.characters = nn.Embedding(ALPHABET, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        layer = nn.TransformerEncoderLayer(
            WIDTH, 4, 4 * WIDTH, dropout=0.1, batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, 2)
        self.head = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, ALPHABET))

    def forward(self, text):
        """text: (batch, length) characters. Returns (batch, length, 128): scores of what comes next."""
        length = text.shape[1]
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        return self.head(self.layers(self.characters(text) + self.places.weight[:length], later))


id, peers = hearsay.identity()
text = read(sys.argv[1] if len(sys.argv) > 1 else None)
share = len(text) // peers
own = torch.tensor(list(text[id * share : (id + 1) * share])).clamp(max=ALPHABET - 1)
windows = own.unfold(0, CONTEXT + 1, CONTEXT)  # (m, 49): 48 characters, and what comes after each
test = len(windows) // 10
training, test = windows[test:], windows[:test]
torch.manual_seed(1)  # the same x_0 at all peers
model = Transformer()


def mean_loss(windows):
    return cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten())


def loss(samples):
    return mean_loss(training[samples])


def evaluate():
    hits = (model(test[:, :-1]).argmax(2) == test[:, 1:]).sum()
    return mean_loss(training), hits, test[:, 1:].numel()


hearsay.torch.train(model, loss, len(training), evaluate)

if id == 0:
    line = torch.tensor([list(b"The peers ")])
    with torch.no_grad():
        for _ in range(200):
            next = torch.multinomial(model(line[:, -CONTEXT:])[:, -1].softmax(1), 1)
            line = torch.cat([line, next], 1)
    print(bytes(line[0].tolist()).decode())
