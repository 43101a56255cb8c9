# Programs of other people from npm, by exact versions, installed once into the cache. Sourced by ./dev.

# Exports in VARIABLE the folder that has the packages and our own scripts that use them, or in VARIABLE_MISSING why
# there is none: then whoever needs them skips what it would do with them, with that reason. Only a lock file that does
# not fit package.json is our own fault, and a failure. Where VARIABLE is set already, nothing is installed.
npm_packages() { # $1 = VARIABLE, $2 = folder with package.json, lock and .npmrc, $3 = oldest node, rest = scripts of ours in $2
  local variable=$1 missing=${1}_MISSING from=$2 folder why script
  [ -z "${!variable:-}${!missing:-}" ] || return 0
  # One folder per state of package.json and its lock; a folder that exists is complete, because it came by a rename.
  folder=$cache/npm/$(cat "$from"/package{,-lock}.json | sha256sum | cut -c1-16)
  why=$(node_obstacle "$3")
  if [ -z "$why" ] && [ ! -d "$folder" ]; then npm_install "$from" "$folder"; fi  # which says in `why` what went wrong
  if [ -n "$why" ]; then
    export "$missing=$why"
    [[ $why != "npm ci refused"* ]] || count_failure "the packages of $from install" "$why"
    return 0
  fi
  # Our scripts find the packages in the node_modules beside them, and change more often than those do.
  for script in "${@:4}"; do
    cmp -s "$from/$script" "$folder/$script" || { cp "$from/$script" "$folder/.$script.$$" && mv "$folder/.$script.$$" "$folder/$script"; }
  done
  export "$variable=$folder"
}

# Prints why node cannot run them, or nothing.
node_obstacle() { # $1 = the oldest version that can
  command -v node >/dev/null || { echo "node is not installed"; return; }
  command -v npm >/dev/null || { echo "npm is not installed"; return; }
  local version
  version=$(node --version 2>/dev/null)
  [[ $version =~ ^v([0-9]+)\. ]] && [ "${BASH_REMATCH[1]}" -ge "$1" ] || echo "node ${version:-"that does not start"} is older than $1"
}

npm_install() { # $1 = folder with package.json, $2 = where to
  local log=$cache/npm-install.log new=$2.new.$$ left code=0
  for left in "$cache"/npm/*.new.*; do kill -0 "${left##*.}" 2>/dev/null || rm -rf "$left"; done  # by runs that were ended
  mkdir -p "$new"
  cp "$1"/package.json "$1"/package-lock.json "$1"/.npmrc "$new"
  with_progress "installing the packages of $1" "$log" last_line npm_ci "$new" || code=$?
  # Somebody else may have been faster: then theirs is as good, and mv would put ours inside it.
  if [ $code = 0 ]; then mv -T "$new" "$2" 2>/dev/null || [ -d "$2" ] || why="$2 cannot be made"; fi
  rm -rf "$new"
  local first
  first=$(sed -nE 's/^npm (error|ERR!) +//p' "$log" | head -n 2 | paste -sd' ' | cut -c1-160)
  case "$code $(cat "$log")" in
    0*) ;;
    124*|137*) why="npm ci took more than 240 s" ;;
    *" code EUSAGE"*|*" code EINTEGRITY"*) why="npm ci refused ($first); the whole story: $log" ;;
    *) why="npm ci did not work here (${first:-exit code $code})" ;;
  esac
}

# No script of a package runs. A network that swallows everything must not hold up anybody for npm's own five minutes.
npm_ci() { # $1 = folder
  cd "$1" && timeout -k 5 240 npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
    --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 --fetch-timeout=30000
}

interop_servers() { npm_packages HAWSER_INTEROP tests/interop/servers 18 modern_server.mjs oidc_server.mjs; }
bench_peers() { npm_packages HAWSER_BENCH_PEERS bench/peers 20 join.mjs typescript_sdk.mjs typescript_client.mjs; }
