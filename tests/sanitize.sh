#!/usr/bin/env bash
# Every test but the slow and the installing ones under AddressSanitizer, LeakSanitizer and
# UndefinedBehaviorSanitizer, with clang++ in build-asan/, and before them every header, and every source of the
# program, by itself, with nothing precompiled: by hand, or every night. More than an hour on two cores. CI runs
# those tests that handle memory and bytes. Passes its arguments on to ctest.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset headers > /dev/null
cmake --build --preset headers
cmake --preset asan > /dev/null
cmake --build --preset asan-all
ctest --preset asan-all -j "$(nproc)" "$@"
