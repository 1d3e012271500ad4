#!/bin/sh
# A paper of the gallery: runs its sweep, in the reduced size that its run file names, and fails if one of its
# claims does not hold, or could not be tried.
#
#     tests/papers/paper.sh FILE.toml HEARSAY FOLDER
set -eu
file=$1
hearsay=$2
folder=$3
reduced=$(sed -n 's/^# In tests: //p' "$file")
[ -n "$reduced" ] || { echo "$file does not say how it is tested: # In tests: ..."; exit 1; }
[ "$reduced" != "as it is" ] || reduced=""
if grep -q '^source = .*HEARSAY_DATA_DIR' "$file" && [ -z "${HEARSAY_DATA_DIR:-}" ]; then
  echo "skipped: HEARSAY_DATA_DIR is not set"
  exit 77
fi
grep -q '^\[\[sweep.claim\]\]' "$file" || { echo "$file claims nothing"; exit 1; }
mkdir -p "$folder"
eval "\"\$hearsay\" sweep \"\$file\" --output \"\$folder/run\" --overwrite --quiet $reduced" > "$folder/said.txt" || {
  code=$?
  grep -A 99 '^holds:\|^FAILS:\|^not tried:' "$folder/said.txt"
  exit $code
}
if grep '^not tried:' "$folder/said.txt"; then exit 1; fi
grep -c '^holds:' "$folder/said.txt"
