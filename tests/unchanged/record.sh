#!/usr/bin/env bash
# record.sh PROGRAM: does all runs of runs.sh with this `hearsay`, and prints a line for each (README.md says
# what the line holds).
#
# The numbers depend on the program, and on exp, log and cos of the C library (Debian 12). They do not depend
# on the CPU: no flag of the build lets sums be reordered or products be contracted, and vectors of every
# width form the same sums (algorithms/arithmetic/lane_tree.hpp). The C library is told not to use FMA, with
# which its exp, log and cos end in other last bits. Nor do the numbers depend on the number of cores or on
# their load: of runs with real processes no time is recorded.
set -euo pipefail
export LC_ALL=C
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4
unset HEARSAY_ID HEARSAY_ADDRESSES HEARSAY_OBSERVER HEARSAY_BIND HEARSAY_PORT SLURM_PROCID

program=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$here"/files/* .
mkdir said

# ---- data

features() {
  awk -v target="$1" 'BEGIN {
    for (s = 0; s < 90; ++s) {
      for (k = 0; k < 23; ++k) printf "%d.%d,", (7 * s + 13 * k) % 11 - 5, (s * s + 3 * k) % 10
      print target == "class" ? s * s % 4 : (5 * s % 17) / 4
    }
  }'
}
features class > classes.csv
features number > rows.csv
awk 'BEGIN {
  for (s = 0; s < 90; ++s) {
    printf "%s", s * s * s % 5 < 2 ? "+1" : "-1"
    for (k = 1; k < 60; k += 1 + s * k % 6) printf " %d:%g", k, (3 * s + k) % 9 / 4
    print ""
  }
}' > classes.svm
# Eight ones as floats, in NumPy's format. In `init-ulp.npy` the last one is the next representable number.
ones() {
  printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }"
  for _ in 1 2 3 4 5 6 7; do printf '\000\000\200\077'; done
  printf "$1"
}
ones '\000\000\200\077' > init.npy
ones '\001\000\200\077' > init-ulp.npy

# ---- what is recorded

short_digest() { sha256sum | cut -c 1-16; }
# The values of some keys, anywhere in the files.
values() { grep -ohE "\"($1)\": ?[^],}]*" "${@:2}" | tr -d ' ' || true; }

# Prints what a command has left in its output directory. WITH_TIMES says whether time is virtual.
describe() { # NAME CODE OUTPUT WITH_TIMES
  local summary=$3/summary.json times='seconds -, times -' record models mean=- evaluations
  if [ ! -e "$summary" ]; then
    printf '%s: exit %s\n' "$1" "$2"
    return
  fi
  record=$(awk -F '": ' '
    /^  "/ { sub(/,$/, ""); gsub(/^ *"|"$/, ""); sub(/^"/, "", $2); of[$1] = $2 }
    END {
      printf "%s, %s iterations, %s bytes, %s messages, loss %s, replicas %s", of["status"], of["iterations"],
        of["bytes_sent"], of["messages_sent"], of["loss"], of["replicas_consistent"]
    }' "$summary")
  models=$(sed -n '/^  "model_digest": \[/,/^  \]/p' "$summary" | short_digest)
  [ ! -e "$3/model.npy" ] || mean=$(short_digest < "$3/model.npy")
  evaluations=$(values 'iteration|epoch|loss|accuracy|consensus_distance|bytes_sent|messages_sent|gradient_evaluations|gossip_rounds' \
    "$3/metrics.jsonl" | short_digest)
  [ "$4" = no ] || times="seconds $(sed -n 's/^  "seconds": \(.*\),$/\1/p' "$summary"), times $(
    values 'seconds|compute|wait|wire|[a-z]*_seconds|retransmitted' "$3/metrics.jsonl" "$summary" | short_digest)"
  printf '%s: exit %s, %s, models %s, mean %s, evaluations %s, %s\n' "$1" "$2" "$record" "$models" "$mean" "$evaluations" "$times"
}

# Runs a command with the settings, and prints what became of it. Its output stays in said/NAME.
perform() { # NAME WITH_TIMES COMMAND FILE OPTION... -- SETTING...
  local name=$1 with_times=$2 command=$3 file=$4 options=() output="out/${1//\//_}" code=0
  shift 4
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  local settings=("$@")
  "$program" "$command" "$file" --quiet --output "$output" "${options[@]}" "${settings[@]/#/--set=}" \
    < /dev/null > "said/${name//\//_}" 2>&1 || code=$?
  [ -z "${HEARSAY_SHOW:-}" ] || sed "s/^/# /" "said/${name//\//_}"
  describe "$name" "$code" "$output" "$with_times"
}

simulate() { perform "$1" yes simulate run.toml -- "${@:2}"; }
simulate_file() { perform "$1" yes simulate "$2" -- "${@:3}"; }
run() { perform "$1" no run run.toml -- "${@:2}"; }
resume() {
  perform "$1" no run run.toml --resume -- "${@:2}" | sed 's/:/, resumed:/'
}
# Prints the digest of the output of a command.
prints() { # NAME ARGUMENT...
  local code=0
  "$program" "${@:2}" < /dev/null > printed 2> /dev/null || code=$?
  [ -z "${HEARSAY_SHOW:-}" ] || sed "s/^/# /" printed
  printf '%s: exit %s, %s\n' "$1" "$code" "$(short_digest < printed)"
}
# Prints the digest of the numbers in the JSON output of a command, whatever the names of its members.
prints_numbers() { # NAME ARGUMENT...
  local code=0
  "$program" "${@:2}" --json < /dev/null > printed 2> /dev/null || code=$?
  [ -z "${HEARSAY_SHOW:-}" ] || sed "s/^/# /" printed
  printf '%s: exit %s, %s\n' "$1" "$code" "$(sed 's/"[^"]*"//g' printed | tr -cd '0-9.e+\n-' | short_digest)"
}
# Prints the digest of the numbers of every point of a sweep in virtual time.
sweep() { # FILE
  local code=0
  "$program" sweep "$1" --quiet < /dev/null > printed 2>&1 || code=$?
  [ -z "${HEARSAY_SHOW:-}" ] || sed "s/^/# /" printed
  printf 'sweep: exit %s, %s\n' "$code" \
    "$(values 'status|iterations|loss|seconds|bytes_sent|seconds_to_target|bytes_to_target|rounds_to_target' out/sweep/sweep.json |
      short_digest)"
}
# Prints the digest of a file.
file() { # NAME PATH
  printf '%s: %s\n' "$1" "$(short_digest < "$2")"
}

. "$here/runs.sh"
