# Makes the folder of the case a git repository with one commit: a hook to run before.
cd "${SPEC_RUNNER_TMP:?the case needs setup_files, to have a folder}" || exit 3
exec env -i PATH="$PATH" HOME="$PWD" TMPDIR="${TMPDIR-/tmp}" GIT_CONFIG_NOSYSTEM=1 sh -eu -c '
  git init -q
  git add .
  git -c user.name=spec -c user.email=spec@example.org commit -qm begin'
