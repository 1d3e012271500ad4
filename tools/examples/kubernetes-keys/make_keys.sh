#!/bin/sh
# Makes a key pair for each of $1 peers, and cluster.keys with the public keys of all, beside this script.
# HEARSAY_PROGRAM: the program hearsay, if it is not in PATH.
set -eu
cd "$(dirname "$0")"
hearsay=${HEARSAY_PROGRAM:-hearsay}
peers=${1:?how many peers? make_keys.sh 8}
id=0
while [ "$id" -lt "$peers" ]; do
  "$hearsay" keys new "hearsay-$id"
  "$hearsay" keys authorize cluster.keys "$id" "hearsay-$id.key"
  id=$((id + 1))
done
