# What Hawser needs on a machine, and how ./dev setup brings it there. Sourced by ./dev.
#
# The machine's own apt configuration is left as it is: sources, pins and package lists for the few packages
# that its release does not have live in the cache folder and reach apt through -o options.

debian_release() { # prints 12 or 13, or nothing on any other system
  local id version
  id=$(. /etc/os-release 2>/dev/null && echo "${ID:-}")
  version=$(. /etc/os-release 2>/dev/null && echo "${VERSION_ID:-}")
  [ "$id" = debian ] || return 0
  case $version in 12|13) echo "$version" ;; esac
}

# CONTRIBUTING.md says why each of them is there.
wanted_packages() { # $1 = Debian release, $2 = toolchain
  local common="clang-19 libclang-rt-19-dev llvm-19 clang-tidy-19 clang-format-19 libuv1-dev libc-ares-dev libssl-dev
    libcli11-dev libllhttp-dev libjsoncons-dev libboost-ext-ut-dev ccache pkg-config xmake git ca-certificates procps curl valgrind"
  case $1 in
    12) echo $common libstdc++-12-dev libboost-json1.83-dev libboost-url1.83-dev ;;
    13) echo $common libstdc++-14-dev libboost-json1.88-dev libboost-url1.88-dev ;;
  esac
  [ "$2" = gcc ] && echo g++-14
  # For the interop tests; where node comes from elsewhere, it is as good.
  command -v node >/dev/null && command -v npm >/dev/null || echo nodejs npm
  return 0
}

