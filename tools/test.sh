# Running the tests and counting them. Sourced by ./dev.

passed=0 failed=0 skipped=0
logs=$cache  # where programs write; what only some tests say must not pass for what all of them say
scratch=     # where they make their temporary folders, so that nothing is left by programs that are ended

# Every test program ends with "N passed, M failed[, K skipped]"; one that does not has crashed, and that is a failure.
count_program() { # $1 = what, $2 = its output, $3 = its exit code
  local line
  line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$2" | tail -n 1 || true)
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
    [ "$3" = 0 ] || [ "${BASH_REMATCH[2]}" != 0 ] || { failed=$((failed + 1)); say "FAILED  $1 counted no failure but exited with $3"; }
  else
    passed=$((passed + $(grep -ac '^ok ' "$2" || true))) failed=$((failed + $(grep -ac '^FAILED ' "$2" || true) + 1))
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

# TSan would end a process that a test has forked as soon as it starts a thread.
start_program() { # $1 = mode, $2 = program, rest = patterns
  TMPDIR=$scratch TSAN_OPTIONS="die_after_fork=0 ${TSAN_OPTIONS:-}" "$(build_folder "$1")/bin/$2" "${@:3}" > "$logs/$1-$2.log" 2>&1
}

report_program() { # $1 = mode, $2 = program, $3 = its exit code
  local log=$logs/$1-$2.log
  if [ -n "${verbose:-}" ]; then grep -avE '^[0-9]+ passed' "$log" || true; else grep -avE '^(ok |[0-9]+ passed)' "$log" || true; fi
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
  # What is running is not its own to end, what it builds is.
  (set -e; building= ahead= scratch= running=(); trap end_together EXIT; "$@") > "$log" 2>&1
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

programs_of() { printf '%s_test\n' "$@"; } # $@ = rooms

# The longest first.
test_programs_in_order() { { printf '%s\n' interop host bench transports runtime; test_programs; } | awk '!seen[$0]++'; }

fuzz_checks() {
  local target
  build_in_turn fuzz --group=fuzz || return 0
  run_fuzz_targets 5 $(fuzz_targets)
  for target in $(fuzz_targets); do check "$target finds nothing in 5 s" fuzz_verdict "$target"; done
}

phase() { echo "== $1 ($(( SECONDS / 60 ))m$(( SECONDS % 60 ))s)"; }

# The tests in which more than one thread takes part, by room; not the one that races with careless open() calls: libuv
# closes descriptors by raw system calls, so TSan takes a number that is used again for a race. Nor where each process is
# traced, call by call.
threaded=(runtime/{task:,loop:,offload:,file:,"file lock:",dns:,signals:,"an embedder"} registry/reader:
  host/{host:,reply:,chaos:,session_requests:,"server tree:"} oauth/{"token store:","token store,"} transports/"tls peer:")

# Or a test that got a new name would not run under TSan any more, and nobody would know.
threaded_exist() {
  local one missing=0
  for one in "${threaded[@]}"; do
    [ -z "$("$(build_folder tsan)/bin/${one%%/*}_test" --list "${one#*/}")" ] || continue
    echo "no test of ${one%%/*} is called \"${one#*/}\""
    missing=1
  done
  return $missing
}

test_everything() {
  local rooms threaded_rooms
  threaded_rooms=$(printf '%s\n' "${threaded[@]%%/*}" | awk '!seen[$0]++')
  # Not the servers of other people under a sanitizer: they take a minute, and what they say passes through the same code
  # as fixtures.
  rooms=$(test_programs_in_order | grep -vx interop)
  rm -f "$cache"/*_test.log  # of earlier runs
  phase "release"
  if builds release; then
    if [ "$toolchain" = gcc ]; then build_ahead debug runtime_test registry_test; else build_ahead asan $(programs_of $rooms); fi
    run_together release $(test_programs_in_order)
    check "docs/features.md names tests that passed" features_are_proved
    check "every question of the bench can be answered" bench_command --quick
    check "the demo shows what it says" "$(build_folder release)/bin/hawser-demo"
  fi
  if [ "$toolchain" = gcc ]; then
    phase "debug"
    if build_in_turn debug runtime_test registry_test; then run_together debug runtime registry; fi
  else
    phase "asan"
    if build_in_turn asan $(programs_of $rooms); then
      build_ahead tsan $(programs_of $threaded_rooms)
      run_together asan $rooms
    fi
    phase "tsan"
    if build_in_turn tsan $(programs_of $threaded_rooms); then
      build_ahead fuzz --group=fuzz
      run_together tsan $threaded_rooms -- "${threaded[@]#*/}"
      check "the tests with threads are there" threaded_exist
    fi
    phase "fuzz"
    fuzz_checks
    phase "tree checks"
    tree_checks
  fi
  phase "done"
}

# As the programs call them, without building one. A test that gets its name while it runs is known by its suite.
test_names() { # $@ = files
  awk -F'"' '/suite</ { suite = $2 } /"_test/ { print suite ": " $2 } /ut::test\(/ { print suite ": " }' "$@"
}

# A pattern in the words of a program, which knows names of tests: a file stands for the tests in it.
program_patterns() { # $1 = room, rest = patterns
  local room=$1 pattern file
  shift
  printf '%s\n' "$@"
  for pattern in "$@"; do
    for file in tests/"$room"/*_test.cpp; do [[ $file != *"$pattern"* ]] || test_names "$file"; done
  done
}

room_matches() { # $1 = room, $2 = where to look, rest = patterns
  local files=(tests/"$1"/*_test.cpp) where=$2 pattern
  for pattern in "${@:3}"; do
    [[ ${files[*]} != *"$pattern"* ]] || return 0
    if [ "$where" = names ]; then test_names "${files[@]}"; else cat "${files[@]}"; fi | grep -iF -- "$pattern" > /dev/null && return 0
  done
  return 1
}

# Only what matches: the rooms with a test file or a test name that contains a pattern, in one mode. Some tests are named
# while they run, by a word that stands somewhere in the file; where that word is none of a name, nothing is run.
test_some() { # $1 = mode, rest = patterns
  local mode=$1 room rooms=() where pattern only
  shift
  verbose=1
  logs=$scratch
  for where in names text; do
    for room in $(test_programs); do ! room_matches "$room" "$where" "$@" || rooms+=("$room"); done
    [ ${#rooms[@]} = 0 ] || break
  done
  for room in "${rooms[@]}"; do
    mapfile -t only < <(program_patterns "$room" "$@")
    for pattern in "$@"; do [[ $room != *"$pattern"* ]] || only=(); done
    builds "$mode" "${room}_test" || continue
    [ -n "$("$(build_folder "$mode")/bin/${room}_test" --list "${only[@]}")" ] || continue
    run_program "$mode" "${room}_test" "${only[@]}"
  done
  [ $((passed + failed + skipped)) -gt 0 ] || fail "no test was selected by: $*"
}

test_mode() { # $1 = mode
  local rooms
  rooms=$(test_programs_in_order)
  if builds "$1" $(programs_of $rooms); then run_together "$1" $rooms; fi
}

test_command() {
  local mode= patterns=()
  while [ $# -gt 0 ]; do
    case $1 in
      --mode) [ $# -gt 1 ] || fail "--mode needs a mode"; check_mode "$2"; mode=$2; shift ;;
      -v|--verbose) verbose=1 ;;
      -*) fail "unknown option \"$1\"" ;;
      *) patterns+=("$1") ;;
    esac
    shift
  done
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/hawser.XXXXXX")  # short: the path of a Unix socket has 108 bytes
  if [ ${#patterns[@]} -gt 0 ]; then test_some "${mode:-release}" "${patterns[@]}"
  elif [ -n "$mode" ]; then test_mode "$mode"
  else test_everything; fi
  finish
}

. tools/together.sh
. tools/checks.sh
. tools/interop.sh
