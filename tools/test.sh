#!/bin/sh
# Sets up, builds everything and runs all tests, from a fresh clone. HEARSAY_DATA_DIR names the folder with the real data
# (a9a and others); tests that want it say so where it is not set. Arguments are passed on to ctest.
set -eu
cd "$(dirname "$0")/.."

tools/setup.sh
tools/build.sh
code=0
ctest --test-dir build --output-on-failure -j "$(nproc)" "$@" || code=$?
log=build/Testing/Temporary/LastTest.log
if grep -q 'skipped: ' "$log"; then
  echo "Not tested:"
  grep -o 'skipped: .*' "$log" | sort -u | sed 's/^/  /'
fi
exit $code
