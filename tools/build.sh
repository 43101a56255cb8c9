# Building, one xmake configuration per toolchain and mode, so that switching costs nothing. Sourced by ./dev.

jobs=$(nproc 2>/dev/null || echo 2)

build_folder() { # $1 = mode; where programs of the toolchain in use land
  if [ "$toolchain" = gcc ]; then echo "build/gcc/$1"; else echo "build/$1"; fi
}

# Debian's name for a program of a compiler, or the plain one of other systems.
versioned() { if command -v "$1-$2" > /dev/null; then echo "$1-$2"; else echo "$1"; fi; } # $1 = plain name, $2 = version
llvm() { versioned "$1" 19; }
xmake_toolchain() { if [ "$toolchain" = clang ]; then llvm clang; else versioned gcc 14; fi; }
compiler_name() { if [ "$toolchain" = clang ]; then llvm clang++; else versioned g++ 14; fi; }

# The user's own xmake settings are not ours to read or change: ours live in the cache folder. ccache's links to the
# compilers come first in PATH, where it is installed; a clone in another folder finds the same objects.
xmake_for() { # $1 = mode, rest = xmake's arguments
  local mode=$1
  shift
  env XMAKE_ROOT=y XMAKE_COLORTERM=nocolor XMAKE_GLOBALDIR="$cache/xmake" XMAKE_CONFIGDIR="$root/build/.config/$toolchain-$mode" \
    PATH="/usr/lib/ccache:$PATH" CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 \
    CCACHE_SLOPPINESS=time_macros,locale,include_file_mtime,include_file_ctime xmake "$@"
}

configure() { # $1 = mode
  local folder=build stamp="build/.config/$toolchain-$1/stamp" state
  [ "$toolchain" = clang ] || folder=build/gcc
  state=$({ xmake_toolchain; cat xmake.lua */xmake.lua tools/xmake/*.lua; } | sha256sum)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$state" ] && return 0
  xmake_for "$1" f -c -y -m "$1" -o "$folder" --toolchain="$(xmake_toolchain)" --ccache=n || return 1
  printf '%s\n' "$state" > "$stamp"
}

compile() { # as build()
  local mode=$1 targets=("${@:2}") target
  configure "$mode" || return 1
  [ ${#targets[@]} -gt 0 ] || targets=("")
  for target in "${targets[@]}"; do xmake_for "$mode" build -j "$jobs" ${target:+"$target"} || return 1; done
}

# "[ 37%]: compiling.release build/.gens/host/…/unity_2.cpp" is the second batch of host's sources.
compile_filter() {
  sed -un -e 's,build/.*/public_headers/[^ ]*/\([a-z]*/[a-z_0-9/]*\.hpp\)\.cpp,\1,' -e 's,build/.*\.gens/\([^/]*\)/.*/unity_\([0-9]*\)\.cpp,\1 (batch \2),' -e 's/^\[ *\([0-9]*\)%\]: [^ ]* \(.*\)/\1 \2/p'
}

build() { # $1 = mode, rest = targets or --group=NAME; all without
  local log=$cache/build-$1.log
  with_progress "building $1" "$log" compile_filter compile "$@" && return 0
  grep -avE '^\[ *[0-9]+%\]: ' "$log" >&2 || true
  say "dev: the $1 build failed: $log"
  return 1
}

check_mode() { # $1 = mode
  case $1 in release|debug|asan|tsan|fuzz|coverage) ;; *) fail "unknown mode \"$1\": release, debug, asan, tsan, fuzz or coverage" ;; esac
  # Under a sanitizer g++ keeps every frame of a chain of awaits on the stack; fuzzing and coverage are clang's.
  case $toolchain-$1 in clang-*|gcc-release|gcc-debug) ;; *) fail "g++ builds release and debug only; $1 is for clang" ;; esac
}

build_command() {
  [ $# -gt 0 ] || set -- release
  local mode
  for mode in "$@"; do check_mode "$mode"; done
  for mode in "$@"; do
    build "$mode" || exit 1
    say "built: $(build_folder "$mode")/bin"
  done
  say_times
}

demo_command() {
  build release hawser-demo hawser || exit 1
  say_times
  "$(build_folder release)/bin/hawser-demo"
}

say_times() {
  local stage
  for stage in "${stages[@]}"; do say "${stage% *}: $(duration "${stage##* }")"; done
}
