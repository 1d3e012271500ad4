#!/bin/sh
# What mpirun calls instead of ssh: HOST COMMAND... The last number of the host's address says which of the network namespaces in
# RIVAL_NAMESPACES it is. Every host has a folder for temporary files of its own: on one, OpenMPI's daemons take away each other's.
host=$1
shift
namespace=$(echo "$RIVAL_NAMESPACES" | cut -d ' ' -f "${host##*.}")
TMPDIR=$(mktemp -d)
export TMPDIR
nsenter --net="$namespace" sh -c "$*"
code=$?
rm -rf "$TMPDIR"
exit $code
