#!/usr/bin/env bash
# Runs a real Slurm on this machine, and a job of eight peers in it: tests/slurm/run.sh BUILD_FOLDER
#
# The cluster is that of cluster.sh. The job is tools/examples/slurm.sh, unchanged; its final model must have the
# bits of the simulator. So must the model of a second job, of which a task is killed and which is requeued.
set -euo pipefail
cd "$(dirname "$0")/../.."

build=$(realpath "${1:-build}")
. tests/slurm/cluster.sh

export HEARSAY="$build/hearsay" HEARSAY_PORT=17000
cp -r tools "$place/"
cd "$place"
sbatch --wait --quiet tools/examples/slurm.sh || { cat hearsay-*.log; exit 1; }
cat hearsay-*.log
"$HEARSAY" simulate tools/examples/slurm.toml --quiet --output "$place/simulated"
cmp runs/slurm-*/model.npy simulated/model.npy
echo "the job's model equals the simulator's, bit for bit"

sed 's/^iterations = .*/iterations = 1500\nevaluate_every = 25/; s/^checkpoint_every = .*/checkpoint_every = 40/' \
  tools/examples/slurm.toml > long.toml
printf '\n[network]\ncompute = "4 ms"\n' >> long.toml
export RUN=$place/long.toml
job=$(sbatch --parsable tools/examples/slurm.sh)
record=runs/slurm-$job/metrics.jsonl
until [ -e "$record" ] && [ "$(wc -l < "$record")" -ge 10 ]; do sleep 0.2; done
kill -9 "$(pgrep -n -f "peer $RUN")"
while [ -n "$(squeue --noheader --jobs "$job" --states RUNNING,COMPLETING)" ]; do sleep 0.2; done
echo "a task was killed after $(wc -l < "$record") evaluations: job $(scontrol show job "$job" | grep -o 'JobState=[A-Z]*')"
scontrol requeue "$job"
until scontrol show job "$job" | grep -q 'JobState=COMPLETED'; do
  if scontrol show job "$job" | grep -q 'Restarts=1.*' && scontrol show job "$job" | grep -q 'JobState=FAILED'; then
    cat hearsay-"$job".log
    exit 1
  fi
  sleep 0.5
done
grep 'go on from iteration' hearsay-"$job".log
"$HEARSAY" simulate long.toml --quiet --output "$place/simulated-long"
cmp "runs/slurm-$job/model.npy" simulated-long/model.npy
echo "requeued, its model equals the simulator's, bit for bit"
