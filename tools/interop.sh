# The servers of other people that the interop tests start. Sourced by tools/test.sh.

# Tells the test program where the servers are by HAWSER_INTEROP, or by HAWSER_INTEROP_MISSING why they are not there:
# then it skips its tests with that reason. Only what is no matter of the machine, a lock file that does not fit, is
# a failure. Somebody who sets HAWSER_INTEROP has servers of their own.
interop_servers() {
  [ -z "${HAWSER_INTEROP:-}${HAWSER_INTEROP_MISSING:-}" ] || return 0
  local why
  why=$(npm_packages tests/interop/servers interop 18 modern_server.mjs oidc_server.mjs)
  if [ -n "$why" ]; then
    export HAWSER_INTEROP_MISSING=$why
    if [[ $why == "npm ci refused"* ]]; then failed=$((failed + 1)); echo "FAILED  the interop servers install: $why"; fi
    return 0
  fi
  HAWSER_INTEROP=$(npm_folder tests/interop/servers interop)
  export HAWSER_INTEROP
}
