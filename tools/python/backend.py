"""Builds the wheel of the package hearsay, which is pure Python, with nothing but the standard library."""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent
VERSION = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE).group(1)
INFO = f"hearsay-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: hearsay
Version: {VERSION}
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: torch
Requires-Dist: torch; extra == "torch"
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: hearsay\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {str(path.relative_to(ROOT)): path.read_bytes() for path in sorted(ROOT.glob("hearsay/**/*.py"))}
    files.update({f"{INFO}/METADATA": METADATA.encode(), f"{INFO}/WHEEL": WHEEL.encode()})
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    name = f"hearsay-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name
