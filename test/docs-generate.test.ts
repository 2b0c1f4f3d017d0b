/** `premath spec run --write`, and the surfaces of another implementation. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { jsonSchemas } from '../src/wire/index.ts'
import { aProject } from './a-project.ts'
import { block } from './a-spec-run.ts'
import { conformanceFiles } from './conformance-files.ts'

const project = aProject()
const valid = new Ajv2020({ strict: false }).compile(
  jsonSchemas()['premath.spec.report.v1'] as object,
)

const inProject = (path: string) => join(project.folder, path)
const read = (path: string) => readFileSync(inProject(path), 'utf8')

function write(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(inProject(path)), { recursive: true })
    writeFileSync(inProject(path), text)
  }
}

function ran(...args: readonly string[]) {
  const { status, json } = project.asked(['spec', 'run', ...args])
  valid(json)
  expect(valid.errors ?? []).toEqual([])
  return { status, json }
}

describe('--write', () => {
  const surface = [
    'surface_id: greeting, output_mode: full_file, template_path: /hello.tpl',
    'data_sources: [{id: who, source_type: yaml_file, path: /who.yaml}]',
  ].join(', ')
  const files = {
    'docs/spec/schema/docs_generator_registry_v1.yaml': `version: 1\nsurfaces: [{${surface}, outputs: [/hello.md]}]\n`,
    'hello.tpl': 'Hello {{who.name}}!\n',
    'who.yaml': 'name: Ada\n',
    'a.spec.md': block(
      'id: HELLO',
      'type: docs.generate',
      `harness: {docs_generate: {${surface}, mode: write, output_path: /hello.md}}`,
    ),
  }

  test('writes the file, names it, and leaves no witness', () => {
    expect(project.premath(['init']).status).toBe(0)
    write(files)
    const checked = ran()
    expect([checked.status, checked.json.written]).toEqual([1, undefined])
    expect(existsSync(inProject('hello.md'))).toBe(false)
    const written = ran('--write')
    expect([written.status, written.json.written]).toEqual([0, ['/hello.md']])
    expect(written.json).not.toHaveProperty('witness')
    expect(readdirSync(inProject('artifacts/ciwitness/spec'))).toHaveLength(1)
    expect(read('hello.md')).toBe('Hello Ada!\n')
    expect(ran('--write').json.written).toEqual([])
    expect(ran().json.witness).toMatch(/^artifacts\/ciwitness\/spec\//)
  })

  test('tells a person what it wrote', () => {
    write(files)
    expect(project.premath(['spec', 'run', '--write', '--root', '.']).stdout).toMatch(
      /^wrote \/hello\.md\n1 passed, 0 failed in /,
    )
  })

  test('leaves a read-only page, and names the command that helps', () => {
    write({ ...files, 'hello.md': 'by hand\n' })
    chmodSync(inProject('hello.md'), 0o444)
    const { status, stdout } = project.premath(['spec', 'run', '--write', '--root', '.'])
    expect([status, stdout]).toEqual([1, expect.stringContaining('chmod u+w hello.md\n')])
    expect(read('hello.md')).toBe('by hand\n')
  })

  test('does not go with --watch', () => {
    const { status, stderr } = project.premath(['spec', 'run', '--write', '--watch'])
    expect([status, stderr.split('\n')[0]]).toEqual([
      2,
      'error: --write cannot be combined with --watch',
    ])
  })
})

describe('the eight surfaces of another implementation', () => {
  const book = 'docs/book'
  const cases = 'docs/spec/impl'

  test('[spec.7.moustache] are equal byte for byte, and written again as they were', () => {
    const files = Object.fromEntries(conformanceFiles('docs_generate'))
    write(files)
    const checked = ran(cases, '--root', '.')
    expect([checked.status, checked.json.passed, checked.json.total]).toEqual([0, 8, 8])
    const pages = readdirSync(inProject(book)).filter(name => name.endsWith('.md'))
    expect(pages).toHaveLength(8)
    for (const name of pages) {
      const text = read(`${book}/${name}`)
      // Only what lies between the markers is generated.
      write({ [`${book}/${name}`]: text.replace(/(START \w+ -->).*(<!-- \w+:END)/s, '$1$2') })
      expect(read(`${book}/${name}`)).not.toBe(text)
    }
    const written = ran(cases, '--root', '.', '--write', '--jobs', '8')
    expect([written.status, written.json.written.length]).toEqual([0, 8])
    for (const name of pages) {
      expect(read(`${book}/${name}`)).toBe(files[`${book}/${name}`])
    }
  })
})
