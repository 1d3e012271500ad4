#!/usr/bin/env bash
# Installs the packages of a folder into an empty Debian 12, which is made for that and removed, and uses them
# there as a stranger does, who has no source: the program from its first command to the first page of
# pictures, the Python package, and a program of his own with the library. Prints the seconds of each.
#
#     tools/package/smoke.sh [FOLDER]    # build/packages, if not said
#
# Needs root, mmdebstrap and a Debian mirror; 200 MB are downloaded, 1.5 GB of memory are used.
set -euo pipefail
if [ "${1:-}" != --alone ]; then
  [ "$(id -u)" = 0 ] || { echo "smoke.sh: only root may change into another root folder" >&2; exit 1; }
  command -v mmdebstrap > /dev/null || { echo "smoke.sh: apt-get install mmdebstrap" >&2; exit 1; }
  # Mounts and processes of its own: nothing of it is left, however it ends.
  scratch=$(mktemp -d)
  trap 'rmdir "$scratch"' EXIT
  unshare --mount --pid --fork --kill-child --mount-proc "$0" --alone "$scratch" "$@"
  exit
fi
scratch=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
packages=${3:-$source/build/packages}
ls "$packages"/*.deb > /dev/null
# In memory: what is removed at once need not reach a disk.
mount -t tmpfs none "$scratch"
root=$scratch/root

# timed WHAT COMMAND...: what the command prints is shown if it fails.
timed() {
  local what=$1 begin=$EPOCHREALTIME
  shift
  if ! "$@" > "$scratch/log" 2>&1; then
    cat "$scratch/log"
    echo "smoke.sh: failed: $what"
    exit 1
  fi
  awk -v what="$what" -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%7.1f s  %s\n", end - begin, what }'
}

install() {
  chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# As a user without rights, in an empty folder.
stranger() {
  chroot --userspec=1000:1000 "$root" env HOME=/home/stranger sh -euc "cd /home/stranger; $1"
}

first_page() {
  stranger 'hearsay --version
    hearsay new quickstart first.toml
    hearsay run first.toml
    hearsay report runs/quickstart --output page.html
    grep -q "<canvas\|Chart.js" page.html'
}

timed "an empty Debian 12" \
  mmdebstrap --quiet --variant=minbase --skip=cleanup/apt/lists bookworm "$root"
mount -t proc none "$root/proc"
mkdir "$root/packages" "$root/home/stranger"
for package in "$packages"/*.deb; do
  name=${package##*/}
  cp "$package" "$root/packages/${name%%_*}.deb"
done
chown 1000:1000 "$root/home/stranger"

timed "hearsay installed" install /packages/hearsay.deb
timed "from its first command to the first page of pictures" first_page
[ -s "$root/usr/share/bash-completion/completions/hearsay" ]

if [ -e "$root/packages/python3-hearsay.deb" ]; then
  timed "python3-hearsay installed" install /packages/python3-hearsay.deb
  timed "import hearsay" stranger 'python3 -c "import hearsay"'
fi

timed "libhearsay-dev installed, with a compiler and CMake" install /packages/libhearsay-dev.deb g++ cmake make
cp -r "$source/tests/consumer" "$root/home/stranger/consumer"
timed "a program with find_package(hearsay)" \
  stranger 'cmake -S consumer -B built -DCMAKE_BUILD_TYPE=Release && cmake --build built && built/stations'
timed "the same with pkg-config" \
  stranger 'g++ -std=c++20 -O1 consumer/main.cpp -o stations $(pkg-config --cflags --libs hearsay) && ./stations'
