# Fuzzing: what tests/fuzz has, against committed seeds. Sourced by ./dev.

fuzz_targets() { ls tests/fuzz/*.cpp | sed 's,.*/\(.*\)\.cpp,fuzz_\1,'; }

# New inputs go to the cache and are used the next time; the committed seeds are only read. The log ends with the input
# that broke something, if one did.
fuzz_one() { # $1 = target, $2 = seconds
  local found=$cache/fuzz/$1 log=$cache/fuzz/$1.log code=0
  mkdir -p "$found" "$cache/fuzz/broken"
  rm -f "$cache/fuzz/$1.code"
  "$(build_folder fuzz)/bin/$1" -max_total_time="$2" -rss_limit_mb=512 -timeout=5 -print_final_stats=1 \
    -artifact_prefix="$cache/fuzz/broken/$1-" "$found" "tests/data/fuzz/$1" > "$log" 2>&1 || code=$?
  echo $code > "$cache/fuzz/$1.code"
  echo "$1"
}

fuzz_verdict() { # $1 = target
  [ "$(cat "$cache/fuzz/$1.code" 2>/dev/null)" = 0 ] && return 0
  grep -aE '^DIFFERENCE|ERROR:|^SUMMARY|runtime error|Test unit written' "$cache/fuzz/$1.log" | cut -c1-300
  echo "the whole story: $cache/fuzz/$1.log"
  return 1
}

# As many at a time as there are cores.
run_fuzz_targets() { # $1 = seconds, rest = targets
  local seconds=$1
  shift
  total=$#
  export -f fuzz_one build_folder
  export cache toolchain
  with_progress "fuzzing" "$cache/fuzz.log" fuzz_filter xargs -a <(printf '%s\n' "$@") -P "$jobs" -I{} bash -c "fuzz_one {} $seconds"
}

fuzz_filter() {
  local count=0 line
  while IFS= read -r line; do echo "$((++count * 100 / total)) $line"; done
}

fuzz_command() {
  local seconds=300 targets=() target broken=0
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds) [ $# -gt 1 ] || fail "--seconds needs a number"; seconds=$2; shift ;;
      -*) fail "unknown option \"$1\"" ;;
      *)
        fuzz_targets | grep -qxF -- "$1" || fail "no fuzz target \"$1\"; there are $(fuzz_targets | tr '\n' ' ')"
        targets+=("$1")
        ;;
    esac
    shift
  done
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "--seconds needs a number, not \"$seconds\""
  [ "$toolchain" = clang ] || fail "libFuzzer comes with clang"
  if [ ${#targets[@]} -gt 0 ]; then
    build fuzz "${targets[@]}" || exit 1
  else
    build fuzz --group=fuzz || exit 1
    targets=($(fuzz_targets))
  fi
  run_fuzz_targets "$seconds" "${targets[@]}"
  for target in "${targets[@]}"; do
    say "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$cache/fuzz/$target.log") runs"
    fuzz_verdict "$target" || broken=1
  done
  return $broken
}
