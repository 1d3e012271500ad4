#!/bin/sh
# The first run, from a fresh clone: sets up, builds, and runs the sweep of tools/examples/quickstart.toml.
# Passes its arguments on: tools/run.sh --set sweep.driver=simulate
set -eu
cd "$(dirname "$0")/.."

tools/setup.sh
tools/build.sh hearsay
exec build/hearsay sweep tools/examples/quickstart.toml --overwrite "$@"
