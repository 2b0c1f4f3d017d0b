/** A loop of a Scheme program, in the evaluator of the command. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median, premath, time } from './run.mjs'

const runs = 5
const iterations = 1_000_000
const msMax = 1_000

const program = `(let loop ((i 0)) (if (< i ${iterations}) (loop (+ i 1)) i))\n`

/** The floor: the same calls in a bare process. */
const bare = `const loop = i => i < ${iterations} ? () => loop(i + 1) : i
let next = loop(0)
while (typeof next === 'function') next = next()`

export async function scheme(folder) {
  const cwd = mkdtempSync(join(folder, 'scheme-'))
  // Without a project around it, the folder above would be searched.
  mkdirSync(join(cwd, '.git'))
  writeFileSync(join(cwd, 'loop.scm'), program)
  const words = [premath, 'scheme-eval', '--program', 'loop.scm', '--json']
  const spent = { ours: [], bare: [], start: [] }
  const counts = new Set()
  for (let run = 0; run < runs; run++) {
    const began = process.hrtime.bigint()
    const { status, stdout } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8' })
    spent.ours.push(Number(process.hrtime.bigint() - began) / 1e6)
    const { value, steps } = status === 0 ? JSON.parse(stdout) : {}
    if (value !== iterations) throw new Error(`the loop ended with ${status}: ${stdout}`)
    counts.add(steps)
    spent.bare.push(await time(['-e', bare]))
    spent.start.push(await time([premath, 'scheme-eval', '--expression', '0'], [0], { cwd }))
  }
  // Budgets count steps, so a count that differs would end the same program at another place.
  if (counts.size !== 1) throw new Error(`the loop took ${[...counts].join(' and ')} steps`)
  const ours = median(spent.ours)
  return [
    {
      name: `scheme: ${iterations.toLocaleString('en')} iterations, ${[...counts][0].toLocaleString('en')} steps`,
      ours,
      unit: 'ms',
      beside: { 'a program without a loop': median(spent.start), 'bare calls': median(spent.bare) },
      ratio: ours / msMax,
      most: 1,
    },
  ]
}
