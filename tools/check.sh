# ./dev check: what the release tests do not show. Sourced by ./dev.

check_parts() { if [ "$toolchain" = gcc ]; then echo debug; else echo format headers lint calls guard asan tsan fuzz install; fi; }

check_command() { # [-v] [PART …]
  local part parts=()
  while [ $# -gt 0 ]; do
    case $1 in
      -v|--verbose) verbose=1 ;;
      *) [[ " $(check_parts) " == *" $1 "* ]] || fail "unknown check \"$1\": $(check_parts)"; parts+=("$1") ;;
    esac
    shift
  done
  [ ${#parts[@]} -gt 0 ] || read -ra parts <<< "$(check_parts)"
  for part in "${parts[@]}"; do
    case $part in
      format) check "the sources are formatted" fmt_command --check ;;
      headers) check_headers ;;
      lint) check_lint ;;
      calls) check_calls 100000 ;;
      guard) check_guard ;;
      asan|tsan) test_all "$part" ;;
      debug) test_debug ;;
      fuzz) check_fuzz ;;
      install) check_install ;;
    esac
  done
  finish
}

# g++ sees coroutines unoptimised, too, where they are tested most closely.
test_debug() {
  local module
  for module in runtime registry; do build debug "${module}_test" || { count_failure "the debug build"; return 0; }; done
  run_modules debug runtime registry --
}

# Every claim about a call against the ledger of the servers (tests/host/ledger_test.cpp).
check_calls() { # $1 = how many calls
  build release host_test || { count_failure "the release build of host_test"; return 0; }
  logs=$scratch HAWSER_CALLS=${HAWSER_CALLS:-$1} HAWSER_TEST_DEADLINE=7200 run_modules release host -- "ledger: "
}

# What any single event costs a live loop, whatever a server, a client or a file sends (tests/guard). Alone: it measures.
check_guard() {
  build release guard_test || { count_failure "the release build of guard_test"; return 0; }
  logs=$scratch verbose=1 run_modules release guard --
}

# A checkout may be somebody else's, as in a container, and what was unpacked from an archive is none.
sources() {
  local git=(git -c safe.directory='*')
  if "${git[@]}" rev-parse --git-dir > /dev/null 2>&1; then
    "${git[@]}" ls-files -co --exclude-standard -- '*.cpp' '*.hpp' | while read -r file; do [ ! -f "$file" ] || echo "$file"; done
  else
    find . \( -name build -o -name '.?*' \) -prune -o -type f -name '*.[ch]pp' -printf '%P\n'
  fi
}

fmt_command() {
  case ${1:-} in
    --check) sources | xargs "$(llvm clang-format)" --dry-run --Werror ;;
    "") sources | xargs "$(llvm clang-format)" -i ;;
    *) fail "unknown option \"$1\"" ;;
  esac
}

# Each public header is a source of the target public_headers (tests/xmake.lua).
check_headers() {
  if build release public_headers; then passed=$((passed + 1)); else count_failure "every public header compiles alone"; fi
}

check_lint() {
  if lint; then passed=$((passed + 1)); else count_failure "clang-tidy is silent" "$(head -n 60 "$cache/lint.log")"; fi
}

# clang-tidy spends nearly all of its time on the headers of others. So it reads the sources of a module in batches, as one
# text; only where it finds something does it read them one by one, to say where. Not the tests themselves, nor the
# consumer, which includes Hawser as it is installed.
lint() { # $1 = checks instead of .clang-tidy's, if any
  export lint_checks=${1:-} batches=$cache/lint lint_memory=${XDG_CACHE_HOME:-${HOME:-$root}/.cache}/hawser/lint
  [ -f build/release/gen/keeper_image.inc ] || build release runtime || return 1
  rm -rf "$batches"
  mkdir -p "$batches" "$lint_memory"
  find "$lint_memory" -type f -mtime +30 -delete
  local module file alone=0
  while read -r module; do
    while read -r file; do
      if grep -q '^int main(' "$file"; then echo "$file" > "$batches/main-$((++alone))"; else echo "$file"; fi
    done < <(sources | grep "^$module/.*\.cpp$" | grep -vE '_test\.cpp$|^tests/install/') |
      split -l 12 - "$batches/$module-"
  done < <(sources | grep '\.cpp$' | cut -d/ -f1 | sort -u)
  total=$(ls "$batches" | wc -l)
  export -f lint_batch tidy llvm versioned
  with_progress "linting" "$cache/lint.log" lint_filter xargs -a <(ls -S "$batches") -P "$jobs" -I{} bash -c 'lint_batch {}'
}

