#!/bin/sh
# Says which parts of the run were skipped and how many. On a CI machine (CI=true) a skip is a failure.
set -eu
cd "$(dirname "$0")/.."

count=$(find build/skipped -type f | wc -l)
if [ "$count" = 0 ]; then exit 0; fi
sed 's/.*/**** SKIPPED: & ****/' build/skipped/*
echo "$count part(s) skipped"
[ "${CI:-}" != true ]
