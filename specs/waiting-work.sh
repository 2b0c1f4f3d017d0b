# Makes the folder of the case a git repository with work on the branch of bd-1: a hook to run before.
sh specs/repository.sh && cd "$SPEC_RUNNER_TMP" || exit 3
exec env -i PATH="$PATH" HOME="$PWD" TMPDIR="${TMPDIR-/tmp}" GIT_CONFIG_NOSYSTEM=1 sh -eu -c '
  git switch -q -c premath/bd-1
  echo done >done.txt
  git add done.txt
  git -c user.name=spec -c user.email=spec@example.org commit -qm "some work"
  git switch -q -'
