#!/usr/bin/env python3
"""premath harness-kpi, by a name that the contracts give it. Takes what that command takes."""
import os
import shutil
import sys

COMMAND = "harness-kpi"

here = os.path.dirname(os.path.realpath(__file__))
built = os.path.normpath(os.path.join(here, "../../dist/cli/main.cjs"))
node, premath = shutil.which("node"), shutil.which("premath")

if node and os.path.isfile(built):
    start = [node, built]
elif premath:
    start = [premath]
else:
    print("premath is neither built here (npm run build) nor on the PATH", file=sys.stderr)
    sys.exit(3)

# In the place of this process, so that signals and the exit code are the command's own.
os.execv(start[0], start + COMMAND.split() + sys.argv[1:])
