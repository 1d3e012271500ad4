#!/bin/sh
# Runs one file of the tests of the Python package with the Python $1; run by ctest. Says what it skips, and why.
set -eu
cd "$(dirname "$0")"
python=$1
file=$2

skip() {
  echo "skipped: $file ($1 is not installed)"
  exit 77
}
has() {
  "$python" -c "import $1" 2> /dev/null
}
[ -x "$python" ] || skip python3
has numpy || skip python3-numpy
has pytest || skip python3-pytest
case $file in
  test_torch*.py) has torch || skip python3-torch ;;
  test_bits.py) has torch || echo "skipped: what $file says of torch (python3-torch is not installed)" ;;
  test_package.py) has ensurepip || echo "skipped: pip in $file (python3-venv is not installed)" ;;
esac
exec "$python" -B -m pytest -q -p no:cacheprovider "$file"
