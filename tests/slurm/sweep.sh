#!/usr/bin/env bash
# Runs a real Slurm on this machine, and sweeps in it: tests/slurm/sweep.sh BUILD_FOLDER
#
# The cluster is that of cluster.sh. A sweep of any number of tasks has the record, the table and the models of the
# same sweep without Slurm. So has one of which a task is killed, once it is resumed; one of which a task is
# requeued; one that was interrupted; and one whose command was killed while the job went on.
set -euo pipefail
cd "$(dirname "$0")/../.."

build=$(realpath "${1:-build}")
. tests/slurm/cluster.sh
hearsay=$build/hearsay
cd "$place"

cat > s.toml << 'END'
[run]
iterations = 4000
evaluate_every = 1000
[model]
kind = "quadratic(2000)"
[topology]
peers = 8
[algorithm]
batch = "full"
[network]
compute = "1 ms"
[sweep]
driver = "simulate"
baseline = "plain"
repeat = 2
network.latency = ["1 ms", "20 ms"]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "8 bit"
algorithm.kind = "dcd-psgd"
[[sweep.variant]]
name = "refused"
algorithm.compressor = "dither(l2, bits=2, bucket=50)"
[[sweep.variant]]
name = "CHOCO"
algorithm.kind = "choco-sgd"
[[sweep.claim]]
says = "It learns"
figure = "loss"
ascending = ["plain", 1000]
END

"$hearsay" sweep s.toml --output alone --quiet > alone.txt

equals_the_sweep_alone() {
  cmp alone/sweep.json "$1/sweep.json"
  cmp alone.txt <(grep -v '^output' "$1.txt")
  (cd alone && find . -name '*.npy' -o -name '*.jsonl') | while read -r file; do cmp "alone/$file" "$1/$file"; done
  [ "$(ls -A alone)" = "$(ls -A "$1")" ]
  echo "$1: as without Slurm"
}

for tasks in 1 3 100; do
  "$hearsay" sweep s.toml --output "tasks-$tasks" --quiet --slurm --tasks "$tasks" > "tasks-$tasks.txt"
  equals_the_sweep_alone "tasks-$tasks"
done

# Starts a sweep of two tasks into the folder $1 and waits until both have taken a point.
begin() {
  "$hearsay" sweep s.toml --output "$1" --quiet --slurm=--requeue --tasks 2 > "$1.txt" 2> "$1.err" &
  command=$!
  until [ "$(ls "$1/.slurm" 2> /dev/null | grep -o 'taken-.*' | sort -u | wc -l)" = 2 ]; do sleep 0.1; done
  job=$(cat "$1/.slurm/job")
}
resume() { "$hearsay" sweep s.toml --output "$1" --quiet --resume --slurm --tasks 2 > "$1.txt" 2>> "$1.err"; }
ends_with() { if wait "$command"; then code=0; else code=$?; fi; [ "$code" = "$1" ] || { echo "exit code $code"; exit 1; }; }

begin killed
kill -9 "$(pgrep -n -f "hearsay task $place/killed")"
ends_with 3
cat killed.err
grep -q 'task [01] of job .* has ended early: FAILED .*, in the middle of ' killed.err
resume killed
equals_the_sweep_alone killed

begin requeued
scontrol requeue "${job}_0"
until squeue --noheader --array --jobs "$job" --format='%K %T' | grep -qx '0 PENDING'; do sleep 0.2; done
scontrol update "jobid=${job}_0" StartTime=now
ends_with 0
equals_the_sweep_alone requeued

begin interrupted
kill -TERM "$command"
ends_with 130
[ -z "$(squeue --noheader --jobs "$job" --states RUNNING,COMPLETING,PENDING)" ]
resume interrupted
equals_the_sweep_alone interrupted

begin orphaned
kill -9 "$command"
wait "$command" || true
if "$hearsay" sweep s.toml --output orphaned --resume 2> refused.err; then exit 1; fi
grep -q "job $job of Slurm works in it; expected --slurm" refused.err
if "$hearsay" sweep s.toml --output orphaned --overwrite 2> refused.err; then exit 1; fi
grep -q "job $job of Slurm works in it; expected scancel $job first" refused.err
resume orphaned
equals_the_sweep_alone orphaned

if "$hearsay" sweep s.toml --output refused --slurm=--partition=none 2> refused.err; then exit 1; fi
grep 'Slurm does not take the job: .*partition' refused.err
[ ! -e refused ]
