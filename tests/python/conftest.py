import os
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "tools" / "python"
sys.path.insert(0, str(PACKAGE))

import hearsay  # noqa: E402
from fake_peer import FakePeer  # noqa: E402
from runs import RUN  # noqa: E402


@pytest.fixture
def fake():
    """A peer of the test's own."""
    peer = FakePeer()
    yield peer
    peer.close()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with run.toml, in which the programs run."""
    try:
        monkeypatch.setenv("HEARSAY_PROGRAM", hearsay.find_program())
    except hearsay.Error:
        pytest.skip("the program hearsay is not built: tools/build.sh")
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(PACKAGE)]))
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.toml").write_text(RUN)
    return tmp_path
