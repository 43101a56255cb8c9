# Test programs two at a time: they mostly wait, for processes and for clocks. Meanwhile the next mode is built. Sourced
# by tools/test.sh.

declare -A running=()  # process → program
building=              # the process that builds what is needed now …
ahead=                 # … and what comes next

# Each is told of as it ends. The longest should come first.
run_together() { # $1 = mode, then rooms, then perhaps -- and patterns
  local mode=$1 rooms=() room
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do rooms+=("$1"); shift; done
  [ $# = 0 ] || shift
  for room in "${rooms[@]}"; do
    [ ${#running[@]} -lt 2 ] || await_one "$mode"
    prepare_program "$mode" "${room}_test" "$@"
    # A process group of its own: else bash would make it, and every server that it starts, deaf to Ctrl-C.
    set -m
    start_program "$mode" "${room}_test" "$@" < /dev/null &
    running[$!]=${room}_test
    set +m
  done
  while [ ${#running[@]} -gt 0 ]; do await_one "$mode"; done
}

await_one() { # $1 = mode
  local ended= code=0 process
  wait -n -p ended "${!running[@]}" || code=$?
  if [ -z "${ended:-}" ]; then  # bash has noticed its end already, and forgotten it
    for process in "${!running[@]}"; do
      kill -0 "$process" 2>/dev/null || { ended=$process code=1; break; }
    done
  fi
  [ -n "${ended:-}" ] || fail "a test program got lost"
  report_program "$1" "${running[$ended]}" "$code"
  unset "running[$ended]"
}

# What goes wrong is told by build_in_turn(), when its turn comes.
build_ahead() { # $1 = mode, rest = targets
  set -m
  (renice -n 19 "$BASHPID"; build "$@") > /dev/null 2>&1 < /dev/null &
  ahead=$!
  set +m
}

# Not in the foreground, where bash would hear of a signal only when it is over.
interruptible() { # $@ = what to do
  local code=0
  set -m
  ("$@") < /dev/null &
  building=$!
  set +m
  wait "$building" || code=$?
  building=
  return $code
}

# A build that fails is one failure, and the run goes on without its programs.
builds() { # as build()
  interruptible build "$@" && return 0
  failed=$((failed + 1))
  echo "FAILED  the $1 build"
  return 1
}

# What a command cannot do without.
build_or_end() { interruptible build "$@" || exit 1; } # as build(), which has said why

build_in_turn() { # as builds()
  # Now somebody waits for it. Who is not root may not hurry it, and has to wait as long as the machine is busy.
  [ -z "$ahead" ] || renice -n 0 -g "$ahead" > /dev/null 2>&1 || true
  [ -z "$ahead" ] || wait "$ahead" || true
  ahead=
  builds "$@"
}

# At the end of ./dev, however it comes.
end_together() {
  local process
  for process in $building $ahead "${!running[@]}"; do kill -- "-$process" 2>/dev/null || true; done
  for process in $building $ahead "${!running[@]}"; do
    for _ in {1..50}; do kill -0 -- "-$process" 2>/dev/null || break; sleep 0.1; done
    kill -KILL -- "-$process" 2>/dev/null || true  # it was just testing signals
  done
  # Somebody of a process tree may still be at it for a moment.
  [ -z "$scratch" ] || rm -rf "$scratch" 2>/dev/null || { sleep 1; rm -rf "$scratch"; }
}
