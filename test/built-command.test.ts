import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from './built-command.ts'

test('every test that runs the build gets it from built-command.ts, which keeps it fresh', () => {
  const files = ['src', 'test'].flatMap(root =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.test.ts') || (root === 'test' && path.endsWith('.ts')))
      .map(path => join(root, path)),
  )
  const stale = files.filter(path => {
    const text = readFileSync(path, 'utf8')
    return /['"`]dist\/(?:cli|readme)/.test(text) && !text.includes("/built-command.ts'")
  })
  expect(stale).toEqual(['test/built-command.ts'])
})

/** The chunks that a chunk loads at once, by name. */
function requiredBy(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/\b(\w+)=require\("\.\/([^"]+)"\)/g)
  return new Map([...found].map(([, variable = '', chunk = '']) => [variable, chunk]))
}

test('a chunk passes on no operation of a chunk that loads it back, which has none yet', () => {
  const folder = join(main, '../../chunks')
  const texts = new Map(
    readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]),
  )
  const loads = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (seen.has(from)) return false
    seen.add(from)
    const next = [...requiredBy(texts.get(from) ?? '').values()]
    return next.includes(to) || next.some(one => loads(one, to, seen))
  }
  const passedOn = [...texts].flatMap(([name, text]) =>
    [...text.matchAll(/exports\.(\w{3,})=(\w+)\.\w+/g)].flatMap(([, operation, variable = '']) => {
      const source = requiredBy(text).get(variable)
      return source !== undefined && loads(source, name) ? [`${operation} in ${name}`] : []
    }),
  )
  expect(passedOn).toEqual([])
})
