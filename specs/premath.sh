# premath as it was built, in the folder of the case and with nothing of the machine around it.
# A case has a folder when it has setup_files.
main=$PWD/dist/cli/main.cjs
cd "${SPEC_RUNNER_TMP:?the case needs setup_files, to have a folder}" || exit 3
exec env -i PATH="$PATH" HOME="$PWD" TMPDIR="${TMPDIR-/tmp}" node "$main" "$@"
