/** The prompt at a real terminal. */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { main } from './built-command.ts'

const project = aProject()
const hasPython = spawnSync('python3', ['--version']).status === 0

/** The text on the terminal, without the line ends of a terminal. */
function talk(...lines: readonly string[]) {
  const program = [process.execPath, main, 'repl']
  const args = [resolve('test/talking-terminal.py'), lines.join('\n'), '> ', ...program]
  const { status, stdout } = spawnSync('python3', args, { cwd: project.folder, encoding: 'utf8' })
  return { status, shown: stdout.replaceAll('\r\n', '\n') }
}

test.skipIf(!hasPython)('an entry takes several lines, and the history shows it as it was', () => {
  const { status, shown } = talk('(define x', '5)', '(+ x 1)', ':history', ':again 2')
  expect(status).toBe(0)
  expect(shown).toContain('   ...> 5)\nscheme> ')
  expect(shown).toContain('\n1  (define x\n   5)\n2  (+ x 1)\n')
  expect(shown.match(/^6$/gm)).toHaveLength(2)
})

test.skipIf(!hasPython)('a command that does not exist is no program', () => {
  const { status, shown } = talk('(define x 5)', ':again x', ':quit')
  expect(status).toBe(0)
  expect(shown).toContain(
    'error: there is no command :again x (scheme_eval.invalid_program)\n  The commands are :history',
  )
  expect(shown).toContain('error: there is no command :quit')
  expect(shown).not.toMatch(/^5$/m)
})

test.skipIf(!hasPython)('an arrow key does not leave an entry that no line can end', () => {
  const { status, shown } = talk('\u001b[A', '(+ 1 2)')
  expect(status).toBe(0)
  expect(shown).toContain('error: arrow keys do not work here')
  expect(shown).toMatch(/^3$/m)
})
