import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))

from fake_peer import FakePeer  # noqa: E402


@pytest.fixture
def fake():
    peer = FakePeer()
    yield peer
    peer.close()
