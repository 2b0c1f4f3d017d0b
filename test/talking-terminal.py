"""Runs a program in a terminal of its own, and types a line of the first argument at each prompt.

After the last line it types Ctrl-D.
"""

import os
import pty
import sys

talk, prompt, *program = sys.argv[1:]
lines = [line.encode() + b"\n" for line in talk.split("\n")] + [b"\x04"]
child, terminal = pty.fork()
if child == 0:
    os.execvp(program[0], program)
unread = b""
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        # So says a terminal whose program has ended.
        break
    if not data:
        break
    os.write(1, data)
    unread += data
    if lines and unread.endswith(prompt.encode()):
        unread = b""
        os.write(terminal, lines.pop(0))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
