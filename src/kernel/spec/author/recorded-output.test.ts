import { expect, test } from 'vitest'
import { recordedCharsMax, recordedOutputs } from './recorded-output.ts'

const folders = { root: '/home/me/project', temp: undefined }

function recorded(first: string, second = first) {
  const seen = (stdout: string) => ({ stdout, stderr: '' })
  const { masks, outputs, loose } = recordedOutputs(seen(first), seen(second), folders)
  return { masks, ...outputs[0], loose: loose.map(({ text }) => text) }
}

test('output that two runs agree on is recorded exactly', () => {
  expect(recorded('1\n2\n3\n')).toEqual({
    masks: [],
    target: 'stdout',
    op: 'equal',
    text: '1\n2\n3\n',
    loose: [],
  })
  expect(recorded('')).toMatchObject({ op: 'equal', text: '' })
})

test.each<[string, string, readonly string[], string]>([
  ['took 12 ms\n', 'took 13 ms\n', ['durations'], 'took <duration>\n'],
  ['at 0x7ffd1234\n', 'at 0x7ffd5678\n', ['addresses'], 'at <address>\n'],
  ['in /tmp/tmp.a1/x\n', 'in /tmp/tmp.b2/x\n', ['temp'], 'in <temp>/x\n'],
  ['12:00:01 5 ms', '12:00:02 6 ms', ['times', 'durations'], '<time> <duration> (no-eol)\n'],
])('%j and %j need the masks %j', (first, second, masks, text) => {
  expect(recorded(first, second)).toMatchObject({ masks, op: 'lines', text, loose: [] })
})

test('a folder of this machine and a time of day are masked, even if both runs agree', () => {
  expect(recorded('/home/me/project/a\n')).toMatchObject({
    masks: ['root'],
    op: 'equal',
    text: '<root>/a\n',
  })
  expect(recorded('ready 12:00:01\n')).toMatchObject({ masks: ['times'], text: 'ready <time>\n' })
})

test('a mask that no difference needs is not used', () => {
  expect(recorded('12 ms\na\n', '12 ms\nb\n')).toMatchObject({
    masks: [],
    text: '12 ms\na (any)\n',
  })
})

test.each<[string, string, string, readonly string[]]>([
  ['pid 12 up\n', 'pid 345 up\n', 'pid * up (glob)\n', ['pid * up (glob)']],
  ['a*b 1\n', 'a*b 2\n', 'a\\*b * (glob)\n', ['a\\*b * (glob)']],
  ['x1', 'x2', 'x1 (any) (no-eol)\n', ['x1 (any) (no-eol)']],
  ['a\n1\nz\n', 'a\nz\n', 'a\n(any*)\nz\n', ['(any*)']],
  ['a (re)\n1\n', 'a (re)\n2\n', 'a \\(re\\) (re)\n1 (any)\n', ['1 (any)']],
  ['1\nz\n', '2\n3\nz\n', '(any*)\nz\n', ['(any*)']],
])('%j and %j become %j', (first, second, text, loose) => {
  expect(recorded(first, second)).toMatchObject({ op: 'lines', text, loose })
})

test('of very long output the first lines are recorded', () => {
  const { op, text, loose } = recorded(`${'x'.repeat(99)}\n`.repeat(recordedCharsMax / 50))
  expect([op, loose]).toEqual(['lines', ['(any*)']])
  expect(text).toMatch(/^(?:x{99}\n){165}\(any\*\)\n$/)
})
