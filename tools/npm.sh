# Programs of other people from npm, by exact versions, installed once into the cache. Sourced by ./dev.

# One folder per state of package.json and its lock; a folder that exists is complete, because it came by a rename.
npm_folder() { # $1 = folder with package.json, lock and .npmrc, $2 = its name in the cache
  echo "$cache/$2/$(cat "$1"/package{,-lock}.json | sha256sum | cut -c1-16)"
}

# Prints why node cannot run them, or nothing.
node_obstacle() { # $1 = the oldest version that can
  command -v node >/dev/null || { echo "node is not installed"; return; }
  local version
  version=$(node --version 2>/dev/null)
  [[ $version =~ ^v([0-9]+)\. ]] && [ "${BASH_REMATCH[1]}" -ge "$1" ] || echo "node ${version:-"that does not start"} is older than $1"
}

# No script of a package runs. A network that swallows everything must not hold up anybody for npm's own five minutes; in
# the foreground, or Ctrl-C would not reach it.
npm_install() { # $1 = folder with package.json
  (cd "$1" && timeout --foreground -k 5 240 npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
    --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 --fetch-timeout=30000)
}

# Prints why they cannot be used, or nothing: then they are in npm_folder, with the scripts of ours that use them. Only
# "npm ci refused" is no matter of the machine: a lock file that does not fit.
npm_packages() { # $1 = folder with package.json, $2 = its name in the cache, $3 = the oldest node, rest = scripts of ours in $1
  local from=$1 name=$2 folder why own
  folder=$(npm_folder "$1" "$2")
  why=$(node_obstacle "$3")
  shift 3
  if [ -z "$why" ] && [ ! -d "$folder" ]; then
    if command -v npm >/dev/null; then why=$(npm_install_into "$folder" "$from" "$cache/$name-install.log"); else why="npm is not installed"; fi
  fi
  if [ -n "$why" ]; then echo "$why"; return 0; fi
  # They find the packages in the node_modules beside them, and change more often than those do.
  for own in "$@"; do
    cmp -s "$from/$own" "$folder/$own" || { cp "$from/$own" "$folder/.$own.$$" && mv "$folder/.$own.$$" "$folder/$own"; }
  done
}

# Prints why it did not work, or nothing.
npm_install_into() { # $1 = where, $2 = folder with package.json, $3 = log
  local new=$1.new.$$ code=0 left
  for left in "${1%/*}"/*.new.*; do kill -0 "${left##*.}" 2>/dev/null || rm -rf "$left"; done  # by runs that were ended
  say "installing what $2/package.json names"
  mkdir -p "$new"
  cp "$2"/package.json "$2"/package-lock.json "$2"/.npmrc "$new"
  npm_install "$new" > "$3" 2>&1 || code=$?
  # Somebody else may have been faster: then theirs is as good, and mv would put ours inside it.
  if [ $code = 0 ]; then mv -T "$new" "$1" 2>/dev/null || [ -d "$1" ] || echo "$1 cannot be made"; fi
  rm -rf "$new"
  [ $code != 0 ] || return 0
  local first
  first=$(sed -nE 's/^npm (error|ERR!) +//p' "$3" | head -n 2 | paste -sd' ' | cut -c1-160 || true)
  case "$code $(cat "$3")" in
    124*|137*) echo "npm ci took more than 240 s" ;;
    *" code EUSAGE"*|*" code EINTEGRITY"*) echo "npm ci refused ($first); the whole story: $3" ;;
    *) echo "npm ci did not work here (${first:-exit code $code})" ;;
  esac
}
