#!/bin/sh
# Checks the example for systemd; run by ctest. Says what it skips, and why.
set -eu
cd "$(dirname "$0")/../../tools/examples/systemd"

if ! command -v systemd-analyze > /dev/null; then
  echo "skipped: the example for systemd (no systemd-analyze: apt-get install systemd)"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
verify() {
  systemd-analyze --man=no verify "$folder/hearsay-peer@3.service" 2>&1
}
cp hearsay-peer@.service "$folder"
said=$(verify) && [ -z "$said" ] || { echo "wrong: $said"; exit 1; }
sed 's/^ProtectHome/ProtectHom/' hearsay-peer@.service > "$folder/hearsay-peer@.service"
verify | grep -q "Unknown key.*ProtectHom" || { echo "wrong: a misspelled key is not noticed"; exit 1; }
