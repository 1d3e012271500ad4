# Sourced by run.sh and sweep.sh: a cluster of Slurm's own daemons on this machine, until the script ends.
#
# Installs Debian's slurm-wlm if it is missing; needs root. slurmctld, slurmd and munged run from the temporary
# folder $place, beside any other Slurm of the machine.

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
