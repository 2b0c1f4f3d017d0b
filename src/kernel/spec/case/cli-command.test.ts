import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandWords } from './cli-command.ts'

test.each<[string, readonly string[]]>([
  ['node  bin/tool.js\t--x ', ['node', 'bin/tool.js', '--x']],
  ['"my tool" a', ['my tool', 'a']],
  ['sh -c \'echo "a b" $HOME\'', ['sh', '-c', 'echo "a b" $HOME']],
  ['a"b c"d', ['ab cd']],
  ['a "" \'\'', ['a', '', '']],
  ['a\\ b', ['a\\', 'b']],
  ['a;b|c && d > e', ['a;b|c', '&&', 'd', '>', 'e']],
  [' ', []],
])('%j is split into words', (line, words) => {
  expect(commandWords(line)).toEqual(words)
})

test.each(['"a', "a 'b", `"a'`])('%j is refused: its quote is never closed', line => {
  expect(commandWords(line)).toEqual({ refused: expect.stringContaining('unclosed') })
})

test('words in quotes come back as they are', () => {
  const word = fc.string().filter(text => !text.includes('"'))
  fc.assert(
    fc.property(fc.array(word), words => {
      expect(commandWords(words.map(one => `"${one}"`).join(' '))).toEqual(words)
    }),
  )
})
