# Several commands in the folder of the case: the one argument is a script, and ends at the first no.
# CI: a server that is asked there starts no resident process, which would outlive the case.
main=$PWD/dist/cli/main.cjs
cd "${SPEC_RUNNER_TMP:?the case needs setup_files, to have a folder}" || exit 3
exec env -i PATH="$PATH" HOME="$PWD" TMPDIR="${TMPDIR-/tmp}" MAIN="$main" CI=true GIT_CONFIG_NOSYSTEM=1 \
  GIT_AUTHOR_NAME=spec GIT_AUTHOR_EMAIL=spec@example.org \
  GIT_COMMITTER_NAME=spec GIT_COMMITTER_EMAIL=spec@example.org \
  sh -eu -c "premath() { node \"\$MAIN\" \"\$@\"; }
$1"
