#!/bin/sh
# Shows what clang-format would change. (Its own --dry-run also reports replacements that change nothing: it takes
# the comment that closes `namespace carom::inline CAROM_PRECISION` for wrong and writes the same one.)
set -eu

wrong=0
for file in "$@"; do
  clang-format "$file" | diff -u --label "$file" --label "$file (formatted)" "$file" - || wrong=$((wrong + 1))
done
if [ "$wrong" != 0 ]; then
  echo "format: $wrong files differ; make format rewrites them"
  exit 1
fi
echo "format: ok ($# files)"
