#!/bin/sh
# A run of eight peers under Slurm: sbatch tools/examples/slurm.sh
#
# Every task is a peer, and its id is SLURM_PROCID. The addresses follow from the nodes of the job: the tasks
# of a node listen on the ports from HEARSAY_PORT on, the observer of peer 0 one port below. The number of
# tasks must equal the number of peers of the topology. With a hub, it is task 0, on the first node.
#SBATCH --job-name=hearsay
#SBATCH --ntasks=8
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
#SBATCH --output=hearsay-%j.log
#SBATCH --open-mode=append
#SBATCH --requeue

# Two jobs on one node need different ports.
export HEARSAY_PORT="${HEARSAY_PORT:-7000}"
# If a node has several networks, name the interface to listen on: export HEARSAY_BIND=ib0

# A job that was requeued (a node failed, or `scontrol requeue JOB`) goes on from its checkpoints. They have
# to lie on a file system that all nodes share.
output="runs/slurm-${SLURM_JOB_ID}"
resume=""
if [ -e "$output/metrics.jsonl" ]; then resume="--resume"; fi

# --kill-on-bad-exit: Slurm starts no task anew. Without this option the others would wait for a lost task,
# for failure.lost_after. With failure.policy = "drop" they go on instead, so =0 is right. --label: each line
# begins with the number of its task.
exec srun --kill-on-bad-exit=1 --label \
  "${HEARSAY:-hearsay}" peer "${RUN:-tools/examples/slurm.toml}" --output "$output" $resume