# A batch that was found clean is not looked at again until its text, a header, the rules or the tool change.
lint_batch() { # $1 = name of a file that lists sources
  local text=$batches/$1.cpp key file code=0
  # Includes are relative to their own file, which the text of a batch has no more; generated files are on the search path.
  while read -r file; do sed "/keeper_image\.inc/!s,^#include \",&$PWD/$(dirname "$file")/," "$file"; done < "$batches/$1" > "$text"
  key=$({ "$(llvm clang-tidy)" --version; cat .clang-tidy; echo "$lint_checks"; "$(llvm clang++)" -std=c++20 -Ibuild/release/gen -E -P -C "$text"; } | sha256sum | cut -d' ' -f1)
  if [ ! -f "$lint_memory/$key" ] && ! tidy "$text" > /dev/null; then
    while read -r file; do tidy "$file" || code=1; done < "$batches/$1"
  fi
  [ $code = 1 ] || : > "$lint_memory/$key"
  echo "linted $(head -n 1 "$batches/$1") …"
  return $code
}

tidy() { # $1 = source, rest = the compiler's options
  "$(llvm clang-tidy)" --quiet ${lint_checks:+--checks="$lint_checks"} "$1" -- -std=c++20 -Ibuild/release/gen -DHAWSER_SOURCE_ROOT='"."' "${@:2}" 2>/dev/null
}

lint_filter() {
  local count=0 line
  while IFS= read -r line; do [[ $line != "linted "* ]] || echo "$((++count * 100 / total)) ${line#linted }"; done
}

lint_command() { # deep: the static analyzer instead of the quick checks
  case ${1:-} in
    "") lint ;;
    deep) lint '-*,clang-analyzer-*,-clang-analyzer-cplusplus.NewDeleteLeaks' ;;
    *) fail "unknown lint \"$1\": deep" ;;
  esac || { grep -v '^linted ' "$cache/lint.log"; return 1; }
}

check_fuzz() {
  local target
  build fuzz --group=fuzz || { count_failure "the fuzz build"; return 0; }
  run_fuzz_targets 5 $(fuzz_targets)
  for target in $(fuzz_targets); do
    if fuzz_verdict "$target" > "$cache/fuzz-verdict.log"; then passed=$((passed + 1)); else count_failure "$target finds nothing in 5 s" "$(cat "$cache/fuzz-verdict.log")"; fi
  done
}

check_install() {
  build release || { count_failure "the release build"; return 0; }
  check "a program builds against the installed library" installed_library
  check "EMB-6 the first program of README.md builds and runs against the installed library" readme_host
  check "EMB-8 a result that is dropped is a warning, awaited or not" dropped_results
  check "a project that includes Hawser builds, without its tests" including_project
  check "what an xmake user types works" plain_xmake
  check "EMB-7 compilers that are too old are refused, a new one by its plain name is not" compiler_gate
}

# -I only by pkg-config's word, which is quoted for a shell: what the installed headers include must be installed, too.
installed_flags() { # $1 = where it is installed; sets cflags and libs
  export PKG_CONFIG_PATH=$1/lib/pkgconfig
  eval "cflags=($(pkg-config --cflags hawser)) libs=($(pkg-config --libs hawser))"
}

installed_library() {
  local to=$cache/installed cflags libs
  rm -rf "$to"
  xmake_for release install -o "$to"
  installed_flags "$to"
  "$(llvm clang++)" -std=c++20 "${cflags[@]}" tests/install/consumer.cpp -o "$to/consumer" "${libs[@]}"
  [ "$("$to/consumer")" = "hello from an installed library" ]
  [[ $(PATH=/nowhere "$to/consumer") == 'spawn "echo": '*'PATH=/nowhere'* ]]  # what goes wrong is said, and ends in order
  # What the other modules' headers include must be there, too.
  (cd "$to/include" && find hawser -name '*.hpp' | sed 's,.*,#include <&>,') | "$(llvm clang++)" -std=c++20 -fsyntax-only -x c++ "${cflags[@]}" -
  [[ $("$to/bin/hawser" --version) == "hawser $(pkg-config --modversion hawser) ("* ]]
}

block_text() { # $1 = document, $2 = how the first line of a code block begins; to the end of the block
  sed -n "\\|^$2|,/^\`\`\`/{/^\`\`\`/!p}" "$1"
}

# tests/install/readme_host.cpp puts the statements of README.md into a function.
readme_host() {
  local installed=$cache/installed to=$cache/readme cflags libs
  rm -rf "$to"
  mkdir -p "$to"
  block_text README.md '#include <hawser/host/config/config.hpp>' > "$to/program"
  grep '^#include' "$to/program" > "$to/readme_includes.inc"
  grep -v '^#include' "$to/program" > "$to/readme_statements.inc"
  installed_flags "$installed"
  "$(llvm clang++)" -std=c++20 -Wall -Wextra -Werror "${cflags[@]}" -I"$to" tests/install/readme_host.cpp -o "$to/readme_host" "${libs[@]}"
  "$to/readme_host" tests/install/files_server.sh | diff - <(printf '%s\n' "the text of notes.txt" files__read_file greet)
}

