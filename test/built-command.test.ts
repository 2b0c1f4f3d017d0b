import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

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
