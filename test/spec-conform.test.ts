/** `premath spec conform`: cases judged by what they expect, ours and those of another suite. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { readDocument } from '../src/kernel/spec/document/read-document.ts'
import { jsonSchemas } from '../src/wire/index.ts'
import { aProject } from './a-project.ts'
import { block } from './a-spec-run.ts'
import { conformanceClasses, conformanceFiles } from './conformance-files.ts'

const project = aProject()
const valid = new Ajv2020({ strict: false }).compile(
  jsonSchemas()['premath.spec.conformance.v1'] as object,
)

function conformed(...args: readonly string[]) {
  const { status, json } = project.asked(['spec', 'conform', ...args])
  valid(json)
  expect(valid.errors ?? []).toEqual([])
  return { status, json }
}

describe('conform', () => {
  const failing = (id: string, expected: string) =>
    block(
      `id: ${id}`,
      'type: text.file',
      `expect: ${expected}`,
      'assert: [{target: text, must: [{contain: ["ab\\u0073ent"]}]}]',
    )
  const expected =
    '{portable: {status: fail, category: assertion, message_tokens: [op=contain]}, impl: {other: {status: pass, category: null, message_tokens: []}}}'

  test('a case that fails as it says agrees', () => {
    writeFileSync(join(project.folder, 'a.spec.md'), failing('A', expected))
    const { status, json } = conformed()
    expect([status, json.agreed, json.total]).toEqual([0, 1, 1])
    expect(json.results[0]).toMatchObject({ id: 'A', agreed: true, disagreements: [] })
  })

  test('the expectations are those of the implementation', () => {
    writeFileSync(join(project.folder, 'a.spec.md'), failing('A', expected))
    const { status, json } = conformed('--impl', 'other')
    expect([status, json.agreed]).toEqual([1, 0])
    expect(json.results[0].disagreements).toEqual([
      'status is fail, expected pass',
      'category is assertion, expected null',
    ])
    expect(project.premath(['spec', 'conform', '--impl', 'other']).stdout).toMatch(
      /^FAIL A {2}a\.spec\.md:2\n {2}status is fail, expected pass\n/,
    )
  })

  test('a declared capability is available', () => {
    const gated = block(
      'id: A',
      'type: text.file',
      'requires: {capabilities: [extra], when_missing: skip}',
      'expect: {portable: {status: skip}, impl: {other: {status: pass}}}',
    )
    writeFileSync(join(project.folder, 'a.spec.md'), gated)
    expect(conformed().status).toBe(0)
    expect(conformed('--impl', 'other').status).toBe(1)
    expect(conformed('--impl', 'other', '--capability', 'extra').status).toBe(0)
  })

  test('a case that expects nothing does not agree', () => {
    writeFileSync(join(project.folder, 'a.spec.md'), block('id: A', 'type: text.file'))
    const { status, json } = conformed()
    expect([status, json.results[0].disagreements]).toEqual([1, ['the case has no expect']])
  })
})

describe('the conformance cases of another implementation', () => {
  function given(): void {
    for (const [name, text] of conformanceFiles(...conformanceClasses)) {
      const path = join(project.folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  }

  test.each([
    ['ts', []],
    ['python', ['evaluate.spec_lang.ramda.v1', 'evaluate.spec_lang.ramda.v2']],
  ])('are judged as they expect of %s', (implementation, capabilities) => {
    given()
    const declared = capabilities.flatMap(one => ['--capability', one])
    const { status, json } = conformed('--root', '.', '--impl', implementation, ...declared)
    const results: readonly { id: string; agreed: boolean }[] = json.results
    expect(results.filter(({ agreed }) => !agreed)).toEqual([])
    expect([status, json.agreed, json.total]).toEqual([0, 27, 27])
    expect(results.filter(({ id }) => id.startsWith('SRCONF-API-'))).toHaveLength(17)
  })
})

test('[spec.2.fixtures] every cli.run fixture names its entrypoint', () => {
  const documents = conformanceFiles(...conformanceClasses).filter(([path]) =>
    /\.spec\.md$/.test(path),
  )
  const fixtures = documents
    .flatMap(([path, text]) => readDocument(text, path).cases)
    .filter(({ type }) => type === 'cli.run')
  expect(fixtures.map(({ id }) => id)).toContain('SRCONF-CLI-001')
  for (const { id, value } of fixtures) {
    const harness = value.get('harness')
    expect([id, harness instanceof Map && harness.get('entrypoint')]).toEqual([
      id,
      expect.stringMatching(/\S/),
    ])
  }
})
