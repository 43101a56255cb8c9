#!/usr/bin/env bash
# precompile.sh COMPILER ARGUMENT …: compiles a header, or takes what another target of this clone has compiled. xmake
# precompiles the same header for every target anew, which is a quarter of the time of a build whose sources ccache has.
# Targets differ in their -I, which none of these headers looks at.
set -euo pipefail
compiler=$1
shift
output= dependencies=/dev/null what=() all=("$@")
for ((i = 0; i < ${#all[@]}; ++i)); do
  case ${all[i]} in
    -o) output=${all[++i]} ;;
    -MF) dependencies=${all[++i]} ;;
    -I?*) ;;
    *) what+=("${all[i]}") ;;
  esac
done
# Beside the output: sizes, times and sums of everything that the header includes (tools/build.sh). The compiler refuses
# what is older than one of these.
[ -n "$output" ] && [ -f "$output.sum" ] && [ -f "$output.times" ] || exec "$compiler" "$@"
store=$(dirname "${BASH_SOURCE[0]}")/../.cache/precompiled
mkdir -p "$store"
kept=$store/$({ printf '%s\n' "$PWD" "$compiler" "${what[@]}"; cat "$output.sum" "$output.times"; } | sha256sum | cut -c1-32)
exec 9> "$kept.lock"
flock 9  # two targets want it at once, as a rule
if [ ! -f "$kept.pch" ]; then
  find "$store" -type f -mtime +7 -delete
  "$compiler" "$@"
  cat "$dependencies" > "$kept.d"
  ln -f "$output" "$kept.pch" 2>/dev/null || cp "$output" "$kept.pch"
  exit
fi
sed "1s|^[^:]*:|$output:|" "$kept.d" > "$dependencies"
ln -f "$kept.pch" "$output" 2>/dev/null || cp "$kept.pch" "$output"
