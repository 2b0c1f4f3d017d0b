import { expect, test } from 'vitest'
import { judgingFiles } from './judging-files.ts'

test.each([
  ['sh check.sh', ['check.sh']],
  ['./check.sh --fast', ['check.sh']],
  ['bash -e tools/check', ['tools/check']],
  ['CI=1 node scripts/check.mjs && npm test', ['scripts/check.mjs']],
  ['python3 "check.py"', ['check.py']],
  ['make test', ['Makefile', 'GNUmakefile']],
  ['cargo test', ['.cargo/**']],
  ['python3 -m pytest -q', ['pytest.py', 'pytest/**']],
  ['python3 -m tests', []],
  ['npm test', []],
  ['grep -q done notes.txt', []],
  ['test -s "$PREMATH_ISSUE_ID.txt"', []],
  ['/usr/bin/check.sh', []],
  ['sh -c "true"', []],
])('%s', (command, files) => {
  expect(judgingFiles(command)).toEqual(files)
})
