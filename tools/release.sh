# ./dev release VERSION, as docs/releasing.md says. Sourced by ./dev.

release_command() {
  local version=${1:-} date notes archive
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "release needs a version such as 1.2.3, not \"$version\""
  [ "$(git symbolic-ref --short HEAD 2>/dev/null)" = main ] || fail "a release is made on main"
  [ -z "$(git status --porcelain)" ] || fail "there are uncommitted changes: git status shows them"
  ! git rev-parse -q --verify "refs/tags/v$version" > /dev/null || fail "v$version is released already"
  grep -q "^## $version " CHANGELOG.md && fail "CHANGELOG.md has a section for $version already"
  notes=$(sed -n '/^## Unreleased$/,/^## [0-9]/{/^## /!p}' CHANGELOG.md | grep -v '^$' || true)
  [ -n "$notes" ] || fail "CHANGELOG.md says nothing under \"## Unreleased\""
  date=$(date -u +%Y-%m-%d)
  sed -i "s/^## Unreleased\$/## Unreleased\n\n## $version — $date/" CHANGELOG.md
  sed -i "s/^set_version(\"[^\"]*\")/set_version(\"$version\")/" xmake.lua
  git commit -q -m "release: $version" CHANGELOG.md xmake.lua
  git tag -a "v$version" -m "Hawser $version" -m "$notes"
  archive=build/hawser-$version.tar.gz
  mkdir -p build
  git archive --format=tar.gz --prefix="hawser-$version/" -o "$archive" "v$version"
  (cd build && sha256sum "hawser-$version.tar.gz" > "hawser-$version.tar.gz.sha256")
  say "released: commit $(git rev-parse --short HEAD), tag v$version, $archive"
  say "publish with: git push origin main v$version"
}
