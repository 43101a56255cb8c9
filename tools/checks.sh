# Checks of the tree rather than of the program: format, lint, headers, installation. Sourced by tools/test.sh.

# A checkout may be somebody else's, as in a container, and what was unpacked from an archive is none.
sources() {
  local ask=(git -c safe.directory='*')
  if "${ask[@]}" rev-parse --git-dir > /dev/null 2>&1; then
    "${ask[@]}" ls-files -co --exclude-standard -- '*.cpp' '*.hpp' | grep -vxF -f <("${ask[@]}" ls-files -d)
  else
    find . \( -name build -o -name '.?*' \) -prune -o -type f -name '*.[ch]pp' -printf '%P\n'
  fi
}

tree_checks() {
  check "the sources are formatted" fmt_command --check
  check "every public header compiles alone" headers_alone
  check "a program builds against the installed library" install_check
  check "a project that includes Hawser builds, without its tests" including_project
  check "what an xmake user types works" xmake_alone
  check "clang-tidy is silent" lint_command
}

fmt_command() {
  case ${1:-} in
    --check) sources | xargs "$(llvm clang-format)" --dry-run --Werror ;;
    "") sources | xargs "$(llvm clang-format)" -i ;;
    *) fail "unknown option \"$1\"" ;;
  esac
}

public_headers() { ls {runtime,transports,registry,oauth,host,gateway}/*.hpp; }

# Every test that docs/features.md names has run in this very run, and passed.
features_are_proved() {
  local name missing=0
  while read -r name; do
    grep -qaF "ok      $name (" "$cache"/release-*_test.log && continue
    echo "docs/features.md names a test that did not pass: $name"
    missing=1
  done < <(sed -n 's/^| S.* | \(`.*`\) |$/\1/p' docs/features.md | grep -o '`[^`]*`' | tr -d '`' | sort -u)
  return $missing
}

headers_alone() {
  export alone_flags='-std=c++20 -Wall -Wextra -Werror'
  open_memory "$(echo "alone $alone_flags"; "$(llvm clang++)" --version)"
  export -f compiles_alone
  public_headers | each_unless_clean compiles_alone
}

compiles_alone() { # $1 = header
  "$(llvm clang++)" $alone_flags -fsyntax-only -x c++ -include "$1" /dev/null || { echo "$1 does not compile alone"; return 1; }
}

install_check() {
  local to=$cache/installed cflags libs
  rm -rf "$to"
  xmake_for release install -o "$to" > "$cache/install.log" 2>&1 || { cat "$cache/install.log"; return 1; }
  # -I only by pkg-config's word, which is quoted for a shell: what the installed headers include must be installed, too.
  export PKG_CONFIG_PATH=$to/lib/pkgconfig
  eval "cflags=($(pkg-config --cflags hawser)) libs=($(pkg-config --libs hawser))"
  "$(llvm clang++)" -std=c++20 "${cflags[@]}" tests/install/consumer.cpp -o "$to/consumer" "${libs[@]}"
  [ "$("$to/consumer")" = "hello from an installed library" ]
  [[ $(PATH=/nowhere "$to/consumer") == 'spawn "echo": '*'PATH=/nowhere'* ]]  # what goes wrong is said, and ends in order
  # What the other rooms' headers include must be there, too.
  ls {transports,registry,oauth,host,gateway}/*.hpp | sed 's,.*,#include <hawser/&>,' |
    "$(llvm clang++)" -std=c++20 -fsyntax-only -x c++ "${cflags[@]}" -
}

readme_text() { # $1 = how its first line begins; to the end of the block
  sed -n "\\|^$1|,/^\`\`\`/{/^\`\`\`/!p}" README.md
}

# As README.md says, with the program that it shows.
including_project() {
  local project=$cache/including recipe
  rm -rf "$project"
  mkdir -p "$project"
  readme_text '#include <hawser/runtime/keeper.hpp>' > "$project/main.cpp"
  sed -n '/^#include <hawser/,$p' tests/install/consumer.cpp | diff - "$project/main.cpp"  # README.md says that it is the same
  recipe=$(readme_text 'includes("path')
  recipe=${recipe/clang-19/$(xmake_toolchain)}
  printf '%s\n' "${recipe/path\/to\/hawser/"$root"}" > "$project/xmake.lua"
  # xmake calls our folder, seen from theirs, "__/__".
  above=__/__/ name_precompiled debug tools/pch.hpp "$project/build" "${precompiled_rooms[@]}"
  # Not optimised: it is the second time that everything is compiled, and it only has to work.
  (cd "$project" && root=$project && xmake_for including f -P . -y -m debug --ccache=n && xmake_for including build -P . -j "$jobs" my-program)
  (cd "$project" && root=$project && xmake_for including show -P . -l targets) > "$project/targets"
  grep -qw libhawser "$project/targets"
  ! grep -E '_test|hawser-bench' "$project/targets" || { echo "so it builds what only we need"; return 1; }
  [ "$("$project"/build/linux/*/debug/my-program)" = "hello from an installed library" ]
}

