#!/bin/sh
# Sets up, builds everything and runs all tests, from a fresh clone. HEARSAY_DATA_DIR names the folder with
# the real data (a9a and others); without it the tests on real data say that they skip. Passes its arguments
# on to ctest.
set -eu
cd "$(dirname "$0")/.."

tools/setup.sh
tools/build.sh
code=0
# A test more than there are cores: some wait for time-outs and slow networks. One that never ends is named
# after a quarter of an hour; the longest takes three minutes.
ctest --test-dir build --output-on-failure --timeout 900 -j "$(($(nproc) + 1))" "$@" || code=$?
log=build/Testing/Temporary/LastTest.log
if [ "$code" -ne 0 ]; then
  echo "What the failed tests said, again:"
  awk '/^[0-9]+\/[0-9]+ Testing: / { text = "" } { text = text "  " substr($0, 1, 300) "\n" }
       /^Test Failed\.$/ { printf "%s", text }' "$log"
fi
if grep -q 'skipped: ' "$log"; then
  echo "Not tested:"
  grep -o 'skipped: .*' "$log" | sort -u | sed 's/^/  /'
fi
exit $code
