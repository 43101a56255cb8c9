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
# Beside the output: sums and times of everything that the header includes (tools/build.sh). The compiler refuses
# what is older than one of these.
[ -n "$output" ] && [ -f "$output.sum" ] && [ -f "$output.times" ] || exec "$compiler" "$@"
store=$(dirname "${BASH_SOURCE[0]}")/../.cache/precompiled
mkdir -p "$store"
link() { ln -f "$1" "$2" 2>/dev/null || { cp "$1" "$2.$$" && mv "$2.$$" "$2"; }; } # on another file system: a copy
kept=$store/$({ printf '%s\n' "$PWD" "$compiler" "${what[@]}"; cat "$output.sum" "$output.times"; } | sha256sum | cut -c1-32)
exec 9> "$kept.lock"
flock 9  # two targets want it at once, as a rule
if [ -f "$kept.pch" ] && sed "1s|^[^:]*:|$output:|" "$kept.d" > "$dependencies" && link "$kept.pch" "$output"; then exit; fi
find "$store" -type f -mtime +7 -delete 2>/dev/null || true  # of headers as they were; somebody else may do the same
"$compiler" "$@"
cat "$dependencies" > "$kept.d"
link "$output" "$kept.pch"
