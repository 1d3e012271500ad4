"""The package installs without network, and imports where NumPy alone is."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import hearsay
import pytest

PACKAGE = Path(hearsay.__file__).resolve().parents[1]


def test_pip_installs_it_offline(tmp_path):
    if subprocess.run([sys.executable, "-c", "import ensurepip, venv"], capture_output=True).returncode != 0:
        pytest.skip("python3-venv is not installed")
    source = tmp_path / "source"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    environment = {**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "PIP_NO_INDEX": "1"}
    subprocess.run([python, "-m", "pip", "install", "-q", source], check=True, env=environment)
    where = subprocess.run(
        [python, "-c", "import hearsay; print(hearsay.__file__, hearsay.__version__)"],
        check=True,
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    ).stdout
    assert where.startswith(str(tmp_path / "venv")) and where.endswith(" 0.1.0\n")


def test_it_imports_nothing_but_numpy_and_the_standard_library():
    code = (
        "import sys, hearsay; print([name for name in ('torch', 'pandas', 'scipy') if name in sys.modules])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        capture_output=True,
        text=True,
    ).stdout
    assert said == "[]\n"


@pytest.mark.parametrize(
    "package, program",
    [
        ("tools/python/hearsay", "build/hearsay"),
        ("share/hearsay/python/hearsay", "bin/hearsay"),
        ("lib/python3/site-packages/hearsay", "bin/hearsay"),
    ],
)
def test_it_finds_the_program_beside_it(tmp_path, package, program):
    shutil.copytree(PACKAGE / "hearsay", tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / program).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / program).touch(mode=0o755)
    environment = {"PATH": "/nowhere", "PYTHONPATH": str((tmp_path / package).parent)}
    found = subprocess.run(
        [sys.executable, "-c", "import hearsay; print(hearsay.find_program())"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert found == f"{tmp_path / program}\n"
