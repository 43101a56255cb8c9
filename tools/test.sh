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

# The packages of other people that its tests need: only if one of these will run, since the first time it means a download.
prepare_program() { # $1 = mode, $2 = program, rest = patterns
  local program
  program=$(build_folder "$1")/bin/$2
  if [ "$2" = interop_test ] && [ -n "$("$program" --list "${@:3}")" ]; then interop_servers; fi
  # Under a sanitizer nothing is measured.
  if [ "$1 $2" = "release bench_test" ] && [[ $("$program" --list "${@:3}") == *TypeScript* ]]; then bench_peers_or_failure; fi
}

start_program() { # $1 = mode, $2 = program, rest = patterns
  "$(build_folder "$1")/bin/$2" "${@:3}" > "$cache/$1-$2.log" 2>&1
}

report_program() { # $1 = mode, $2 = program, $3 = its exit code
  local log=$cache/$1-$2.log
  if [ -n "${verbose:-}" ]; then grep -vE '^[0-9]+ passed' "$log" || true; else grep -vE '^(ok |[0-9]+ passed)' "$log" || true; fi
  count_program "$1 $2" "$log" "$3"
}

run_program() { # $1 = mode, $2 = program, rest = patterns
  local code=0
  prepare_program "$@"
  start_program "$@" || code=$?
  report_program "$1" "$2" "$code"
}

check() { # $1 = name, rest = command: a tree check counts as one test
  local name=$1 code log=$cache/check.log
  shift
  set +e  # not `|| code=$?`: in a condition, bash would go on after a command that fails
  (set -e; "$@") > "$log" 2>&1
  code=$?
  set -e
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

# The longest first.
test_programs_in_order() { { printf '%s\n' interop host bench transports runtime; test_programs; } | awk '!seen[$0]++'; }

fuzz_checks() {
  local target
  build_in_turn fuzz --group=fuzz
  run_fuzz_targets 10 $(fuzz_targets)
  for target in $(fuzz_targets); do check "$target finds nothing in 10 s" fuzz_verdict "$target"; done
}

phase() { echo "== $1 ($(( SECONDS / 60 ))m$(( SECONDS % 60 ))s)"; }

# The tests in which more than one thread takes part; not the one that races with careless open() calls: libuv closes
# descriptors by raw system calls, so TSan takes a number that is used again for a race.
threaded=(task: loop: offload: file: dns: signals: "an embedder" reader: host: reply: chaos: session_requests: "server tree:")

test_everything() {
  local rooms
  # Not the servers of other people under a sanitizer: they take a minute, and what they say passes through the same code
  # as fixtures.
  rooms=$(test_programs_in_order | grep -vx interop)
  phase "release"
  build release
  if [ "$toolchain" = gcc ]; then build_ahead debug runtime_test registry_test; else build_ahead asan $(printf '%s_test\n' $rooms); fi
  run_together release $(test_programs_in_order)
  check "docs/features.md names tests that passed" features_are_proved
  check "every question of the bench can be answered" bench_command --quick
  check "the demo shows what it says" "$(build_folder release)/bin/hawser-demo"
  if [ "$toolchain" = gcc ]; then
    phase "debug"
    build_in_turn debug runtime_test registry_test
    run_together debug runtime registry
  else
    phase "asan"
    build_in_turn asan $(printf '%s_test\n' $rooms)
    build_ahead tsan runtime_test registry_test host_test
    run_together asan $rooms
    phase "tsan"
    build_in_turn tsan runtime_test registry_test host_test
    build_ahead fuzz --group=fuzz
    run_together tsan runtime registry host -- "${threaded[@]}"
    phase "fuzz"
    fuzz_checks
    phase "tree checks"
    tree_checks
  fi
  phase "done"
}

# As the programs call them, without building one.
test_names() { # $1 = room
  awk -F'"' '/suite</ { suite = $2 } /"_test/ { print suite ": " $2 }' tests/"$1"/*_test.cpp
}

room_matches() { # $1 = room, $2 = where to look, rest = patterns
  local room=$1 where=$2 pattern
  shift 2
  for pattern in "$@"; do
    [[ $room == *"$pattern"* || $(ls tests/"$room") == *"$pattern"* ]] && return 0
    if [ "$where" = names ]; then test_names "$room"; else cat tests/"$room"/*_test.cpp; fi | grep -iF -- "$pattern" > /dev/null && return 0
  done
  return 1
}

# Only what matches: the rooms with a test file or a test name that contains a pattern, in one mode. Some tests are named
# while they run, by a word that stands somewhere in the file.
test_some() { # $1 = mode, rest = patterns
  local mode=$1 room rooms=() where pattern only
  shift
  verbose=1
  for where in names text; do
    for room in $(test_programs); do ! room_matches "$room" "$where" "$@" || rooms+=("$room"); done
    [ ${#rooms[@]} = 0 ] || break
  done
  [ ${#rooms[@]} -gt 0 ] || fail "no test file and no test name contains: $*"
  for room in "${rooms[@]}"; do
    only=("$@")
    for pattern in "$@"; do [[ $room != *"$pattern"* ]] || only=(); done
    build "$mode" "${room}_test"
    run_program "$mode" "${room}_test" "${only[@]}"
  done
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

. tools/together.sh
. tools/checks.sh
. tools/interop.sh
