#!/bin/sh
# All figures in one page, from a fresh clone: sets up, builds, runs the sweeps of bench/sweeps and some of
# bench/papers in virtual time, and writes report.html. Finished points are kept, so an interrupted call goes
# on. Takes half an hour on two cores; with HEARSAY_DATA_DIR also on real data.
set -eu
cd "$(dirname "$0")/.."

tools/setup.sh
tools/build.sh hearsay

outputs=""
sweep() {
  file=bench/sweeps/$1.toml
  [ -f "$file" ] || file=bench/papers/$1.toml
  name=$2
  shift 2
  echo "== $name"
  # 5: a claim does not hold, which the page says
  build/hearsay sweep "$file" --resume --output "runs/$name" "$@" > "runs/$name.txt" || [ $? -eq 5 ]
  outputs="$outputs runs/$name"
}

mkdir -p runs
for figure in slow-network uneven-network utilisation pair-sync epoch-time loss-per-epoch low-bits scaling dpsvrg; do
  sweep $figure $figure
done
if [ -n "${HEARSAY_DATA_DIR:-}" ]; then
  sweep dpsvrg dpsvrg-a9a --set 'data.source="libsvm:$HEARSAY_DATA_DIR/a9a.gz"' --set run.epochs=20
  for figure in loss-per-epoch low-bits; do
    sweep $figure $figure-mnist --set 'model.kind="mlp(240, 224, 128)"' \
      --set 'data.source="idx:$HEARSAY_DATA_DIR/t10k-images-idx3-ubyte.gz,$HEARSAY_DATA_DIR/t10k-labels-idx1-ubyte.gz"'
  done
else
  echo "Not on real data: HEARSAY_DATA_DIR is not set."
fi
# shellcheck disable=SC2086
build/hearsay report $outputs --output report.html --overwrite
