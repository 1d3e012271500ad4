#!/bin/sh
# Configures and builds in build/, Release; the arguments are targets, none are all.
set -eu
cd "$(dirname "$0")/.."

[ -f build/build.ninja ] || cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release
exec cmake --build build ${1:+--target "$@"}