missing_packages() { # $@ = names; prints those that are not installed
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
  printf '%s\n' "$@" | grep -vxF -f <(printf '%s\n' "$installed") || true  # not as an argument, which has a limit
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

become_root() { # sudo asks for its password here, not in the middle of a line that moves
  [ "$(id -u)" = 0 ] && return 0
  command -v sudo >/dev/null || fail "installing packages needs root: run ./dev setup as root, or install sudo"
  sudo -v || fail "installing packages needs root: sudo refused"
}

# apt's Status-Fd: "dlstatus:NUMBER:PERCENT:TEXT" while it downloads, "pmstatus:PACKAGE:PERCENT:TEXT" while it installs.
apt_filter() {
  sed -un -e 's/^dlstatus:[^:]*:\([0-9]*\)[^:]*:\(.*\)/\1 \2/p' -e 's/^pmstatus:\([^:]*\):\([0-9]*\)[^:]*:.*/\2 \1/p'
}

# Debian 12 lacks a few packages: xmake and a recent Boost come from its backports, llhttp, ut and jsoncons from Debian 13. The mirror
# is the one this machine already uses for its own release; nothing else is taken from it.
write_private_apt() { # $1 = folder
  local dir=$1 mirror sources
  mkdir -p "$dir/sources" "$dir/preferences" "$dir/lists/partial"
  # By the word of the configuration, also where no lists were fetched yet, as in an image of a container; and by what
  # "oldstable" means, which apt knows once it has them.
  sources=$({ apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages'
    apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages'; } | sort -u | grep -E ' bookworm(-[a-z]+)?$' || true)
  mirror=$(printf '%s\n' "$sources" | sed -n 's/ bookworm$//p' | head -n 1)
  [ -n "$mirror" ] || fail "no package source for bookworm is configured on this machine: 'apt-get indextargets' lists none; where the sources say oldstable, run apt-get update first"
  {
    printf '%s\n' "$sources" | grep -v -e backports | while read -r uri suite; do
      printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$uri" "$suite"
    done
    for suite in bookworm-backports trixie; do
      printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$mirror" "$suite"
    done
  } > "$dir/sources/hawser.list"
  cat > "$dir/preferences/hawser" <<'PINS'
Package: *
Pin: release n=trixie
Pin-Priority: -1

Package: libboost-ext-ut-dev libjsoncons-dev libllhttp-dev libllhttp9.2
Pin: release n=trixie
Pin-Priority: 600

Package: xmake xmake-data libboost1.83-dev libboost-json1.83-dev libboost-json1.83.0 libboost-url1.83-dev libboost-url1.83.0
Pin: release n=bookworm-backports
Pin-Priority: 600
PINS
}

other_system() {
  cat >&2 <<'TEXT'
This is not Debian 12 or 13, so ./dev installs nothing here. Hawser needs:

  compiler   clang >= 19 (clang, compiler-rt, clang-tidy, clang-format), or g++ >= 14
  build      xmake >= 2.9.9, pkg-config, git, bash >= 5.1; ccache is used where present
  libraries  libuv >= 1.44, c-ares >= 1.18, OpenSSL >= 3.0, Boost >= 1.83 (with Boost.JSON and Boost.URL),
             llhttp >= 9.2, CLI11 >= 2.1, for the tests boost-ext ut >= 2.1 and jsoncons >= 1.0
  tests      ps (procps); node >= 18 with npm, for the servers that the interop tests start, curl and valgrind: skipped without

With the compiler and xmake in place, the libraries need not be installed: `xmake` uses what the system has
and fetches the rest from its own package repository (xmake f -m release && xmake).
TEXT
}

# apt would make room for ours by removing what somebody else has chosen, another version of Boost for instance.
explain_refusal() { # $1 = wanted packages, rest = apt-get and its options
  local in_the_way
  in_the_way=$(LC_ALL=C "${@:2}" -s install $1 2>/dev/null | sed -n 's/^Remv \([^ ]*\).*/\1/p' || true)
  if [ -n "$in_the_way" ]; then
    say "In the way of $(echo $1) are:" $in_the_way
    fail "remove these yourself with apt-get, or keep them and build with xmake alone, which fetches what is missing (README, Building)"
  fi
  tail -n 30 "$cache/apt-install.log" >&2
  fail "apt-get could not install: $(echo $1)"
}

# Where there is no package to ask for, what can be looked for is a program.
missing_programs() {
  local name
  for name in xmake pkg-config git "$(compiler_name)"; do command -v "$name" > /dev/null || echo "$name"; done
}

setup() {
  local release missing apt_options=()
  release=$(debian_release)
  if [ -z "$release" ]; then
    missing=$(missing_programs)
    [ -n "$missing" ] || return 0
    other_system
    fail "missing here:" $missing
  fi
  [ "$release" = 12 ] && [ "$toolchain" = gcc ] && fail "Debian 12 has no g++ >= 14, and older ones miscompile coroutines: use --toolchain clang"
  missing=$(missing_packages $(wanted_packages "$release" "$toolchain"))
  [ -z "$missing" ] && return 0
  say "installing:" $missing
  if [ "$release" = 12 ]; then
    local private=$cache/apt
    write_private_apt "$private"
    # apt drops to its own user for downloads, which cannot reach a checkout below a private home directory.
    apt_options=(-o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$private/sources" -o APT::Sandbox::User=root
      -o "Dir::Etc::PreferencesParts=$private/preferences" -o "Dir::State::Lists=$private/lists"
      -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=")  # or the machine's cache would be made from our lists
  fi
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get "${apt_options[@]}" -o DPkg::Lock::Timeout=300 --no-install-recommends)
  local log=$cache/apt-install.log
  become_root
  with_progress "fetching package lists" "$log" apt_filter as_root "${apt[@]}" -o APT::Status-Fd=1 -qq update ||
    { tail -n 30 "$log" >&2; fail "apt-get could not fetch the package lists"; }
  with_progress "installing" "$log" apt_filter as_root "${apt[@]}" -o APT::Status-Fd=1 -qq -y --no-remove install $missing ||
    explain_refusal "$missing" "${apt[@]}"
  missing=$(missing_packages $missing)
  [ -z "$missing" ] || fail "still missing after the installation: $(echo $missing)"
}

setup_command() {
  [ -n "$(debian_release)" ] || [ -n "$(missing_programs)" ] || other_system
  setup
}
