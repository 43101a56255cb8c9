# Running the tests and counting them. Sourced by ./dev.

passed=0 failed=0 skipped=0

# Every test program ends with "N passed, M failed[, K skipped]"; one that does not has crashed, and that is a failure.
count_program() { # $1 = what, $2 = its output, $3 = its exit code
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$2" | tail -n 1 || true)
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
    [ "$3" = 0 ] || [ "${BASH_REMATCH[2]}" != 0 ] || { failed=$((failed + 1)); say "FAILED  $1 counted no failure but exited with $3"; }
  else
    passed=$((passed + $(grep -c '^ok ' "$2" || true))) failed=$((failed + $(grep -c '^FAILED ' "$2" || true) + 1))
    say "FAILED  $1 ended early (exit code $3); its last lines:"
    tail -n 40 "$2" >&2
  fi
}

run_program() { # $1 = mode, $2 = program, rest = patterns
  local log=$cache/$1-$2.log code=0 program
  program=$(build_folder "$1")/bin/$2
  # Only if a test of it will run: the first time, it means a download.
  if [ "$2" = interop_test ] && [ -n "$("$program" --list "${@:3}")" ]; then interop_servers; fi
  # Under a sanitizer nothing is measured.
  if [ "$1 $2" = "release bench_test" ] && [[ $("$program" --list "${@:3}") == *TypeScript* ]]; then bench_peers_or_failure; fi
  "$program" "${@:3}" > "$log" 2>&1 || code=$?
  if [ -n "${verbose:-}" ]; then grep -vE '^[0-9]+ passed' "$log" || true; else grep -vE '^(ok |[0-9]+ passed)' "$log" || true; fi
  count_program "$1 $2" "$log" "$code"
}

check() { # $1 = name, rest = command: a tree check counts as one test
  local name=$1 code=0 log=$cache/check.log
  shift
  ("$@") > "$log" 2>&1 || code=$?
  if [ $code = 0 ]; then
    passed=$((passed + 1))
    [ -z "${verbose:-}" ] || echo "ok      $name"
  else
    failed=$((failed + 1))
    echo "FAILED  $name"
    sed 's/^/        /' "$log" | head -n 60
  fi
}

finish() {
  echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
  [ $failed = 0 ]
}

test_programs() { ls -d tests/*/ | sed 's,tests/\(.*\)/,\1,' | grep -vE '^(support|data|fuzz|install)$'; }

phase() { echo "== $1 ($(( SECONDS / 60 ))m$(( SECONDS % 60 ))s)"; }

# The tests in which more than one thread takes part; not the one that races with careless open() calls: libuv closes
# descriptors by raw system calls, so TSan takes a number that is used again for a race.
threaded=(task: loop: offload: file: dns: signals: "an embedder" reader: host: reply: chaos: session_requests: "server tree:")

test_everything() {
  local room target
  phase "release"
  build release
  for room in $(test_programs); do run_program release "${room}_test"; done
  check "docs/features.md names tests that passed" features_are_proved
  check "every question of the bench can be answered" bench_command --quick
  check "the demo shows what it says" "$(build_folder release)/bin/hawser-demo"
  if [ "$toolchain" = clang ]; then
    phase "asan"
    # Not the servers of other people: they take a minute, and what they say passes through the same code as fixtures.
    for room in $(test_programs | grep -vx interop); do
      build asan "${room}_test"
      run_program asan "${room}_test"
    done
    phase "fuzz"
    fuzz_all 10 $(fuzz_targets)
    for target in $(fuzz_targets); do check "$target finds nothing in 10 s" fuzz_verdict "$target"; done
    phase "tsan"
    for room in runtime registry host; do
      build tsan "${room}_test"
      run_program tsan "${room}_test" "${threaded[@]}"
    done
    phase "tree checks"
    tree_checks
  else
    phase "debug"
    for room in runtime registry; do
      build debug "${room}_test"
      run_program debug "${room}_test"
    done
  fi
  phase "done"
}

# Only what matches: the rooms with a test file or a test name that contains a pattern, in one mode.
test_some() { # $1 = mode, rest = patterns
  local mode=$1 room pattern found=
  shift
  verbose=1
  for room in $(test_programs); do
    for pattern in "$@"; do
      [[ $(ls tests/"$room") == *"$pattern"* || $room == *"$pattern"* ]] || grep -rqiF --include='*.cpp' -- "$pattern" tests/"$room" || continue
      build "$mode" "${room}_test"
      if [[ $room == *"$pattern"* ]]; then run_program "$mode" "${room}_test"; else run_program "$mode" "${room}_test" "$@"; fi
      found=1
      break
    done
  done
  [ -n "$found" ] || fail "no test file and no test name contains: $*"
}

test_command() {
  local mode=release patterns=()
  while [ $# -gt 0 ]; do
    case $1 in
      --mode) [ $# -gt 1 ] || fail "--mode needs a mode"; mode=$2; shift ;;
      -v|--verbose) verbose=1 ;;
      -*) fail "unknown option \"$1\"" ;;
      *) patterns+=("$1") ;;
    esac
    shift
  done
  if [ ${#patterns[@]} -gt 0 ]; then test_some "$mode" "${patterns[@]}"; else test_everything; fi
  finish
}

. tools/checks.sh
. tools/interop.sh
