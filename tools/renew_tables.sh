#!/bin/sh
# Renews the tables that `hearsay list --markdown NAME` prints, in every README that holds one. An argument
# names the program; the default is build/hearsay.
set -eu
cd "$(dirname "$0")/.."

program=${1:-build/hearsay}
begin='<!-- generated: hearsay list --markdown '
end='<!-- end of what is generated -->'
trap 'rm -f "$renewed"' EXIT
renewed=
for readme in $(grep -rl --include=README.md "^$begin" algorithms runtime tools topology); do
  inside=
  renewed=$readme.renewed
  while IFS= read -r line; do
    case $line in
      "$begin"*)
        printf '%s\n' "$line"
        name=${line#"$begin"}
        "$program" list --markdown "${name% -->}"
        inside=yes
        ;;
      "$end")
        printf '%s\n' "$line"
        inside=
        ;;
      *) [ -n "$inside" ] || printf '%s\n' "$line" ;;
    esac
  done <"$readme" >"$renewed"
  mv "$renewed" "$readme"
done
