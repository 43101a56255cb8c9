# Building, one xmake configuration per toolchain and mode, so that switching costs nothing. Sourced by ./dev.

jobs=$(nproc 2>/dev/null || echo 2)

build_folder() { # $1 = mode; where programs of the toolchain in use land
  if [ "$toolchain" = gcc ]; then echo "build/gcc/$1"; else echo "build/$1"; fi
}

# The user's own xmake settings are not ours to read or change: ours live in the cache folder.
xmake_for() { # $1 = mode, rest = xmake's arguments
  local mode=$1
  shift
  env XMAKE_ROOT=y XMAKE_COLORTERM=nocolor XMAKE_GLOBALDIR="$cache/xmake" XMAKE_CONFIGDIR="$root/build/.config/$toolchain-$mode" \
    PATH="$(compiler_cache_path)$PATH" CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 \
    CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines,time_macros,locale,include_file_mtime,include_file_ctime xmake "$@"
}

# A precompiled header has the folder of its clone inside, so that a compiler cache would never find in one clone what
# another has compiled. It goes by these sums instead: of everything that the header includes. Where the times are the
# same, too, one target uses what another has precompiled (tools/precompile.sh).
name_precompiled_headers() { # $1 = mode
  [ "$toolchain" = clang ] && [ -n "$(compiler_cache_path)" ] && command -v clang++-19 > /dev/null || return 0
  name_precompiled "$1" tools/pch.hpp build "${precompiled_rooms[@]}" cli benchmarks
  name_precompiled "$1" tests/support/pch.hpp build {runtime,transports,registry,oauth,host,gateway,cli,interop,bench,tree}_test
}

precompiled_rooms=(runtime transports registry oauth host gateway)

name_precompiled() { # $1 = mode, $2 = header, $3 = build folder, rest = the targets that have it
  local mode=$1 header=$2 compiler included sum times target folder
  compiler=$(llvm clang++)
  included=$("$compiler" -std=c++20 -M "$header" | tr -d '\\' | tr ' ' '\n' | grep -v -e ':$' -e '^$')
  sum=$({ "$compiler" --version; echo "$mode"; xargs sha256sum <<< "$included"; } | sha256sum)
  times=$(xargs stat -c '%n %Y' <<< "$included" | sha256sum)
  for target in "${@:4}"; do
    folder=$3/.objs/$target/linux/$(uname -m)/$mode/${above:-}${header%/*}/cxx
    mkdir -p "$folder"
    note "$sum" "$folder/pch.hpp.pch.sum"
    note "$times" "$folder/pch.hpp.pch.times"
  done
}

note() { # $1 = text, $2 = file; one that says so already is left alone
  [ "$(cat "$2" 2>/dev/null)" = "$1" ] || printf '%s\n' "$1" > "$2"
}

# Prints what comes first in PATH: compilers that ask ccache (tools/compiler.sh).
compiler_cache_path() {
  command -v ccache > /dev/null || return 0
  local folder=$cache/compiling name
  mkdir -p "$folder"
  for name in {clang,clang++}{-19,} {gcc,g++}{-14,}; do
    # One that comes before it in PATH was meant.
    if [ ! -x "/usr/bin/$name" ] || [ ! "$(command -v "$name")" -ef "/usr/bin/$name" ]; then rm -f "$folder/$name"
    elif [ ! -L "$folder/$name" ]; then ln -sf ../../tools/compiler.sh "$folder/$name"; fi
  done
  echo "$folder:"
}

# Debian's name for a program of a compiler, or the plain one of other systems.
versioned() { if command -v "$1-$2" > /dev/null; then echo "$1-$2"; else echo "$1"; fi; } # $1 = plain name, $2 = version
llvm() { versioned "$1" 19; }

xmake_toolchain() { if [ "$toolchain" = clang ]; then llvm clang; else versioned gcc 14; fi; }
compiler_name() { if [ "$toolchain" = clang ]; then llvm clang++; else versioned g++ 14; fi; }

configure() { # $1 = mode
  local folder=build stamp="build/.config/$toolchain-$1/stamp" state
  [ "$toolchain" = clang ] || folder=build/gcc
  state=$({ compiler_cache_path; xmake_toolchain; cat xmake.lua */xmake.lua tools/xmake/*.lua; } | sha256sum)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$state" ] && return 0
  xmake_for "$1" f -c -y -m "$1" -o "$folder" --toolchain="$(xmake_toolchain)" --ccache=n > "$cache/configure-$1.log" 2>&1 ||
    { cat "$cache/configure-$1.log" >&2; fail "xmake could not be configured for $1"; }
  printf '%s\n' "$state" > "$stamp"
}

build() { # $1 = mode, rest = targets or --group=NAME; all without
  local mode=$1 log=$cache/build-$1.log targets=("${@:2}") target
  configure "$mode"
  name_precompiled_headers "$mode"
  [ ${#targets[@]} -gt 0 ] || targets=("")
  for target in "${targets[@]}"; do
    xmake_for "$mode" build -j "$jobs" ${target:+"$target"} > "$log" 2>&1 ||
      { grep -avE '^\[ *[0-9]+%\]: ' "$log" >&2 || true; fail "the $mode build failed: $log"; }
  done
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
    build_or_end "$mode"
    say "built: $(build_folder "$mode")/bin"
  done
}

demo_command() {
  build_or_end release hawser-demo hawser
  "$(build_folder release)/bin/hawser-demo"
}

bench_command() { # nothing or --quick: everything; else hawser-bench's own arguments
  build_or_end release hawser-bench hawser
  local bench
  bench=$(build_folder release)/bin/hawser-bench
  case ${1:-} in
    ""|--quick) bench_everything "$@" ;;
    *)
      if [[ " $* " == *" --peers "* ]]; then bench_peers; fi
      exec "$bench" "$@"
      ;;
  esac
}

# What was found at full length is published; a quick look is not.
bench_everything() {
  local into=bench
  [ "${1:-}" = --quick ] && into=$cache/bench-quick
  bench_peers
  local code=0
  "$bench" verdict --peers --results "$into" --note "commit: $(git rev-parse --short HEAD 2>/dev/null || echo unknown)" \
    --note "libuv $(pkg-config --modversion libuv), llhttp $(pkg-config --modversion libllhttp 2>/dev/null || echo 9)" "$@" || code=$?
  [ $code -gt 2 ] || say "written: $into/RESULTS.md"
  return $code
}

soak_command() {
  case ${1:-processes} in processes) ;; *) fail "unknown soak \"$1\": processes" ;; esac
  build_or_end release runtime_test
  HAWSER_ROUNDS=${HAWSER_ROUNDS:-1000} HAWSER_TEST_DEADLINE=7200 "$(build_folder release)/bin/runtime_test" "every archetype" "a child sees"
}
