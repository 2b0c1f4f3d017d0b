/** Documents with what must be found in them, as files that any implementation can read. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Problem, RawCase } from '../src/kernel/spec/document/raw-case.ts'
import { openContext } from '../src/project/context.ts'
import { seekProject } from '../src/project/open.ts'
import { readSpecs, type SpecInput } from '../src/project/specs/spec-input.ts'
import { nodeWorld } from '../src/world/node-world.ts'

const folder = 'vectors/spec-document'
const names = readdirSync(folder)

const problemOf = ({ place, code, severity }: Problem) => ({
  at: `${place.line}:${place.column}`,
  code,
  ...(severity && { severity }),
})

/** The problems found, by document. */
async function reading(name: string) {
  const root = `${folder}/${name}`
  const specs = await readSpecs(
    { path: [root], format: ['md', 'yaml', 'json'], root },
    seekProject(openContext(nodeWorld())),
  )
  return Object.fromEntries(
    specs.documents.map(({ path, cases, problems }) => [
      path,
      {
        cases: cases.map(raw => caseReading(raw, specs)),
        problems: problems.map(problemOf),
      },
    ]),
  )
}

function caseReading(raw: RawCase, { problemsOf, graph }: SpecInput) {
  const problems = problemsOf(raw)
  return {
    id: raw.value.get('id') ?? null,
    at: `${raw.line}:${raw.column}`,
    ...(problems.length > 0
      ? { problems: problems.map(problemOf) }
      : { before: graph.prerequisitesOf(raw).map(({ id }) => id) }),
  }
}

/** It takes a megabyte. */
const shownElsewhere = ['yaml.too_long']

describe('vectors of documents', () => {
  test.each(names)('%s', async name => {
    const expected = JSON.parse(readFileSync(`${folder}/${name}/reading.json`, 'utf8'))
    expect(await reading(name)).toEqual(expected)
  })

  test('each problem of a document or a case has a vector', async () => {
    const shown = new Set(
      names
        .flatMap(name => [
          ...readFileSync(`${folder}/${name}/reading.json`, 'utf8').matchAll(/"code": "([^"]+)"/g),
        ])
        .map(([, code]) => code),
    )
    const sources = readdirSync('src/kernel/spec', { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map(path => readFileSync(`src/kernel/spec/${path}`, 'utf8'))
    const codes = sources.flatMap(text =>
      [...text.matchAll(/'((?:assert|block|case|chain|fence|yaml)\.[a-z_]+)'/g)].map(
        ([, code]) => code,
      ),
    )
    expect([...new Set(codes)].filter(code => !shown.has(code))).toEqual(shownElsewhere)
  })
})
