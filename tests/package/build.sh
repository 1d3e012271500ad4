#!/usr/bin/env bash
# Makes the Debian packages of a build folder, without compiling anything, and holds them against what they
# promise: names, dependencies, files and their modes, and what lintian says. Run by ctest:
#
#     build.sh BUILD SOURCE PACKAGES    # PACKAGES: a folder, which is made anew
set -euo pipefail
build=$1 source=$2 packages=$3

for program in dpkg-shlibdeps file; do
  command -v $program > /dev/null || { echo "skipped: Debian packages (apt-get install dpkg-dev file)"; exit 0; }
done

rm -rf "$packages"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$packages"
rm -rf "$packages/_CPack_Packages"
cd "$packages"

failed=0
wrong() {
  echo "wrong: $*"
  failed=1
}

version=$(sed -n 's/^project(hearsay VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
expected="hearsay_${version}_amd64.deb libhearsay-dev_${version}_amd64.deb"
if [ -e "$source/tools/python/hearsay/__init__.py" ]; then
  expected="$expected python3-hearsay_${version}_all.deb"
fi
for page in tools/package/Dockerfile tools/examples/kubernetes/hearsay.yaml tools/examples/kubernetes/kustomization.yaml; do
  [ "$(grep -oE 'hearsay:[0-9]+[.][0-9.]*[0-9]' "$source/$page" | sort -u)" = "hearsay:$version" ] ||
    wrong "$page has another version"
done
[ "$(echo *.deb)" = "$expected" ] || wrong "the packages are" *.deb ", not $expected"

# needs PACKAGE DEPENDENCY...
needs() {
  local package=$1 depends dependency
  depends=$(dpkg-deb -f "$package"_*.deb Depends)
  shift
  for dependency; do
    grep -qE "(^|, )$dependency( \(|,|:|$)" <<< "$depends" || wrong "$package does not depend on $dependency: $depends"
  done
}

# holds PACKAGE "MODE OWNER FILE"...
holds() {
  local package=$1 listed file
  listed=$(dpkg-deb -c "$package"_*.deb | awk '{ print $1, $2, $6 }')
  shift
  for file in "$@"; do
    grep -qxF -e "$file" <<< "$listed" || wrong "$package does not hold $file"
  done
}
a_file="-rw-r--r-- root/root ."
a_program="-rwxr-xr-x root/root ."
library=/usr/lib/x86_64-linux-gnu

needs hearsay libc6 libzmq5 libjs-chart.js
holds hearsay "$a_program/usr/bin/hearsay" "$a_file/usr/share/man/man1/hearsay.1.gz" \
  "$a_file/usr/share/bash-completion/completions/hearsay" "$a_program/usr/share/doc/hearsay/examples/slurm.sh"
for example in "$source"/tools/examples/*.toml; do
  holds hearsay "$a_file/usr/share/doc/hearsay/examples/${example##*/}"
done

if /usr/bin/python3 -c 'import mkdocs, pymdownx' 2> /dev/null; then
  holds hearsay "$a_file/usr/share/doc/hearsay/html/index.html" "$a_file/usr/share/doc/hearsay/html/search/offline.js" \
    "$a_file/usr/share/doc/hearsay/html/reference/methods/choco-sgd.html"
else
  echo "skipped: the site of the manual in the package (apt-get install mkdocs mkdocs-material)"
fi

# Whatever hearsay-config.cmake finds on this machine is in a package that libhearsay-dev asks for.
for found in Eigen3Config.cmake boost_graph-config.cmake hwy-config.cmake tomlplusplusConfig.cmake \
             nlohmann_jsonConfig.cmake include/zlib.h libzmq.pc libxxhash.pc bin/pkg-config; do
  owner=$(dpkg -S "*/$found" | sed -n '1s/[:,].*//p')
  case $owner in
    libboost-graph1.*-dev) owner=libboost-graph-dev ;;
    pkgconf*) owner=pkg-config ;;
  esac
  needs libhearsay-dev "$owner"
done
if grep -qx 'CMAKE_INSTALL_LIBDIR:PATH=lib' "$build/CMakeCache.txt"; then
  wrong "the build folder is told to install into lib; cmake -U CMAKE_INSTALL_LIBDIR -S '$source' -B '$build' mends it"
fi
holds libhearsay-dev "$a_file/usr/include/hearsay/runtime/hearsay.hpp" "$a_file$library/pkgconfig/hearsay.pc" \
  "$a_file$library/cmake/hearsay/hearsay-config.cmake" "$a_file$library/libhearsay_runtime.a" \
  "$a_file$library/libhearsay_algorithms.a" "$a_file$library/libhearsay_topology.a"

if [ -e "$source/tools/python/hearsay/__init__.py" ]; then
  needs python3-hearsay python3 python3-numpy hearsay
  for module in "$source"/tools/python/hearsay/*.py; do
    holds python3-hearsay "$a_file/usr/lib/python3/dist-packages/hearsay/${module##*/}"
  done
fi

for deb in *.deb; do
  package=${deb%%_*}
  holds "$package" "$a_file/usr/share/doc/$package/copyright" "$a_file/usr/share/doc/$package/changelog.gz"
  mkdir -p "unpacked/$package"
  dpkg-deb -x "$deb" "unpacked/$package"
  if grep -rlF -e "$source" -e "$build" "unpacked/$package"; then
    wrong "these files of $package name a folder of this machine"
  fi
done
rm -rf unpacked

if command -v lintian > /dev/null; then
  lintian --allow-root --fail-on error,warning *.deb || wrong "lintian finds errors or warnings"
else
  echo "skipped: what lintian says of the Debian packages (apt-get install lintian)"
fi
exit $failed
