# The servers of other people that the interop tests start: from npm, once, into the cache. Sourced by tools/test.sh.

# One folder per state of package.json and its lock; a folder that exists is complete, because it came by a rename.
interop_folder() { echo "$cache/interop/$(cat tests/interop/servers/package{,-lock}.json | sha256sum | cut -c1-16)"; }

# Prints why node cannot run the servers, or nothing.
interop_obstacle() {
  command -v node >/dev/null || { echo "node is not installed"; return; }
  local version
  version=$(node --version 2>/dev/null)
  [[ $version =~ ^v([0-9]+)\. ]] && [ "${BASH_REMATCH[1]}" -ge 18 ] || echo "node ${version:-"that does not start"} is older than 18"
}

# No script of a package runs. A network that swallows everything must not hold up the tests for npm's own five minutes.
npm_install() { # $1 = folder with package.json
  (cd "$1" && timeout -k 5 240 npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
    --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 --fetch-timeout=30000)
}

# Tells the test program where the servers are by HAWSER_INTEROP, or by HAWSER_INTEROP_MISSING why they are not there:
# then it skips its tests with that reason. Only what is no matter of the machine, a lock file that does not fit, is
# a failure. Somebody who sets HAWSER_INTEROP has servers of their own.
interop_servers() {
  [ -z "${HAWSER_INTEROP:-}${HAWSER_INTEROP_MISSING:-}" ] || return 0
  local folder log=$cache/interop-install.log why
  folder=$(interop_folder)
  why=$(interop_obstacle)
  if [ -z "$why" ] && [ ! -d "$folder" ]; then
    if command -v npm >/dev/null; then why=$(install_interop_servers "$folder" "$log"); else why="npm is not installed"; fi
  fi
  if [ -n "$why" ]; then
    export HAWSER_INTEROP_MISSING=$why
    if [[ $why == "npm ci refused"* ]]; then failed=$((failed + 1)); echo "FAILED  the interop servers install: $why"; fi
    return 0
  fi
  # They find the packages in the node_modules beside them, and change more often than those do.
  local own
  for own in modern_server.mjs oidc_server.mjs; do
    cmp -s "tests/interop/servers/$own" "$folder/$own" || { cp "tests/interop/servers/$own" "$folder/.$own.$$" && mv "$folder/.$own.$$" "$folder/$own"; }
  done
  export HAWSER_INTEROP=$folder
}

# Prints why it did not work, or nothing.
install_interop_servers() { # $1 = where, $2 = log
  local new=$1.new.$$ code=0
  say "installing the interop servers"
  mkdir -p "$new"
  cp tests/interop/servers/package.json tests/interop/servers/package-lock.json tests/interop/servers/.npmrc "$new"
  npm_install "$new" > "$2" 2>&1 || code=$?
  # Somebody else may have been faster: then theirs is as good, and mv would put ours inside it.
  if [ $code = 0 ]; then mv -T "$new" "$1" 2>/dev/null || [ -d "$1" ] || echo "$1 cannot be made"; fi
  rm -rf "$new"
  [ $code != 0 ] || return 0
  local first
  first=$(grep -m 1 -E '^npm (error|ERR!)' "$2" | cut -c1-160 || true)
  case "$code $(cat "$2")" in
    124*|137*) echo "npm ci took more than 240 s" ;;
    *ENOTFOUND*|*EAI_AGAIN*|*ECONNREFUSED*|*ECONNRESET*|*ETIMEDOUT*|*ENETUNREACH*|*EHOSTUNREACH*|*ENOTCACHED*|*ERR_SOCKET_TIMEOUT*)
      echo "npm cannot reach its registry (${first:-exit code $code})" ;;
    *) echo "npm ci refused (${first:-exit code $code}); the whole story: $2" ;;
  esac
}
