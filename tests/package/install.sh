#!/bin/sh
# Uses the packages of a folder in an empty Debian 12, if this machine can make one; run by ctest:
#
#     install.sh SOURCE PACKAGES
set -eu
source=$1 packages=$2

skip() {
  echo "skipped: Debian packages in an empty Debian 12 ($1)"
  exit 0
}
ls "$packages"/*.deb > /dev/null 2>&1 || skip "no packages"
[ "$(id -u)" = 0 ] || skip "only root may change into another root folder"
unshare --mount sh -c 'mount -t tmpfs none /mnt' 2> /dev/null || skip "nothing may be mounted here"
command -v mmdebstrap > /dev/null || skip "apt-get install mmdebstrap"
probe=$(mktemp)
/usr/lib/apt/apt-helper download-file http://deb.debian.org/debian/dists/bookworm/Release "$probe" > /dev/null 2>&1 || {
  rm "$probe"
  skip "deb.debian.org does not answer"
}
rm "$probe"
exec "$source/tools/package/smoke.sh" "$packages"
