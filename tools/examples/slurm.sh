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
#SBATCH --open-mode=append
#SBATCH --requeue

# Two jobs on one node need ports of their own.
export HEARSAY_PORT="${HEARSAY_PORT:-7000}"
# Where a node has several networks, the interface to listen on: export HEARSAY_BIND=ib0

# A job that was requeued (a node failed; or by hand, scontrol requeue JOB) goes on from its checkpoints, which want a file
# system that all nodes share.
output="runs/slurm-${SLURM_JOB_ID}"
resume=""
if [ -e "$output/metrics.jsonl" ]; then resume="--resume"; fi

# --kill-on-bad-exit: Slurm starts no task anew, so without one the others would wait for failure.lost_after; with
# failure.policy = "drop" they go on, and =0 is right. --label: each line begins with its task's number.
exec srun --kill-on-bad-exit=1 --label \
  "${HEARSAY:-hearsay}" peer "${RUN:-tools/examples/slurm.toml}" --output "$output" $resume
