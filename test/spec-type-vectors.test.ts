/** Conformance cases of single case types. Each folder of vectors is its own contract root. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()
const vectors = fileURLToPath(new URL('../vectors/', import.meta.url))

test.each([
  ['docs-generate', 'docs.generate', 25],
  ['orchestration-run', 'orchestration.run', 22],
])('vectors/%s: every %s case ends as it says', (name, type, total) => {
  const cwd = join(project.folder, name)
  cpSync(join(vectors, name), cwd, { recursive: true })
  const { status, json } = project.asked(['spec', 'conform', '--root', '.'], { cwd })
  expect(json.results.flatMap((one: { disagreements: string[] }) => one.disagreements)).toEqual([])
  expect([status, json.agreed, json.total]).toEqual([0, total, total])
  const { json: listed } = project.asked(['spec', 'list', '--root', '.'], { cwd })
  expect(new Set(listed.cases.map((one: { type: string }) => one.type))).toEqual(new Set([type]))
})

test('spec conform never writes', () => {
  const cwd = join(project.folder, 'docs-generate')
  cpSync(join(vectors, 'docs-generate'), cwd, { recursive: true })
  project.premath(['spec', 'conform', '--root', '.'], { cwd })
  expect(readFileSync(join(cwd, 'pages/stale.txt'), 'utf8')).toBe(
    readFileSync(join(vectors, 'docs-generate/pages/stale.txt'), 'utf8'),
  )
})
