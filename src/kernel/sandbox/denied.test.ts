import { expect, test } from 'vitest'
import { deniedLine } from './denied.ts'

test.each([
  "touch: cannot touch 'x': Read-only file system",
  'Error: EROFS: read-only file system, mkdir',
  'sh: 1: cannot create /etc/x: Permission denied',
])('%s is explained by the sandbox', line => {
  expect(deniedLine(['first', line], ['/p', '/tmp'])).toBe(
    'premath: the command ran in the sandbox. It may write to /p, /tmp. Other files are read-only, and keys are hidden.',
  )
})

test('any other failure is not', () => {
  expect(deniedLine(['1 test failed'], ['/p'])).toBeUndefined()
})
