#!/usr/bin/env bash
# test.sh PROGRAM: succeeds if record.sh prints the same as when recorded.txt was made. Else prints the
# differences by name, old and new.
set -euo pipefail
here=$(dirname "$0")
now=$(mktemp)
trap 'rm -f "$now"' EXIT
"$here/record.sh" "$1" > "$now"

# The test has to see a single rounding: the runs of these pairs differ in the last bit of one input number.
models_of() { sed -n "s/^$1: .* models \([0-9a-f]*\),.*/\1/p" "$now"; }
for pair in 'step step-ulp' 'init init-ulp' 'init-topk init-topk-ulp'; do
  read -r one other <<< "$pair"
  if [ -z "$(models_of "$one")" ] || [ "$(models_of "$one")" = "$(models_of "$other")" ]; then
    echo "$one and $other, which differ in the last bit of one number, end with the same models: the test sees too little."
    exit 1
  fi
done

[ -z "${HEARSAY_RECORD:-}" ] || cp "$now" "$HEARSAY_RECORD/recorded.txt"
diff "$here/recorded.txt" "$now" > /dev/null && exit
awk -F ': ' '
  NR == FNR { old[$1] = $0; next }
  { new[$1] = 1 }
  !($1 in old) { print "new:  " $0; ++differ; next }
  old[$1] != $0 { print "was:  " old[$1]; print "now:  " $0; ++differ }
  END {
    for (name in old) if (!(name in new)) { print "gone: " old[name]; ++differ }
    print differ " of " FNR " lines differ from tests/unchanged/recorded.txt; see README.md beside it"
  }' "$here/recorded.txt" "$now"
exit 1
