#!/usr/bin/env bash
# tools/build.sh with a compiler that crashes on a header that it has precompiled wrong: the header is
# precompiled again, and the build goes on. If the compiler crashes again, the build fails. Run by ctest:
#
#     build_test.sh SOURCE SCRATCH    # SCRATCH: a folder, which is made anew
set -euo pipefail
source=$1 scratch=$2

failed=0
wrong() {
  echo "wrong: $*"
  failed=1
}

rm -rf "$scratch"
mkdir -p "$scratch/tools"
cd "$scratch"
cp "$source/tools/build.sh" tools/
cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.25)
project(crash LANGUAGES CXX)
add_executable(crash crash.cpp)
target_precompile_headers(crash PRIVATE <cstddef>)
END
echo 'int main() {}' > crash.cpp
# Crashes on the headers that it has precompiled, the first ones of a build: as many as crashes.txt says.
cat > compiler << 'END'
#!/bin/sh
case " $* " in
  *' c++-header '*) echo header >> headers.txt ;;
  *cmake_pch.hxx*)
    if [ "$(wc -l < headers.txt)" -le "$(cat crashes.txt)" ]; then
      echo 'c++: internal compiler error: Segmentation fault signal terminated program cc1plus' >&2
      exit 4
    fi
    ;;
esac
exec g++ "$@"
END
chmod +x compiler
export CXX=$PWD/compiler

# builds CRASHES: with a compiler that crashes on so many precompiled headers. What it says is in said.txt.
builds() {
  rm -rf build
  mkdir build
  echo "$1" > build/crashes.txt
  tools/build.sh > said.txt 2>&1
}

builds 0 || wrong "a compiler that does not crash: $(cat said.txt)"
grep -q crashed said.txt && wrong "nothing crashed: $(cat said.txt)"
builds 1 || wrong "a header that was precompiled wrong ends the build: $(cat said.txt)"
grep -q 'The compiler crashed' said.txt || wrong "nothing is said of the crash: $(cat said.txt)"
[ -x build/crash ] || wrong "the program was not built: $(cat said.txt)"
builds 9 && wrong "a compiler that crashes always builds"
[ "$(wc -l < build/headers.txt)" = 2 ] || wrong "the header was precompiled $(wc -l < build/headers.txt) times, not twice"
exit $failed
