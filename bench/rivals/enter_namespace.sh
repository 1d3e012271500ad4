#!/bin/sh
# What mpirun calls instead of ssh: HOST COMMAND... The last number of the host's address says which of the network namespaces in
# RIVAL_NAMESPACES it is.
host=$1
shift
namespace=$(echo "$RIVAL_NAMESPACES" | cut -d ' ' -f "${host##*.}")
exec nsenter --net="$namespace" sh -c "$*"
