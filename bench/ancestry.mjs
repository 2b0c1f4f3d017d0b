import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from './bundled.mjs'
import { median } from './run.mjs'

const millisecondsMax = 3
const runs = 21
const workers = 4
const linesOfJournal = 10

/** What a command that writes pays to find out whether it runs in a step, while four workers work. */
export async function ancestry(folder, progress) {
  const file = await bundled('known-step.mjs', folder)
  const parent = JSON.parse(execFileSync(process.execPath, [file, 'parent'], { encoding: 'utf8' }))
  if (parent === null) {
    progress('ancestry: not measured, this system has no /proc')
    return []
  }
  const root = join(folder, 'ancestry')
  mkdirSync(join(root, '.premath/steps'), { recursive: true })
  const line = group => `${JSON.stringify({ stepId: 'worker.bd-1.1.1', issueId: 'bd-1', group })}\n`
  for (let worker = 1; worker <= workers; worker++) {
    const own = worker === workers ? { ...parent, mark: '' } : { id: 1, startedAt: '', mark: '' }
    const text = line({ id: 1, startedAt: '', mark: '' }).repeat(linesOfJournal) + line(own)
    writeFileSync(join(root, `.premath/steps/worker.${worker}.jsonl`), text)
  }
  const options = { cwd: root, encoding: 'utf8' }
  const spent = Array.from({ length: runs }, () =>
    Number(execFileSync(process.execPath, [file], options)),
  )
  const ours = median(spent)
  return [
    {
      name: 'ancestry: whether a command runs in a step',
      ours,
      unit: 'ms',
      beside: { 'the limit': millisecondsMax },
      ratio: ours / millisecondsMax,
      most: 1,
    },
  ]
}
