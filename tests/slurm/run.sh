#!/usr/bin/env bash
# Runs a real Slurm on this machine, and a job of eight peers in it: tests/slurm/run.sh BUILD_FOLDER
#
# Needs root; installs Debian's slurm-wlm if it is missing. slurmctld, slurmd and munged run from a temporary
# folder, beside any other Slurm of the machine, and end with this script. The job is tools/examples/slurm.sh,
# unchanged; its final model must have the bits of the simulator. So must the model of a second job, of which
# a task is killed and which is requeued.
set -euo pipefail
cd "$(dirname "$0")/../.."

build=$(realpath "${1:-build}")
[ "$(id -u)" = 0 ] || { echo "skipped: Slurm (only root may run it)"; exit 0; }
for program in slurmctld slurmd munged srun; do
  command -v "$program" > /dev/null && continue
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends slurm-wlm munge
  break
done

place=$(mktemp -d /tmp/hearsay-slurm-XXXXXX)
daemons=()
clean_up() {
  for daemon in "${daemons[@]}"; do kill "$daemon" 2> /dev/null || true; done
  wait || true
  rm -rf "$place"
}
trap clean_up EXIT

host=$(hostname -s)
mkdir -p "$place"/{ctld,d}
chmod 755 "$place"
dd if=/dev/urandom of="$place/munge.key" bs=1024 count=1 status=none
chmod 400 "$place/munge.key"
cat > "$place/slurm.conf" << END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$place/munge.socket
CredType=cred/munge
SlurmctldPort=17817
SlurmdPort=17818
StateSaveLocation=$place/ctld
SlurmdSpoolDir=$place/d
SlurmctldPidFile=$place/ctld.pid
SlurmdPidFile=$place/d.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$place/slurm.conf

munged --foreground --force --socket="$place/munge.socket" --key-file="$place/munge.key" \
  --pid-file="$place/munge.pid" --log-file="$place/munge.log" --seed-file="$place/munge.seed" 2> "$place/munge.err" &
daemons+=($!)
slurmctld -D -f "$SLURM_CONF" > "$place/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D -f "$SLURM_CONF" > "$place/slurmd.log" 2>&1 &
daemons+=($!)

patience=60
until sinfo --noheader --format=%T 2> /dev/null | grep -qx idle; do
  patience=$((patience - 1))
  if [ "$patience" = 0 ]; then
    echo "Slurm does not come up:"
    sinfo || true
    tail -n 20 "$place"/*.log "$place"/munge.err
    exit 1
  fi
  sleep 1
done
sinfo

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
