import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { hasTool, median, premath, script, time } from './run.mjs'

const runs = 3
const count = 1000
/** It takes a tenth of a second for each, and longer the more there are. */
const batsCount = 100
const jobs = String(availableParallelism())

/**
 * Commands with their expected output, each in a shell of its own: console blocks beside the files
 * of cram and the tests of bats, as each tool runs them without options, and beside a bare pool.
 */
export async function golden(folder, progress) {
  const root = mkdtempSync(join(folder, 'golden-'))
  const commands = {
    ours: { args: [premath, 'spec', 'run'], cwd: consoleBlocks(root), cases: count },
    'a bare pool': {
      args: [script('bare-pool.mjs'), String(count), jobs, 'sh', '-c', 'echo line'],
      cases: count,
    },
    ...(hasTool('cram', 'pip install cram', progress) && {
      cram: { node: 'cram', args: ['--quiet', cramFiles(root)], cases: count },
    }),
    ...(hasTool('bats', 'npm install --global bats', progress) && {
      bats: { node: 'bats', args: [batsFile(root)], cases: batsCount },
    }),
  }
  const each = Object.fromEntries(Object.keys(commands).map(name => [name, []]))
  for (let run = 0; run < runs; run++) {
    for (const [name, { args, cases, ...options }] of Object.entries(commands)) {
      each[name].push((await time(args, [0], options)) / cases)
    }
  }
  const limits = { 'a bare pool': undefined, cram: 1, bats: 1 }
  return Object.entries(limits)
    .filter(([name]) => name in commands)
    .map(([name, most]) => ({
      name: `golden: ${count.toLocaleString('en')} console blocks beside ${name}`,
      ours: median(each.ours),
      unit: 'ms a case',
      beside: { [name]: median(each[name]) },
      // Each ratio compares runs that followed each other, so the machine's load meets both.
      ratio: median(each.ours.map((own, run) => own / each[name][run])),
      most,
    }))
}

const numbered = (length, textOf) => Array.from({ length }, (_, at) => textOf(at))

function consoleBlocks(root) {
  const folder = join(root, 'console')
  mkdirSync(join(folder, '.git'), { recursive: true })
  const block = at => `## Line ${at}\n\n\`\`\`console\n$ echo line ${at}\nline ${at}\n\`\`\`\n`
  writeFileSync(join(folder, 'golden.spec.md'), numbered(count, block).join('\n'))
  return folder
}

function cramFiles(root) {
  const folder = join(root, 'cram')
  mkdirSync(folder)
  for (let at = 0; at < count; at++) {
    writeFileSync(join(folder, `${at}.t`), `  $ echo line ${at}\n  line ${at}\n`)
  }
  return folder
}

function batsFile(root) {
  const file = join(root, 'golden.bats')
  const test = at =>
    `@test "line ${at}" {\n  run echo line ${at}\n  [ "$output" = "line ${at}" ]\n}\n`
  writeFileSync(file, numbered(batsCount, test).join('\n'))
  return file
}
