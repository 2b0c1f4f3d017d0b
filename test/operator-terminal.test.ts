/** Authority to change issue memory under a policy for operators, on a real terminal. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { main } from './built-command.ts'

const present = spawnSync('python3', ['-c', 'import pty, termios']).status === 0
if (!present) console.log('skipped: no python3 here that can open a terminal')

const project = aProject()
const { asked, done, rowsById } = project
const adding = ['issue', 'add', 'One']

/** For as long as we hold its standard input open. */
async function atTerminal(...args: readonly string[]): Promise<number | null> {
  const program = [resolve('test/pseudo-terminal.py'), '80', '24', process.execPath, main, ...args]
  const child = spawn('python3', program, { cwd: project.folder, env: project.env })
  const [code] = await once(child.stdout.resume(), 'end').then(() => once(child, 'close'))
  return code
}

beforeEach(() => {
  done('init')
  const surfaces = { cli: { mode: 'operator' } }
  writeFileSync(
    join(project.folder, '.premath/policy.json'),
    JSON.stringify({ schema: 1, surfaces }),
  )
})

describe('under a policy for operators', () => {
  test.skipIf(!present)('a person at a terminal adds an issue', async () => {
    expect(await atTerminal(...adding)).toBe(0)
    expect(rowsById()['bd-1']).toMatchObject({ title: 'One' })
    expect(rowsById()['bd-1'].metadata?.premathOverride).toBeUndefined()
  })

  test('a script is refused with a remedy', () => {
    const { status, json } = asked(adding)
    expect([status, json.failureClasses]).toEqual([1, ['mutation_not_granted']])
    expect(json.diagnostic).toContain(
      'a person at a terminal, and standard input is not a terminal',
    )
    expect(json.remedy).toContain('--reason')
    expect(rowsById()).toEqual({})
  })

  test('a script with a reason is accepted, and its row records the reason', () => {
    const { status } = asked([...adding, '--reason', 'nightly import'])
    expect(status).toBe(0)
    expect(rowsById()['bd-1'].metadata.premathOverride).toMatchObject({ reason: 'nightly import' })
  })

  test('an unattended loop also needs a reason, and closes with one', () => {
    asked([...adding, '--reason', 'to have one'])
    const loop = ['harness-loop', 'worker', '--work-cmd', 'true', '--verify-cmd', 'true']
    expect(project.premath(loop).status).toBe(1)
    expect(rowsById()['bd-1'].status).toBe('open')
    expect(project.premath([...loop, '--reason', 'overnight']).status).toBe(0)
    expect(rowsById()['bd-1'].status).toBe('closed')
  })
})
