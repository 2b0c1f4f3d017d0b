import { describe, expect, test } from 'vitest'
import { readDocument } from '../document/read-document.ts'
import { namedFiles } from './named-files.ts'

function namedBy(...lines: readonly string[]) {
  const text = ['```yaml spec-test', 'id: A', ...lines, '```', ''].join('\n')
  const [raw] = readDocument(text, 'a.spec.md').cases
  return namedFiles(raw?.value ?? new Map(), '/r')
}

const cli = (...lines: readonly string[]) => ['type: cli.run', ...lines]

describe('a case names', () => {
  test.each<[readonly string[], readonly string[]]>([
    [['type: text.file', 'path: docs/../a.txt'], ['/a.txt']],
    [['type: text.file', 'path: /docs/a.txt'], ['/docs/a.txt']],
    [cli('harness: {entrypoint: node tools/a.mjs}'), ['/tools/a.mjs']],
    [
      cli('harness: {entrypoint: /r/run}', 'argv: [b.json, --config=c/d]'),
      ['/run', '/b.json', '/c/d'],
    ],
    [cli('harness: {entrypoint: "true", hook_after: [sh, clean.sh]}'), ['/clean.sh']],
  ])('%j: %j', (lines, files) => {
    expect(namedBy(...lines)).toEqual(expect.arrayContaining([...files]))
  })

  test.each<[readonly string[]]>([
    [['type: text.file']],
    [['type: text.file', 'path: ../out.txt']],
    [['type: text.file', 'path: "{{chain.s.p}}"']],
    [cli('harness: {entrypoint: /usr/bin/node}', 'argv: [-v, ., ./]')],
    [cli('harness: {entrypoint: sh tool.sh, cwd: temp}')],
    [cli('harness: {entrypoint: [sh, -c, "cat a.txt\\necho b.txt"]}')],
    [cli('harness: {}')],
  ])('%j: nothing', lines => {
    expect(namedBy(...lines)).toEqual([])
  })
})
