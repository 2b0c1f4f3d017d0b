import { expect, test } from 'vitest'
import { cannotFail, cannotFailNotice } from './vacuous-command.ts'

test.each([
  'true',
  ' /bin/true ',
  '/usr/bin/true',
  ':',
  'exit 0',
  'exit',
  '# later',
  'true # later',
  'echo ok',
  'npm test || true',
  'npm test||:',
  'npm test; exit 0',
  'npm test && npm run lint || true',
])('%j cannot fail', command => {
  expect(cannotFail(command)).toBe(true)
})

test.each([
  '',
  'false',
  'exit 1',
  'truely',
  'npm test',
  'npm test && true',
  'true && npm test',
  'echo $(npm test)',
  'echo ok > /gone/file',
  'echo ok | grep no',
  'npm test # || true',
  'sh -c "npm test || true',
  'set -e; npm test; true',
  'npm test || exit 1; true',
  'if ! npm test; then exit 1; fi; true',
  'exec npm test; true',
  'npm test; exit',
  'npm test || exit',
  'npm test |\n| true\nfalse',
])('%j may fail, or is not known', command => {
  expect(cannotFail(command)).toBe(false)
})

test('the notice names the command', () => {
  expect(cannotFailNotice('true')).toMatch(/^the verification "true" cannot fail/)
  expect(cannotFailNotice('npm test')).toBeUndefined()
})