# The programs are built; every test of ours needs no more than xmake gives it, but one program shows as much as all. Nobody
# says which compiler or which mode: the keeper alone shows that the right ones are taken.
xmake_alone() {
  local plain=$cache/plain
  rm -rf "$plain"
  XMAKE_CONFIGDIR=$plain/config XMAKE_GLOBALDIR=$plain/global XMAKE_ROOT=y xmake f -y -o "$plain/build"
  XMAKE_CONFIGDIR=$plain/config XMAKE_GLOBALDIR=$plain/global XMAKE_ROOT=y xmake build hawser-keeper
  [ -x "$plain/build/release/bin/hawser-keeper" ]
  [[ $(xmake_for release run hawser --version) == hawser* ]]
  xmake_for release test tree_test/all | grep -E '^100% tests passed'
}

# clang-tidy takes seconds for each file, so a file that it found clean is not looked at again until the file, a header
# that it includes, the rules or the tool change. What was found clean is remembered for all clones of a user, and
# forgotten when nothing has asked for a month. The same for headers that compile alone.
lint_memory() { echo "${XDG_CACHE_HOME:-${HOME:-$root}/.cache}/hawser/lint"; }

open_memory() { # $1 = what decides besides the files: the rules, and the version of the tool
  export lint_rules=$1 lint_known lint_sums
  lint_known=$(lint_memory)
  lint_sums=$lint_known/$({ echo "$lint_rules"; lint_flags; } | sha256sum | cut -c1-16)
  mkdir -p "$lint_sums"
}

known_clean() { [ -f "$lint_known/$1" ] && touch "$lint_known/$1"; } # $1 = key

lint_flags() { echo '-std=c++20 -Ibuild/release/gen -DHAWSER_VERSION="0" -DHAWSER_SOURCE_ROOT="."'; }

# Of the file and of all that it includes; nothing if it does not even preprocess.
sums_of() { # $1 = file
  local included
  included=$("$(llvm clang++)" $(lint_flags) -M "$1" 2>/dev/null | tr -d '\\\n' | tr ' ' '\n' | grep -v -e ':$' -e '^$' -e '\.inc$') || return 0
  xargs sha256sum <<< "$included"
}

# Not under the same name while it is written: somebody may check another clone.
unless_clean() { # $1 = check, $2 = file
  local sums key kept=$lint_sums/${2//\//:}
  sums=$(sums_of "$2")
  [ -n "$sums" ] || { "$1" "$2"; return; }
  key=$({ echo "$lint_rules"; lint_flags; echo "$sums"; } | sha256sum | cut -d' ' -f1)
  known_clean "$key" || { "$1" "$2" && : > "$lint_known/$key"; } || return 1
  echo "$sums" > "$kept.$$" && mv "$kept.$$" "$kept"
}

# Most files are as they were when they were last found clean. To see that, each file that somebody includes is read once
# for all of them, and no compiler is asked what includes what. If the sums themselves cannot be read, none of them counts.
changed_since_clean() { # stdin = files
  local file known=() changed
  while read -r file; do
    if [ -s "$lint_sums/${file//\//:}" ]; then known+=("$lint_sums/${file//\//:}"); else echo "$file"; fi
  done
  [ ${#known[@]} -gt 0 ] || return 0
  touch "${known[@]}"
  if changed=$(sort -u "${known[@]}" | sha256sum -c --strict --quiet 2>/dev/null | sed 's/: FAILED.*//'); then return 0; fi
  if [ -z "$changed" ]; then
    printf '%s\n' "${known[@]##*/}" | tr : /
  else
    awk 'NR == FNR { changed[$0]; next } FNR == 1 { file = substr($0, 67) } substr($0, 67) in changed { print file; nextfile }' \
      <(echo "$changed") "${known[@]}"
  fi
}

each_unless_clean() { # $1 = check; stdin = files
  export -f unless_clean known_clean sums_of lint_flags llvm versioned
  changed_since_clean | xargs -P "$jobs" -I{} bash -c "unless_clean $1 {}"
}

tidy() { # $1 = file
  local said
  said=$("$(llvm clang-tidy)" --quiet ${lint_checks:+--checks="$lint_checks"} "$1" -- $(lint_flags) 2>/dev/null) || { printf '%s\n' "$said"; return 1; }
}

lint_command() { # deep: the static analyzer instead of the quick checks
  local toolchain=clang  # whose flags clang-tidy understands
  export lint_checks=
  case ${1:-} in
    "") ;;
    deep) lint_checks='-*,clang-analyzer-*,-clang-analyzer-cplusplus.NewDeleteLeaks' ;;
    *) fail "unknown lint \"$1\": deep" ;;
  esac
  open_memory "$(echo "$lint_checks"; "$(llvm clang-tidy)" --version; cat .clang-tidy)"
  find "$lint_known" -type f -mtime +30 -delete
  [ -f build/release/gen/keeper_image.inc ] || build release libhawser
  export -f tidy
  # Not the consumer, which includes Hawser as it is installed: the check that builds it sees to it.
  sources | grep '\.cpp$' | grep -vE '^tests/[a-z]+/.*_test\.cpp$|^tests/install/' | each_unless_clean tidy
}
