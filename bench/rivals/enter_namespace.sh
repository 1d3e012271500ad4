#!/bin/sh
# mpirun calls this instead of ssh: HOST COMMAND... The last number of the address of the host is the index of
# its network namespace in RIVAL_NAMESPACES. Every host gets its own folder for temporary files, since
# OpenMPI's daemons would remove those of each other.
host=$1
shift
namespace=$(echo "$RIVAL_NAMESPACES" | cut -d ' ' -f "${host##*.}")
TMPDIR=$(mktemp -d)
export TMPDIR
nsenter --net="$namespace" sh -c "$*"
code=$?
rm -rf "$TMPDIR"
exit $code
