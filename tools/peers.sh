# Other clients that take part in the benchmarks. Sourced by ./dev.

# Tells hawser-bench where they are by HAWSER_BENCH_PEERS, or by HAWSER_BENCH_PEERS_MISSING why they are not there: then
# it measures without them and says so. Somebody who sets HAWSER_BENCH_PEERS has a folder of their own.
bench_peers() {
  [ -z "${HAWSER_BENCH_PEERS:-}${HAWSER_BENCH_PEERS_MISSING:-}" ] || return 0
  local why
  why=$(npm_packages bench/peers peers 20 join.mjs typescript_sdk.mjs typescript_client.mjs)
  if [ -n "$why" ]; then
    export HAWSER_BENCH_PEERS_MISSING=$why
    return 0
  fi
  HAWSER_BENCH_PEERS=$(npm_folder bench/peers peers)
  export HAWSER_BENCH_PEERS
}

# For the tests: a lock file that does not fit is no matter of the machine.
bench_peers_or_failure() {
  bench_peers
  if [[ ${HAWSER_BENCH_PEERS_MISSING:-} == "npm ci refused"* ]]; then
    failed=$((failed + 1))
    echo "FAILED  the clients of bench/peers install: $HAWSER_BENCH_PEERS_MISSING"
  fi
}
