#!/bin/sh
# The first run, from a fresh clone: sets up, builds, runs the sweep of tools/examples/quickstart.toml, and
# draws its pictures into one page, beside the output. Passes its arguments on to the sweep:
# tools/run.sh --set sweep.driver=simulate. With --verbose as the first one, every step of the build is shown.
set -eu
cd "$(dirname "$0")/.."

tools/setup.sh
verbose=
if [ "${1:-}" = --verbose ]; then
  verbose=--verbose
  shift
fi
tools/build.sh $verbose hearsay
code=0
said=$(build/hearsay sweep tools/examples/quickstart.toml --overwrite "$@") || code=$?
printf '%s\n' "$said"
output=$(printf '%s\n' "$said" | sed -n 's/^output  //p' | tail -n 1)  # --json and --quiet name none
[ -z "$output" ] || build/hearsay report "$output" --output "$output.html" --overwrite
exit "$code"
