#!/bin/sh
# Tests the pages in a real browser; run by ctest. Says what it skips, and why.
set -eu
cd "$(dirname "$0")"

skip() {
  echo "skipped: the pages in a browser ($1)"
  exit 0
}
command -v node > /dev/null || skip "no node: apt-get install nodejs npm"
[ -e /usr/bin/chromium ] || [ -e /usr/bin/chromium-browser ] || [ -e /usr/bin/google-chrome ] ||
  skip "no Chromium: apt-get install chromium"
[ -d node_modules/playwright-core ] || skip "no playwright-core: npm ci --prefix tests/browser"
exec node --test "$@"
