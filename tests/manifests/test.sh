#!/bin/sh
# Checks the examples for Kubernetes; run by ctest. Says what it skips, and why.
set -eu
cd "$(dirname "$0")"

skip() {
  echo "skipped: the examples for Kubernetes ($1)"
  exit 0
}
command -v node > /dev/null || skip "no node: apt-get install nodejs npm"
[ -d node_modules/kubernetes-models ] || skip "no kubernetes-models: npm ci --prefix tests/manifests"
exec node --test kubernetes.test.js
