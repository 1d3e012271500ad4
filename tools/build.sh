#!/bin/sh
# Configures and builds in build/, Release. The arguments are targets; without arguments, all. Shows how far the
# build is, and all that a compiler says of what fails. With --verbose as the first argument: every step.
set -eu
cd "$(dirname "$0")/.."

verbose=
if [ "${1:-}" = --verbose ]; then
  verbose=yes
  shift
fi
mkdir -p build
if [ -f build/CMakeCache.txt ]; then
  cmake -S . -B build > /dev/null  # keeps the earlier configuration
elif ! cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release > build/configured.txt 2>&1; then
  cat build/configured.txt >&2
  exit 1
fi
[ -z "$verbose" ] || exec cmake --build build ${1:+--target "$@"}

# Reads what ninja says, its steps as "step FINISHED TOTAL SECONDS WHAT". Shows how far it is: on one moving line,
# or a line for every tenth if there is no terminal. Other lines are a compiler's, and are shown.
show() {
  set -f
  erase=
  [ ! -t 1 ] || erase=$(printf '\r\033[K')
  tenths=0
  begun=  # the command of a source that failed, from the precompiled header on that it begins with
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      'step '[0-9]*)
        set -- $line
        [ "$2" -gt 0 ] || continue
        seconds=${4%%.*}
        minutes=$((seconds * ($3 - $2) / $2 / 60 + 1))
        progress="building: $2 of $3 steps, about $minutes min left"
        if [ -n "$erase" ]; then
          printf '%s%s' "$erase" "$progress"
        elif [ $((10 * $2 / $3)) -gt $tenths ]; then
          tenths=$((10 * $2 / $3))
          printf '%s\n' "$progress"
        fi
        ;;
      *)
        printf '%s%s\n' "$erase" "$line"
        case $line in
          FAILED:*) begun= ;;
          *' -include '*/cmake_pch.hxx' '*) begun=${line#* -include } ;;
          *'internal compiler error'*) [ -z "$begun" ] || echo "${begun%%/cmake_pch.hxx *}" >> build/crashed.txt ;;
        esac
        ;;
    esac
  done
  printf '%s' "$erase"
}

# Builds the targets that the arguments name, and sets `code`. The exit code of the left side of a pipe goes
# through a file: there is none if that side was killed.
build() {
  rm -f build/built.txt build/crashed.txt
  {
    built=0
    NINJA_STATUS='step %f %t %e ' cmake --build build ${1:+--target "$@"} 2>&1 || built=$?
    echo "$built" > build/built.txt
  } | show
  code=$(cat build/built.txt 2> /dev/null) || code=
  code=${code:-1}
}
build "$@"

# g++ 12 crashed once, in CI, on two sources that began with the same precompiled header. In all other builds
# nothing is wrong with that header. It is made anew, and not taken from ccache. What crashes again is an error.
if [ "$code" -ne 0 ] && [ -e build/crashed.txt ]; then
  echo "The compiler crashed. What it had precompiled for these sources is made anew, and the build goes on."
  while IFS= read -r folder; do rm -f "$folder/cmake_pch.hxx.gch"; done < build/crashed.txt
  export CCACHE_RECACHE=1
  build "$@"
fi
exit "$code"
