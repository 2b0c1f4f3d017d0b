# A project in the folder of the case in which bd-1 was closed by a verification: a hook to run before.
exec sh specs/session.sh '
  premath init
  premath issue add One
  premath issue add Two
  premath issue update bd-1 --status closed --verify-cmd true' >/dev/null
