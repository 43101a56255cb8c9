# Running something long: its output goes to a log, a line says how far it is, Ctrl-C and `kill` end all of it, and the
# time it took is told at the end. Sourced by ./dev.

stages=()  # "VERB SECONDS" of everything that took its time
job=       # the process group that is running

# Shows lines "PERCENT TEXT" ("- TEXT" where nobody knows the percentage): one line that moves on a terminal; elsewhere
# a line for every 10 %, and one whenever nothing was said for 5 s.
show_progress() { # $1 = verb; stdin = lines
  local verb=$1 line percent=- text= shown=-10 last=$SECONDS columns=${COLUMNS:-80} status
  [ ! -t 2 ] || columns=$(stty size < /dev/tty 2>/dev/null | cut -d' ' -f2 || echo 80)
  while true; do
    status=0
    IFS= read -r -t 1 line || status=$?
    if [ $status = 0 ]; then percent=${line%% *} text=${line#* }
    elif [ $status -le 128 ]; then break; fi  # above: nothing came for a second
    line="$verb$([ "$percent" = - ] || printf ' %d %%' "$percent")${text:+ · $text}"
    if [ -t 2 ]; then
      printf '\r\033[K%s' "${line:0:$((columns - 8))} $((SECONDS - last)) s" >&2
    elif { [ "$percent" != - ] && [ "$percent" -ge $((shown + 10)) ]; } || [ $((SECONDS - last)) -ge 5 ]; then
      say "$line"
      last=$SECONDS
      [ "$percent" = - ] || shown=$((percent / 10 * 10))
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

# The process group of its own is why a signal to ./dev reaches everything, and why what tests start can be interrupted:
# bash makes plain background jobs ignore SIGINT.
with_progress() { # $1 = verb, $2 = log, $3 = filter that turns its output into lines for show_progress, rest = command
  local verb=$1 log=$2 filter=$3 begin=$SECONDS code=0
  set -m
  { "${@:4}" 2>&1 < /dev/null | tee "$log" | "$filter" | show_progress "$verb"; exit "${PIPESTATUS[0]}"; } &
  job=$!
  set +m
  wait "$job" || code=$?
  job=
  stages+=("$verb $((SECONDS - begin))")
  return $code
}

last_line() { sed -un -e 's/\x1b\[[0-9;]*m//g' -e 's/^[[:space:]]*\([^[:space:]].*\)/- \1/p'; } # a filter for what says nothing about percentages

duration() { # $1 = seconds
  if [ "$1" -lt 60 ]; then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi
}

# However ./dev ends.
end_job() {
  [ -n "$job" ] || return 0
  [ ! -t 2 ] || printf '\r\033[K' >&2
  kill -- "-$job" 2>/dev/null || true
  for _ in {1..50}; do kill -0 -- "-$job" 2>/dev/null || return 0; sleep 0.1; done
  kill -KILL -- "-$job" 2>/dev/null || true  # it was just testing signals
}
