#!/bin/sh
# premath instruction-run, by a name that the contracts give it: the instruction comes first, and
# then what that command takes.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
built="$here/../../dist/cli/main.cjs"

case "${1-}" in
-* | '') ;;
*) set -- --instruction "$@" ;;
esac

if [ -f "$built" ] && command -v node >/dev/null; then
  exec node "$built" instruction-run "$@"
elif command -v premath >/dev/null; then
  exec premath instruction-run "$@"
fi
echo 'premath is neither built here (npm run build) nor on the PATH' >&2
exit 3
