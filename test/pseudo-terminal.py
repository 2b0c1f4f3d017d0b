"""Runs a program in a terminal of its own, of the size that is given first.

What the program prints is passed on; each line that is read is a new size. When there is nothing
more to read, the terminal is closed.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios


def resize(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))


def pass_on(terminal):
    sources = [terminal, 0]
    while terminal in sources:
        for source in select.select(sources, [], [])[0]:
            try:
                data = os.read(source, 65536)
            except OSError:
                # So says a terminal whose program has ended.
                return
            if source == 0 and data:
                resize(terminal, *data.split())
            elif source == 0:
                return
            else:
                os.write(1, data)


columns, rows, *program = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    resize(0, columns, rows)
    os.execvp(program[0], program)
pass_on(terminal)
os.close(terminal)
sys.exit(os.WEXITSTATUS(os.waitpid(child, 0)[1]))
