#!/usr/bin/env bash
# Runs the block of a recipe of tools/recipes/ as it stands, in an empty folder, with the program on the PATH:
#
#     recipe.sh PAGE HEADING PROGRAM SOURCE_FOLDER SCRATCH_FOLDER
#
# A block that needs a cluster (`needs=ssh|slurm|kubectl`) or pandas is only run as far as possible here: the
# run files and options of what it would start are checked.
set -euo pipefail
page=$1 heading=$2 program=$3 source=$4 scratch=$5
exec < /dev/null

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
ln -s "$source/tools" tools
mkdir bin
ln -s "$program" bin/hearsay
PATH=$PWD/bin:$PATH
export PATH

awk -v heading="## $heading" '
  $0 == heading { here = 1; next }
  here && /^#/ { exit }
  here && /^```sh/ { print > "fence.txt"; inside = 1; next }
  here && inside && /^```/ { exit }
  inside { print }' "$page" > block.sh
if ! [ -s block.sh ]; then
  echo "the recipe \"$heading\" has no block of sh"
  exit 1
fi
needs=$(sed -n 's/.*needs=//p' fence.txt)

# Succeeds if the command of hearsay has every option that the command line uses.
check_options() {
  local command=$1 help word
  help=$("$program" "$command" --help)
  shift
  for word; do
    case $word in
      --*) grep -q -e " ${word%%=*}\b" <<< "$help" || { echo "hearsay $command has no option $word"; return 1; } ;;
    esac
  done
}

case $needs in
  "") ;;
  root)
    # The kernel's network needs a veth pair and tbf; .ci/run tests the same.
    if ! unshare --net sh -c 'ip link add name one type veth peer name two &&
        tc qdisc add dev one root tbf rate 1mbit burst 10kb latency 50ms' 2> /dev/null; then
      echo "skipped: root, who may make network namespaces, is wanted"
      exit 0
    fi ;;
  numpy)
    if ! /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
      echo "skipped: NumPy for Debian's python3 (python3-numpy) is wanted"
      exit 0
    fi ;;
  ssh)  # the hosts do not exist: the run file is checked, no peer is started
    hearsay() {
      check_options "$@"
      [ "$1" = launch ]
      command hearsay check "$2" --quiet
    } ;;
  slurm)  # the job is run up to its srun
    sbatch() {
      local words
      printf '#!/bin/sh\nfor word; do echo "$word"; done > srun.txt\n' > bin/srun
      chmod +x bin/srun
      SLURM_JOB_ID=1 sh "$1"
      mapfile -t words < <(sed -n '/^hearsay$/,$p' srun.txt)
      [ -f "${words[2]}" ]
      check_options "${words[@]:1}"
    } ;;
  kubectl)  # what a pod runs
    kubectl() {
      local line words
      [ "$1 $2" = "apply -k" ]
      [ -f "$3/kustomization.yaml" ]
      command hearsay check "$3/run.toml" --quiet
      line=$(sed -n 's/^ *hearsay //p' "$3"/hearsay.yaml)
      [ -n "$line" ]
      read -r -a words <<< "$line"
      check_options "${words[@]}"
    } ;;
  pandas)
    if ! python3 -c 'import pandas' 2> /dev/null; then
      python3() {
        local script column
        script=$(cat)
        command -v python3 > /dev/null && command python3 -c 'import ast, sys; ast.parse(sys.argv[1])' "$script"
        for column in $(sed -n 's/.*\[\[\(.*\)\]\].*/\1/p' <<< "$script" | tr -d '",'); do
          grep -q "\"$column\":" runs/*/metrics.jsonl || { echo "metrics.jsonl has no $column"; return 1; }
        done
      }
    fi ;;
  *)
    echo "the recipe \"$heading\" needs \"$needs\", and this script does not know what that is"
    exit 1 ;;
esac

trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
set -x
# shellcheck disable=SC1091
source ./block.sh
