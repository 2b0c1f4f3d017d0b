import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellWords } from './shell-words.ts'

/** Words as text, with variables as `<NAME>`. */
function words(line: string): readonly string[] | string {
  const read = shellWords(line)
  if ('refused' in read) return read.refused
  return read.map(word =>
    word.map(one => (typeof one === 'string' ? one : `<${one.variable}>`)).join(''),
  )
}

test.each<[string, readonly string[]]>([
  ['curl  http://a/ \t-s', ['curl', 'http://a/', '-s']],
  [`'a b'"c d"e\\ f`, ['a bc de f']],
  [`"a\\"b\\$c\\d"`, ['a"b$c\\d']],
  [`'' "" x`, ['', '', 'x']],
  ['curl \\\n  -X \\\r\n POST', ['curl', '-X', 'POST']],
  [`$'a\\nb\\'c\\x41\\u00e9\\101'`, ["a\nb'cAéA"]],
  ['"Bearer $TOKEN" $' + '{HOST}/x $ 5$', ['Bearer <TOKEN>', '<HOST>/x', '$', '5$']],
  ["'$TOKEN' \\$TOKEN", ['$TOKEN', '$TOKEN']],
])('%j is split', (line, expected) => {
  expect(words(line)).toEqual(expected)
})

test.each([
  ["'a", 'unclosed single quote'],
  ['"a', 'unclosed double quote'],
  ['a\\', 'ends in a backslash'],
  ['curl x | jq .', 'contains | outside quotes'],
  ['curl x > file', 'contains > outside quotes'],
  ['curl x & y', 'contains & outside quotes'],
  ['curl $(cat token)', 'runs another command'],
  ['curl "`cat token`"', 'runs another command'],
  ['curl "$' + '{A:-b}"', 'expands a variable'],
])('%j is refused', (line, why) => {
  expect(words(line)).toContain(why)
})

test('words in quotes come back as they are', () => {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  fc.assert(
    fc.property(fc.array(fc.string()), texts => {
      expect(words(texts.map(quoted).join(' '))).toEqual(texts)
    }),
  )
})

test.each([`'a b'"c d"e\\ f '' "" x`, `"a\\"b\\$c\\d" a\\"b 'c\\'`, 'a=b?c=d x\\\n y "p\\\nq"'])(
  '%j means the same to a shell',
  line => {
    const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    expect(words(line)).toEqual(printed.split('\0').slice(0, -1))
  },
)
