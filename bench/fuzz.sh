#!/usr/bin/env bash
# Fuzzes all code that decodes foreign input: bench/fuzz.sh [SECONDS] [TARGET...]
#
# Runs every target of tests/fuzz, or those named, for SECONDS (60) under AddressSanitizer and
# UndefinedBehaviorSanitizer. Starts from the seeds in tests/fuzz/corpus and the inputs that earlier runs kept
# (build-fuzz/corpus). More than 2 GiB, or 5 s for one input, is a finding like a crash. Prints a line for
# each target. Inputs that crashed and their logs stay in build-fuzz/findings; the exit code is then 1.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for folder in tests/fuzz/corpus/*/; do targets+=("$(basename "$folder")"); done
fi

build=build-fuzz
cmake --preset fuzz > /dev/null
cmake --build "$build" --target fuzzers > /dev/null
findings=$build/findings
mkdir -p $findings

failed=0
printf '%-14s %12s %10s %10s %8s\n' target runs runs/s coverage findings
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target"
  log=$findings/$target.log
  before=$(find $findings -name "$target-*" | wc -l)
  code=0
  "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -malloc_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$findings/$target-" "$build/corpus/$target" "tests/fuzz/corpus/$target" \
    > "$log" 2>&1 || code=$?
  found=$(($(find $findings -name "$target-*" | wc -l) - before))
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  pace=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  printf '%-14s %12s %10s %10s %8s\n' "$target" "${runs:--}" "${pace:--}" "${coverage:--}" "$found"
  if [ $code -ne 0 ]; then
    failed=1
    grep -m 3 -E '^(hearsay: |==[0-9]*==|.*runtime error)' "$log" | sed 's/^/    /' || tail -n 3 "$log"
  fi
done
if [ $failed -ne 0 ]; then echo "inputs that were not survived: $findings"; fi
exit $failed