dropped_results() {
  local source=$cache/installed/dropped.cpp cflags libs
  installed_flags "$cache/installed"
  printf '%s\n' '#include <hawser/runtime/error.hpp>' '#include <hawser/runtime/async/task.hpp>' 'hawser::result<int> parse();' 'hawser::task<hawser::result<void>> work();' \
    'hawser::task<void> caller() {' '  parse();' '  co_await work();' '}' > "$source"
  "$(llvm clang++)" -std=c++20 -fsyntax-only "${cflags[@]}" "$source" 2> "$source.log"
  diff - <(grep -o 'dropped.cpp:[0-9]*:.*nodiscard' "$source.log" | cut -d: -f2) <<< $'6\n7'
}

# As README.md says, with the program of docs/guide/runtime.md.
including_project() {
  local project=$cache/including recipe
  rm -rf "$project"
  mkdir -p "$project"
  block_text docs/guide/runtime.md '#include <hawser/runtime/process/keeper.hpp>' > "$project/main.cpp"
  sed -n '/^#include <hawser/,$p' tests/install/consumer.cpp | diff - "$project/main.cpp"  # the guide says that it is the same
  recipe=$(block_text README.md 'includes("path')
  recipe=${recipe/clang-19/$(xmake_toolchain)}
  printf '%s\n' "${recipe/path\/to\/hawser/"$root"}" > "$project/xmake.lua"
  # Not optimised: it is the second time that everything is compiled, and it only has to work.
  (cd "$project" && root=$project && xmake_for including f -P . -y -m debug --ccache=n && xmake_for including build -P . -j "$jobs" my-program)
  (cd "$project" && root=$project && xmake_for including show -P . -l targets) > "$project/targets"
  grep -qw libhawser "$project/targets"
  ! grep -E '_test|hawser-bench' "$project/targets" || { echo "so it builds what only we need"; return 1; }
  [ "$("$project"/build/linux/*/debug/my-program)" = "hello from an installed library" ]
}

# The programs are built; every test of ours needs no more than xmake gives it, but one program shows as much as all. Nobody
# says which compiler or which mode: the keeper alone shows that the right ones are taken.
plain_xmake() {
  local plain=$cache/plain
  rm -rf "$plain"
  export XMAKE_ROOT=y
  XMAKE_CONFIGDIR=$plain/config XMAKE_GLOBALDIR=$plain/global xmake f -y -o "$plain/build"
  XMAKE_CONFIGDIR=$plain/config XMAKE_GLOBALDIR=$plain/global xmake build hawser-keeper
  [ -x "$plain/build/release/bin/hawser-keeper" ]
  [[ $(xmake_for release run hawser --version) == hawser* ]]
  xmake_for release test tree_test/all | grep -E '^100% tests passed'
}

# Stand-ins for compilers: the one in use, under the plain name and with the version number that it is to have.
compiler_gate() {
  local old=$cache/compilers/18 new=$cache/compilers/new name
  rm -rf "$cache/compilers"
  mkdir -p "$old" "$new"
  for name in clang clang++; do
    ln -s "$(command -v "$(llvm "$name")")" "$new/$name"
    printf '#!/bin/sh\n[ "$*" != --version ] || { echo "clang version 18.1.8"; exit; }\nexec "%s" "$@"\n' "$new/$name" > "$old/$name"
    chmod +x "$old/$name"
  done
  plain_configure "$new" -P "$root"
  ! plain_configure "$old" -P "$root" || { echo "clang 18 is accepted"; return 1; }
  grep -F "Hawser needs clang >= 19 or g++ >= 14: clang++ 18.1.8" "$old/log"
  # In a project that includes Hawser, whose own sources may have another compiler than Hawser's.
  mkdir -p "$old/project"
  block_text README.md 'includes("path' | sed -e '/set_toolchains/d' -e "s,path/to/hawser,$root," > "$old/project/xmake.lua"
  cp tests/install/consumer.cpp "$old/project/main.cpp"
  ! plain_configure "$old" -P "$old/project" || { echo "clang 18 is accepted in a project that includes Hawser"; return 1; }
  grep -F "Hawser needs clang >= 19 or g++ >= 14: clang++ 18.1.8" "$old/log"
  ln -s "$root" "$old/hawser"
  ! "$(llvm clang++)" -std=c++20 -Wno-macro-redefined -D__clang_major__=18 -fsyntax-only -I"$old" tests/install/consumer.cpp 2> "$old/log" || { echo "headers accept clang 18"; return 1; }
  grep -F "Hawser needs clang >= 19 or g++ >= 14" "$old/log"
}

plain_configure() { # $1 = folder with the compilers, rest = xmake's arguments
  rm -rf "$1/config"
  env PATH="$1:$PATH" XMAKE_ROOT=y XMAKE_COLORTERM=nocolor XMAKE_CONFIGDIR="$1/config" XMAKE_GLOBALDIR="$1/global" \
    xmake f -y "${@:2}" --toolchain=clang -o "$1/build" > "$1/log" 2>&1 || { cat "$1/log"; return 1; }
}
