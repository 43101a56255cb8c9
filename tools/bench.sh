# Benchmarks and other long runs. Sourced by ./dev.

bench_command() { # nothing or --quick: every question; else hawser-bench's own arguments
  build release hawser-bench || exit 1
  if [[ " ${*:---peers} " =~ " --peers "|" --quick " ]]; then bench_peers; fi
  case ${1:-} in
    ""|--quick) bench_everything "$@" ;;
    *) "$(build_folder release)/bin/hawser-bench" "$@" ;;
  esac
}

# What was found at full length is published; a quick look is not.
bench_everything() {
  local into=bench code=0
  [ "${1:-}" = --quick ] && into=$cache/bench-quick
  "$(build_folder release)/bin/hawser-bench" verdict --peers --results "$into" \
    --note "commit: $(git rev-parse --short HEAD 2>/dev/null || echo unknown)" \
    --note "libuv $(pkg-config --modversion libuv), llhttp $(pkg-config --modversion libllhttp 2>/dev/null || echo 9)" "$@" || code=$?
  [ $code -gt 2 ] || say "written: $into/RESULTS.md"
  return $code
}

soak_command() {
  case ${1:-processes} in
    processes) ;;
    calls) check_calls 1000000; finish; return ;;
    *) fail "unknown soak \"$1\": processes or calls" ;;
  esac
  build release runtime_test || exit 1
  HAWSER_ROUNDS=${HAWSER_ROUNDS:-1000} HAWSER_TEST_DEADLINE=7200 "$(build_folder release)/bin/runtime_test" "every archetype" "a child sees"
}
