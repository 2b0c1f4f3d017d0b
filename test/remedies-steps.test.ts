/** Each command that messages of steps and runs name is run, and works. */
import { expect, test } from 'vitest'
import { nodeDisk } from '../src/world/node-disk.ts'
import { aProject } from './a-project.ts'
import { runRemedy } from './remedies/remedy.ts'
import { stepRemedies } from './remedies/steps.ts'

const project = aProject()

test.each(stepRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))

test('[memory.4.remedies] premath doctor finds the process that keeps issue memory locked', async () => {
  project.done('issue', 'add', 'one')
  const lock = await nodeDisk.lock(`${project.issues}.lock`, 0)
  if (!lock.held) throw new Error('the lock of a new project is held')
  const { status, stdout } = project.premath(['doctor'])
  await lock.release()
  expect(status).toBe(4)
  expect(stdout).toContain(`held by pid ${process.pid}`)
})
