#!/usr/bin/env python3
"""The suites of the retry policy, by a name that the contracts give them. Takes what vitest run takes."""
import os
import shutil
import sys

SUITES = [
    "src/kernel/harness/retry/retry-policy.test.ts",
    "src/kernel/harness/retry/retry-decision.test.ts",
    "test/harness-retry.test.ts",
]

root = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
vitest = os.path.join(root, "node_modules/vitest/vitest.mjs")
node = shutil.which("node")

if not (node and os.path.isfile(vitest)):
    print("the suites run in a clone of premath's repository, after npm ci", file=sys.stderr)
    sys.exit(3)

os.chdir(root)
# In the place of this process, so that signals and the exit code are the suites' own.
os.execv(node, [node, vitest, "run"] + SUITES + sys.argv[1:])
