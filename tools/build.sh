#!/bin/sh
# Configures and builds in build/, Release. The arguments are targets; without arguments, all.
set -eu
cd "$(dirname "$0")/.."

if [ -f build/CMakeCache.txt ]; then
  cmake -S . -B build > /dev/null  # keeps the earlier configuration
else
  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release
fi
exec cmake --build build ${1:+--target "$@"}
