#!/bin/sh
# A run of eight peers under Slurm: sbatch tools/examples/slurm.sh
#
# Every task is a peer: its id is SLURM_PROCID, and where all of them listen follows from the job's nodes, one port per
# task of a node from HEARSAY_PORT on; peer 0's observer listens one port below. The tasks must be as many as the
# topology has peers.
#SBATCH --job-name=hearsay
#SBATCH --ntasks=8
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
#SBATCH --output=hearsay-%j.log

# Two jobs on one node need ports of their own.
export HEARSAY_PORT="${HEARSAY_PORT:-7000}"
# Where a node has several networks, the interface to listen on: export HEARSAY_BIND=ib0

# --kill-on-bad-exit: when a peer fails, the rest ends with it. --label: each line begins with its task's number.
exec srun --kill-on-bad-exit=1 --label \
  "${HEARSAY:-hearsay}" peer "${RUN:-tools/examples/slurm.toml}" --output "runs/slurm-${SLURM_JOB_ID}"
