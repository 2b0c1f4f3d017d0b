import { describe, expect, test } from 'vitest'
import { type MaskName, masksNamed, withMask } from './masks.ts'

const folders = { root: '/home/me/project', temp: '/tmp/premath-x1' }

const masked = (name: MaskName, text: string) =>
  masksNamed(name, folders).reduce(withMask, text).replace(/<\w+>/g, '#')

describe.each<[MaskName, readonly (readonly [string, string])[]]>([
  [
    'durations',
    [
      ['took 12 ms', 'took #'],
      ['in 0.03s.', 'in #.'],
      ['real 0m0.003s', 'real #'],
      ['1h 2m 3s and 2 minutes', '# and #'],
      ['3 µs, 1,5 seconds', '#, #'],
      ['5 items, 5 models, v1.2', '5 items, 5 models, v1.2'],
      ['md5 s, a5s', 'md5 s, a5s'],
    ],
  ],
  [
    'times',
    [
      ['2026-11-17T05:31:12.123Z done', '# done'],
      ['at 2026-11-17 05:31:12+01:00', 'at #'],
      ['2026-11-17', '#'],
      ['2026/11/17 05:31', '#'],
      ['Tue Nov 17 05:31:12 UTC 2026', '#'],
      ['Tue, 17 Nov 2026 05:31:12 GMT', '#'],
      ['[17/Nov/2026:05:31:12 +0000]', '[#]'],
      ['05:31:12.5 ready', '# ready'],
      ['Nov  7 05:31:12 host', '# host'],
      ['1.2.3, 10:20, 12345-11-170', '1.2.3, 10:20, 12345-11-170'],
    ],
  ],
  [
    'addresses',
    [
      ['at 0x7ffd12AB34', 'at #'],
      ['on http://127.0.0.1:8080/x', 'on http://#/x'],
      ['localhost:3000, [::1]:80', '#, #'],
      ['10.0.0.1', '#'],
      ['0x1f, 1.2.3, 1.2.3.4.5, localhost', '0x1f, 1.2.3, 1.2.3.4.5, localhost'],
    ],
  ],
  [
    'temp',
    [
      ['/tmp/premath-x1/a.txt', '#/a.txt'],
      ['in /tmp/tmp.aB3: no', 'in #: no'],
      ['/var/folders/ab/cd/T/x9/y', '#/y'],
      ['/usr/tmp2/x', '/usr/tmp2/x'],
    ],
  ],
  [
    'root',
    [
      ['/home/me/project/a.txt', '#/a.txt'],
      ['in /home/me/project.', 'in #.'],
      ['/home/me/project-2, /home/me/project.old', '/home/me/project-2, /home/me/project.old'],
    ],
  ],
  [
    'ansi',
    [
      ['\u001b[31mred\u001b[0m \u001b[38;5;1mx\u001b[K', 'red x'],
      ['\u001b]8;;http://a\u0007link\u001b]8;;\u001b\\', 'link'],
      ['\u001b(Bplain\u001bM', 'plain'],
    ],
  ],
])('%s', (name, rows) => {
  test.each(rows)('%j', (text, want) => expect(masked(name, text)).toBe(want))
})

test('the root of the file system is no mask', () => {
  expect(masksNamed('root', { root: '/', temp: undefined })).toEqual([])
})
