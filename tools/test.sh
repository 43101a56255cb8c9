# ./dev test: builds the test programs, runs them and counts. Sourced by ./dev.

passed=0 failed=0 skipped=0
failures=()                # what is said again at the end
logs=$cache                # MODE-PROGRAM.log of the last whole run; a run of some tests has its logs in $scratch
scratch=                   # where tests make their temporary folders, so that nothing is left by programs that are ended

test_command() { # [--mode MODE] [-v] [PATTERN …]
  local mode=release patterns=()
  while [ $# -gt 0 ]; do
    case $1 in
      --mode) [ $# -gt 1 ] || fail "--mode needs a mode"; check_mode "$2"; mode=$2; shift ;;
      -v|--verbose) verbose=1 ;;
      -*) fail "unknown option \"$1\"" ;;
      *) patterns+=("$1") ;;
    esac
    shift
  done
  if [ ${#patterns[@]} -gt 0 ]; then
    test_some "$mode" "${patterns[@]}"
  else
    test_all "$mode"
    if [ "$mode" = release ]; then
      check "docs/features.md names tests that passed" features_are_proved
      check "the demo shows what it says" "$(build_folder release)/bin/hawser-demo"
      check "every question of the bench can be answered" bench_everything --quick
    fi
  fi
  finish
}

# The test programs are one per module. Those that take longest come first.
test_modules() { # $1 = mode
  local threaded=(host runtime transports oauth registry)  # tests/xmake.lua
  case $1 in
    tsan) printf '%s\n' "${threaded[@]}" ;;
    asan) printf '%s\n' "${threaded[@]}" bench server cli tree ;;  # other people's servers say what fixtures say
    *) printf '%s\n' interop "${threaded[@]}" bench server cli tree ;;
  esac
}

test_all() { # $1 = mode
  local modules group=
  mapfile -t modules < <(test_modules "$1")
  case $1 in asan|tsan) group=--group=test ;; esac
  build "$1" $group || { count_failure "the $1 build"; return 0; }
  rm -f "$cache/$1"-*_test.log
  run_modules "$1" "${modules[@]}" --
}

