"""Runs a program in a terminal of its own, and types the first argument at the first question."""

import os
import pty
import sys

answer, *program = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(program[0], program)
seen = b""
asked = False
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        # So says a terminal whose program has ended.
        break
    if not data:
        break
    seen += data
    os.write(1, data)
    if not asked and b"[y/N] " in seen:
        asked = True
        os.write(terminal, answer.encode() + b"\n")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
