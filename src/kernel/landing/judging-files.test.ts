import { expect, test } from 'vitest'
import { judgingFiles, packageCommands, shellScriptsIn } from './judging-files.ts'

test.each([
  ['sh check.sh', ['check.sh']],
  ['./check.sh --fast', ['check.sh']],
  ['bash -e tools/check', ['tools/check']],
  ['CI=1 node scripts/check.mjs && npm test', ['scripts/check.mjs']],
  ['python3 "check.py"', ['check.py']],
  ['cd ci && ./run', ['ci/run']],
  ['cd ci/x && cd .. && sh run.sh', ['ci/run.sh']],
  ['env FOO=1 bash -e ci/run', ['ci/run']],
  ['timeout 60s nice -n 5 ./check.sh', ['check.sh']],
  ['make test', ['Makefile', 'GNUmakefile']],
  ['cargo test', ['.cargo/**']],
  ['python3 -m pytest -q', ['pytest.py', 'pytest/**']],
  ['python3 -m tests', []],
  ['npm test', []],
  ['grep -q done notes.txt', []],
  ['test -s "$PREMATH_ISSUE_ID.txt"', []],
  ['/usr/bin/check.sh', []],
  ['sh -c "true"', []],
])('%s runs these files', (command, files) => {
  expect(judgingFiles(command).files).toEqual(files)
})

test.each([
  ['npm test', [{ folder: '', name: 'test' }]],
  ['npm --silent t', [{ folder: '', name: 'test' }]],
  ['npm run check -- --fast', [{ folder: '', name: 'check' }]],
  ['cd web && pnpm lint', [{ folder: 'web/', name: 'lint' }]],
  ['npm --prefix web test', [{ folder: 'web/', name: 'test' }]],
  ['npm ci', []],
])('%s runs these scripts of a package', (command, scripts) => {
  expect(judgingFiles(command).packageScripts).toEqual(scripts)
})

test('a script of a package runs with those before and after it', () => {
  const text = JSON.stringify({ scripts: { pretest: 'a', test: 'b', posttest: 'c', lint: 'd' } })
  expect(packageCommands(text, { folder: '', name: 'test' })).toEqual(['a', 'b', 'c'])
  expect(packageCommands('{}', { folder: '', name: 'test' })).toEqual([])
})

test('a shell script runs other shell scripts, and programs that may be the work', () => {
  const text = '. ./lib.sh\nsource more.sh\nnode src/main.mjs | sh tools/compare\n./start.sh'
  expect(shellScriptsIn(text, 'ci/')).toEqual([
    'ci/lib.sh',
    'ci/more.sh',
    'ci/tools/compare',
    'ci/start.sh',
  ])
})
