#!/bin/sh
# Installs the Debian packages that hearsay needs and that are missing. If it may not install them, prints the
# command that does, and fails. Safe to repeat.
set -eu

packages="g++ cmake ninja-build pkg-config
  libzmq3-dev cppzmq-dev libeigen3-dev libboost-graph-dev doctest-dev libhwy-dev libtomlplusplus-dev libcli11-dev
  nlohmann-json3-dev libxxhash-dev zlib1g-dev libspectra-dev libbenchmark-dev libjs-chart.js
  git iproute2 ca-certificates openssh-client"
faster="mold ccache"  # the build does without them
# Only the tests that root runs need an ssh server: they log in to hosts of their own.
[ "$(id -u)" != 0 ] || packages="$packages openssh-server"

if ! command -v dpkg-query > /dev/null; then
  echo "hearsay: this is no Debian; these packages, or what they are called here, are needed:" $packages >&2
  exit 0
fi

missing_of() {
  for package; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null || true)
    [ "$status" = installed ] || printf ' %s' "$package"
  done
}
needed=$(missing_of $packages)
missing=$needed$(missing_of $faster)
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=""
elif sudo -n true 2> /dev/null; then
  as_root="sudo -n"
else
  [ -n "$needed" ] || exit 0
  echo "hearsay: Debian packages are missing; install them with" >&2
  echo "sudo apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
echo "hearsay: installing the Debian packages$missing"
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends $missing > /dev/null
