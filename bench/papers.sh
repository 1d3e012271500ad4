#!/bin/sh
# The gallery of papers in one page, from a fresh clone: sets up, builds, runs every sweep of bench/papers in
# virtual time, says which claims do not hold, and writes papers.html. Finished points are kept, so an
# interrupted call goes on. Takes minutes on two cores; with HEARSAY_DATA_DIR also on real data.
set -eu
cd "$(dirname "$0")/.."

tools/setup.sh
tools/build.sh hearsay

outputs=""
refuted=""
paper() {
  file=$1
  name=$2
  shift 2
  echo "== $name"
  code=0
  build/hearsay sweep "bench/papers/$file.toml" --resume --output "runs/papers/$name" "$@" > "runs/papers/$name.txt" || code=$?
  sed -n '/^holds:/p; /^FAILS:/,/^$/p; /^not tried:/p' "runs/papers/$name.txt"
  [ $code -eq 0 ] || [ $code -eq 5 ] || exit $code
  [ $code -eq 0 ] || refuted="$refuted $name"
  outputs="$outputs runs/papers/$name"
}

mkdir -p runs/papers
# In the order of the tables of the gallery's README; a test says if an entry has no row there.
for name in $(sed -n 's/^| `\([a-z0-9-]*\)` |.*/\1/p' bench/papers/README.md); do
  case $name in
    *-a9a) ;;
    *) paper "$name" "$name" ;;
  esac
done
if [ -n "${HEARSAY_DATA_DIR:-}" ]; then
  paper beer-a9a beer-a9a
  for name in dpsvrg d2 chb error-feedback; do
    epochs=""
    [ $name != dpsvrg ] || epochs="--set run.epochs=20"
    # shellcheck disable=SC2086
    paper $name $name-on-a9a --set 'data.source="libsvm:$HEARSAY_DATA_DIR/a9a.gz"' $epochs
  done
  for name in loss-per-epoch low-bits; do
    paper $name $name-on-mnist --set 'model.kind="mlp(240, 224, 128)"' \
      --set 'data.source="idx:$HEARSAY_DATA_DIR/t10k-images-idx3-ubyte.gz,$HEARSAY_DATA_DIR/t10k-labels-idx1-ubyte.gz"'
  done
else
  echo "Not on real data: HEARSAY_DATA_DIR is not set."
fi
# shellcheck disable=SC2086
build/hearsay report $outputs --output papers.html --overwrite
if [ -n "$refuted" ]; then
  echo "Claims do not hold in:$refuted"
  exit 5
fi
