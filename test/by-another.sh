#!/bin/sh
# Runs a command that does not descend from the step that calls this, as one of another person.
answer=$(mktemp)
rm "$answer"
export answer
(
  parent=$(exec sh -c 'echo $PPID')
  export parent
  setsid sh -c 'while [ -e "/proc/$parent" ]; do :; done
    to=$answer
    unset PREMATH_STEP_ID answer parent
    "$0" "$@"
    echo $? > "$to.new"
    mv "$to.new" "$to"' "$@" &
)
until [ -e "$answer" ]; do sleep 0.02; done
code=$(cat "$answer")
rm "$answer"
exit "$code"
