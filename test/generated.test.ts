/**
 * The published schemas. `npm run generate` rewrites them; a stale one fails here like any other
 * test. The reference pages are checked by `specs/reference.spec.md`.
 */
import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { printJson } from '../src/kernel/text/print-json.ts'
import { publishedSchemas } from '../src/project/published-schemas.ts'

const schemas = publishedSchemas()

test.each(Object.keys(schemas))('schemas/%s.json', async kind => {
  await expect(printJson(schemas[kind])).toMatchFileSnapshot(`../schemas/${kind}.json`)
})

test('schemas/ holds nothing else', () => {
  const files = existsSync('schemas') ? readdirSync('schemas') : []
  expect(files.filter(file => !Object.hasOwn(schemas, file.replace(/\.json$/, '')))).toEqual([])
})
