#!/bin/sh
# timed.sh STAGE COMMAND...: runs a command and notes how long it took; timed.sh alone prints the stages of this run of
# make, which names the file of notes (CAROM_STAGES).
set -eu

if [ $# = 0 ]; then
  awk -F '\t' '{ sum += $2; line = line sprintf("%s %d s, ", $1, $2) }
    END { if (NR) printf "times: %stogether %d min %d s\n", line, sum / 60, sum % 60 }' "$CAROM_STAGES"
  rm -f "$CAROM_STAGES"
  exit 0
fi

stage=$1
shift
start=$(date +%s)
"$@"
mkdir -p "$(dirname "$CAROM_STAGES")"
printf '%s\t%s\n' "$stage" $(($(date +%s) - start)) >>"$CAROM_STAGES"
