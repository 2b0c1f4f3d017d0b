/**
 * Verdicts of specs while other processes keep all cores busy. `npm run torture` runs 200 rounds,
 * `npm test` 3.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { block } from './a-spec-run.ts'

const rounds = Number(process.env['TORTURE_SPEC_ROUNDS'] ?? 3)
const project = aProject()

const harness = (timeoutMs: number, entrypoint: string) =>
  `harness: {entrypoint: ${entrypoint}, spec_lang: {timeout_ms: ${timeoutMs}}}`

const must = (target: string, ...assertions: readonly string[]) => [
  'assert:',
  `- target: ${target}`,
  '  must:',
  ...assertions.map(one => `  - ${one}`),
]

const cli = (id: string, entrypoint: string, timeoutMs: number, ...assertions: readonly string[]) =>
  block(
    `id: ${id}`,
    'type: cli.run',
    harness(timeoutMs, entrypoint),
    ...must('stdout', ...assertions),
  )

const hello = '[echo, hello world]'
const backtracking = `"(?<=a)(a+)+$"`
const endless =
  '{let: [[[loop, {fn: [[n], {call: [{var: loop}, {add: [{var: n}, 1]}]}]}]], {call: [{var: loop}, 0]}]}'

/** Cases with small limits, some of which must be exceeded, and commands. */
const document = [
  cli('LOOKBEHIND', hello, 20, 'regex: ["(?<=hello )world", "(?<!x)hello"]'),
  cli('LOOKAHEAD', hello, 20, 'regex: ["hello(?= world)"]'),
  cli('REFERENCE', '[echo, aa bb]', 20, String.raw`regex: ["(a)\\1 (b)\\2"]`),
  cli('WORDS', '[echo, naïve go]', 20, String.raw`regex: ["\\bgo\\b"]`),
  cli('LINEAR', hello, 20, 'regex: ["^hello (world|there)$"]'),
  cli('NO-MATCH', hello, 20, 'regex: ["(?<=bye )world"]'),
  cli('BACKTRACKS', `[echo, ${'a'.repeat(60)}b]`, 20, `regex: [${backtracking}]`),
  cli(
    'ITEMS',
    "[seq, '500']",
    100,
    'evaluate: [{eq: [{len: [{split: [{trim: [{var: subject}]}, "\\n"]}]}, 500]}]',
  ),
  cli(
    'LARGE',
    "[echo, '9007199254740993']",
    20,
    'evaluate: [{eq: [{json_parse: [{var: subject}]}, 9007199254740993]}]',
  ),
  block(
    'id: STEPS',
    'type: cli.run',
    `harness: {entrypoint: ${hello}, spec_lang: {timeout_ms: 0, max_steps: 1000}}`,
    ...must('stdout', `evaluate: [${endless}]`),
  ),
  block(
    'id: ENDLESS',
    'type: cli.run',
    `harness: {entrypoint: ${hello}, spec_lang: {timeout_ms: 20, max_steps: 1000000000}}`,
    ...must('stdout', `evaluate: [${endless}]`),
  ),
  block('id: EXIT', 'type: cli.run', "harness: {entrypoint: [sh, -c, 'exit 3']}", 'exit_code: 3'),
  block('id: WRONG-EXIT', 'type: cli.run', "harness: {entrypoint: [sh, -c, 'exit 3']}"),
  block(
    'id: CHAINED',
    'type: cli.run',
    'harness:',
    '  entrypoint: [cat]',
    "  stdin_text: '{{chain.first.text}}'",
    "  chain: {steps: [{id: first, ref: '#LINEAR', exports: {text: {from_target: stdout}}}]}",
    ...must('stdout', 'contain: [hello world]'),
  ),
  block(
    'id: FILE',
    'type: text.file',
    'harness: {spec_lang: {timeout_ms: 20}}',
    'path: /text.txt',
    ...must('text', 'regex: ["(?<=two\\n)three"]'),
  ),
].join('\n')

const verdicts = [
  'LOOKBEHIND pass',
  'LOOKAHEAD pass',
  'REFERENCE pass',
  'WORDS pass',
  'LINEAR pass',
  'NO-MATCH fail assertion',
  'BACKTRACKS fail runtime',
  'ITEMS pass',
  'LARGE pass',
  'STEPS fail runtime',
  'ENDLESS fail runtime',
  'EXIT pass',
  'WRONG-EXIT fail assertion',
  'CHAINED pass',
  'FILE pass',
]

interface Result {
  readonly id: string
  readonly status: string
  readonly category?: string
}

/** A process of its own, as users start it: only its own threads count. */
function verdictsOf(path: string, cwd: string): readonly string[] {
  const { json } = project.asked(['spec', 'run', path, '--no-witness'], { cwd, isSpawned: true })
  const results: readonly Result[] = json.results
  return results.map(({ id, status, category }) =>
    category ? `${id} ${status} ${category}` : `${id} ${status}`,
  )
}

/** Ends by itself if the process of this test is gone. */
const busyCode = 'const above = process.ppid; while (process.ppid === above);'

let busy: readonly ChildProcess[] = []
afterEach(() => {
  for (const one of busy) one.kill('SIGKILL')
  busy = []
})

test(`specs get the same verdicts in ${rounds} runs on a busy machine`, () => {
  writeFileSync(join(project.folder, 'text.txt'), 'one\ntwo\nthree\n')
  writeFileSync(join(project.folder, 'a.spec.md'), document)
  const own = () => verdictsOf('specs/gate.spec.md', resolve('.'))
  const quiet = own()
  expect(verdictsOf('a.spec.md', project.folder)).toEqual(verdicts)
  expect(quiet.length).toBeGreaterThan(1)
  busy = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', busyCode], { stdio: 'ignore' }),
  )
  for (let round = 1; round <= rounds; round++) {
    expect([round, ...verdictsOf('a.spec.md', project.folder)]).toEqual([round, ...verdicts])
    expect([round, ...own()]).toEqual([round, ...quiet])
  }
})
