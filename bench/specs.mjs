import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { median, premath, script, time } from './run.mjs'

const runs = 5
const jobs = availableParallelism()

/** Documents of cases, beside their bare parse, a bare pool of processes, and what else runs commands. */
export async function specs(folder) {
  return [
    await files(folder),
    await commands(folder),
    heap(folder),
    bounded(folder, 'a catastrophic pattern', regexCase),
    bounded(folder, 'repeat of 10^9', repeatCase),
  ]
}

const block = lines => `\`\`\`yaml spec-test\n${lines.join('\n')}\n\`\`\`\n`

function project(folder, documents) {
  const root = mkdtempSync(join(folder, 'specs-'))
  mkdirSync(join(root, '.git'))
  for (const [name, cases] of documents) writeFileSync(join(root, name), cases.join('\n'))
  return root
}

/** Ratios of runs that came one after the other: what the machine does meanwhile meets both. */
async function besides(ours, beside, cwd) {
  const spent = [[], []]
  await time(ours, [0], { cwd })
  for (let run = 0; run < runs; run++) {
    spent[0].push(await time(ours, [0], { cwd }))
    spent[1].push(await time(beside, [0], { cwd }))
  }
  return {
    ours: median(spent[0]),
    beside: median(spent[1]),
    ratio: median(spent[0].map((own, run) => own / spent[1][run])),
  }
}

const textCase = id =>
  block([
    `id: ${id}`,
    `title: The notes name number ${id}`,
    'type: text.file',
    'path: /notes.txt',
    'assert:',
    '- target: text',
    '  must:',
    '  - contain: [one, two]',
    '  - evaluate:',
    '    - gt: [{len: [{var: subject}]}, 3]',
  ])

async function files(folder) {
  const documents = Array.from({ length: 100 }, (_, document) => [
    `d${document}.spec.md`,
    Array.from({ length: 50 }, (_case, at) => textCase(`T-${document}-${at}`)),
  ])
  const root = project(folder, [...documents, ['notes.txt', ['one two three']]])
  const parse = [script('bare-yaml.mjs'), root]
  const spent = await besides([premath, 'spec', 'run'], parse, root)
  return {
    name: 'spec run: 5,000 text.file cases in 100 documents',
    ours: spent.ours,
    unit: 'ms',
    beside: { 'YAML parse with positions': spent.beside },
    ratio: spent.ratio,
    most: 2,
  }
}

const count = 1000

async function commands(folder) {
  const cases = Array.from({ length: count }, (_, at) =>
    block([`id: C-${at}`, 'type: cli.run', 'exit_code: 0', 'harness:', '  entrypoint: "true"']),
  )
  const root = project(folder, [['commands.spec.md', cases]])
  const ours = [premath, 'spec', 'run', '--jobs', String(jobs)]
  const pool = [script('bare-pool.mjs'), String(count), String(jobs), 'true']
  const spent = await besides(ours, pool, root)
  return {
    name: `spec run: ${count} cli.run cases of \`true\`, ${jobs} at a time`,
    ours: spent.ours,
    unit: 'ms',
    beside: { 'a bare pool': spent.beside, ...xargs(), ...bats(root) },
    ratio: spent.ratio,
    most: 1.5,
  }
}

const took = act => {
  const began = process.hrtime.bigint()
  act()
  return Number(process.hrtime.bigint() - began) / 1e6
}

function xargs() {
  const input = Array.from({ length: count }, () => 'x').join('\n')
  const args = ['-P', String(jobs), '-n1', 'true']
  return { 'xargs -P': took(() => execFileSync('xargs', args, { input })) }
}

function bats(root) {
  if (spawnSync('bats', ['--version']).status !== 0) return {}
  const file = join(root, 'commands.bats')
  const tests = Array.from({ length: count }, (_, at) => `@test "C-${at}" {\n  run true\n}\n`)
  writeFileSync(file, tests.join(''))
  return { bats: took(() => execFileSync('bats', [file], { stdio: 'ignore' })) }
}

/** The heap in use after a run and a garbage collection: of many cases, minus that of a few. */
function heap(folder) {
  const held = cases => {
    const all = Array.from({ length: cases }, (_, at) => textCase(`H-${at}`))
    const root = project(folder, [
      ['heap.spec.md', all],
      ['notes.txt', ['one two three']],
    ])
    const args = ['--expose-gc', '--require', script('heap-at-exit.cjs'), premath, 'spec', 'run']
    const { stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`the run ended with ${status}: ${stderr}`)
    return Number(/heap (\d+)/.exec(stderr)[1])
  }
  const [few, many] = [100, 10_100]
  const each = (held(many) - held(few)) / (many - few)
  return {
    name: 'spec run: heap still held of 10,000 cases',
    ours: each,
    unit: 'bytes a case',
    beside: { 'the limit': 1024 },
    ratio: each / 1024,
    most: 1,
  }
}

/** Back-references are beyond the linear engine: this one runs where it can be ended. */
const regexCase = [
  'type: text.file',
  'path: /a.txt',
  'assert:',
  '- target: text',
  "  must: [{regex: ['^(a+)+\\1$']}]",
]

const repeatCase = [
  'type: text.file',
  'path: /a.txt',
  'assert:',
  '- target: text',
  '  must: [{evaluate: [{eq: [{len: [{repeat: [x, 1000000000]}]}, 1]}]}]',
]

const budgetMs = 200

function bounded(folder, what, lines) {
  const root = project(folder, [
    ['hostile.spec.md', [block(['id: HOSTILE', ...lines])]],
    ['a.txt', [`${'a'.repeat(60)}b`]],
  ])
  const spent = Array.from({ length: runs }, () => {
    const { stdout } = spawnSync(process.execPath, [premath, 'spec', 'run', '--json'], {
      cwd: root,
      encoding: 'utf8',
    })
    const [result] = JSON.parse(stdout).results
    if (!/budget exceeded/.test(result.message)) throw new Error(`${what}: ${result.message}`)
    return result.durationMs
  })
  return {
    name: `spec run: ${what}`,
    ours: median(spent),
    unit: 'ms',
    beside: { 'its budget': budgetMs },
    ratio: median(spent) / budgetMs,
    most: 1.5,
  }
}