# The inner loop: the tests whose module, file or name contains a pattern.
test_some() { # $1 = mode, rest = patterns
  local mode=$1 module candidates=() pattern only
  shift
  verbose=1 logs=$scratch
  # The guard measures, which means nothing in another mode, and takes too long for the whole run: ./dev check guard.
  for module in $(test_modules release) $([ "$mode" != release ] || echo guard); do ! module_mentions "$module" "$@" || candidates+=("$module"); done
  # A test that gets its name while it runs is known to its program only.
  [ ${#candidates[@]} -gt 0 ] || mapfile -t candidates < <(test_modules "$mode")
  for module in "${candidates[@]}"; do
    build "$mode" "${module}_test" || { count_failure "the $mode build of ${module}_test"; continue; }
    only=("$@")
    for pattern in "$@"; do [ "$module" != "$pattern" ] || only=(); done
    [ -z "$("$(build_folder "$mode")/bin/${module}_test" --list "${only[@]}")" ] || run_modules "$mode" "$module" -- "${only[@]}"
  done
  [ $((passed + failed + skipped)) -gt 0 ] || fail "no test is selected by: $*$([ "$mode" != tsan ] || echo " (in tsan, there are only the test files that tests/xmake.lua calls threaded)")"
}

module_mentions() { # $1 = module, rest = patterns
  local files pattern
  mapfile -t files < <(find tests/"$1" -name '*_test.cpp')
  for pattern in "${@:2}"; do
    [[ $1 != "$pattern" && ${files[*]##*/} != *"$pattern"* ]] || return 0
    awk -F'"' '/suite</ { suite = $2 } /"_test/ { print suite ": " $2 }' "${files[@]}" | grep -iF -- "$pattern" > /dev/null && return 0
  done
  return 1
}

run_modules() { # $1 = mode, then modules, then -- and patterns
  local mode=$1 modules=() module listed
  shift
  while [ "$1" != -- ]; do modules+=("$1"); shift; done
  shift
  total=0
  for module in "${modules[@]}"; do
    listed=$("$(build_folder "$mode")/bin/${module}_test" --list "$@")
    total=$((total + $(wc -l <<< "$listed")))
    # Packages from npm only for tests that will run: the first time, that means a download.
    if [ "$module" = interop ] && [ -n "$listed" ]; then interop_servers; fi
    if [ "$mode-$module" = release-bench ] && [[ $listed == *TypeScript* ]]; then bench_peers; fi
  done
  export -f run_module build_folder
  export toolchain logs scratch
  with_progress "testing $mode" "$cache/test-$mode.log" test_filter \
    xargs -a <(printf '%s\n' "${modules[@]}") -P "$jobs" -I{} bash -c 'run_module "$@"' run_module "$mode" {} "$@" || true
  for module in "${modules[@]}"; do report_module "$mode" "$module"; done
}

# TSan would end a process that a test has forked as soon as it starts a thread.
run_module() { # $1 = mode, $2 = module, rest = patterns
  local log=$logs/$1-${2}_test.log
  TMPDIR=$scratch TSAN_OPTIONS="die_after_fork=0 ${TSAN_OPTIONS:-}" "$(build_folder "$1")/bin/${2}_test" "${@:3}" 2>&1 | tee "$log"
  echo "${PIPESTATUS[0]}" > "$log.code"
}

test_filter() { # "ok NAME", "FAILED NAME", "skipped NAME" as they come
  local count=0 line
  while IFS= read -r line; do
    case $line in "ok "*|"FAILED "*|"skipped "*) count=$((count + 1)); echo "$((count * 100 / (total + 1))) ${line:8}" ;; esac
  done
}

# Every test program ends with "N passed, M failed[, K skipped]"; one that does not has crashed, and that is a failure.
report_module() { # $1 = mode, $2 = module
  local log=$logs/$1-${2}_test.log code line name
  code=$(cat "$log.code" 2>/dev/null || echo "none")
  grep -avE "^([0-9]+ passed${verbose:+|$}${verbose:-|ok })" "$log" || true
  while IFS= read -r name; do
    name=${name#FAILED  }
    remember_failure "$1 $(grep -aA20 -F "FAILED  $name" "$log" | sed -n '1p;2,${/^        /!q;p}')" \
      "./dev test$([ "$1" = release ] || echo " --mode $1") $(quoted "${name% (*}")"
  done < <(grep -a '^FAILED ' "$log" || true)
  line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1 || true)
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
    [ "$code" = 0 ] || [ "${BASH_REMATCH[2]}" != 0 ] || count_failure "$1 ${2}_test counted no failure but exited with $code"
  else
    passed=$((passed + $(grep -ac '^ok ' "$log" || true))) failed=$((failed + $(grep -ac '^FAILED ' "$log" || true)))
    count_failure "$1 ${2}_test ended early (exit code $code)" "its last lines:" "$(tail -n 40 "$log")"
  fi
}

quoted() { printf "'%s'" "${1//\'/\'\\\'\'}"; } # for a shell

remember_failure() { # $1 = what it said, $2 = the command that runs it alone
  failures+=("$1"$'\n'"        alone: $2")
}

count_failure() { # $1 = what failed, rest = lines about it
  failed=$((failed + 1))
  failures+=("FAILED  $1$([ $# = 1 ] || printf '\n        %s' "${@:2}")")
  echo "${failures[-1]}"
}

check() { # $1 = name, rest = command: counts as one test
  local log=$cache/check.log code
  set +e  # not `|| code=$?`: in a condition, bash would go on after a command that fails
  with_progress "checking that $1" "$log" last_line strictly "${@:2}"
  code=$?
  set -e
  if [ $code = 0 ]; then
    passed=$((passed + 1))
    [ -z "${verbose:-}" ] || echo "ok      $1"
  else
    count_failure "$1" "$(head -n 60 "$log")"
  fi
}

strictly() { set -e; "$@"; }

# Every test that docs/features.md names has run in this very run, and passed.
features_are_proved() {
  local name missing=0
  while read -r name; do
    grep -qaF "ok      $name (" "$cache"/release-*_test.log && continue
    echo "docs/features.md names a test that did not pass: $name"
    missing=1
  done < <(sed -n 's/^| S.* | \(`.*`\) |$/\1/p' docs/features.md | grep -o '`[^`]*`' | tr -d '`' | sort -u)
  return $missing
}

# The counts also go to the file that HAWSER_COUNTS names, where .ci/run adds them up.
finish() {
  say_times
  [ ${#failures[@]} = 0 ] || printf '\n%s\n' "What failed:" "${failures[@]}" ""
  [ -z "${HAWSER_COUNTS:-}" ] || echo "$passed $failed $skipped" >> "$HAWSER_COUNTS"
  echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
  [ $failed = 0 ]
}
