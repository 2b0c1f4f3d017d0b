/** Output of programs in a job of GitHub Actions: the runner must not take it for commands. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()
const { done } = project
const inActions = { env: { GITHUB_ACTIONS: 'true' } }

/** Lines that the runner obeys. */
const commandsIn = (text: string) =>
  text
    .split(/[\r\n]+/)
    .filter(line => /^\s*::/.test(line) || line.includes('##['))
    .map(one => one.trim())

const evil = "printf 'a\\n::stop-commands::x\\n  ::error::y\\n##[error]z\\n' | tee /dev/stderr"

const spec = `# A spec

\`\`\`yaml spec-test
id: X-1
type: cli.run
harness: {entrypoint: sh -c}
argv: ["${evil.replaceAll('\\', '\\\\')}; exit 1"]
exit_code: 0
assert:
- target: stdout
  must:
  - equal: b
\`\`\`
`

test.each([[[]], [['--trace']], [['--json']], [['--report', 'tap']], [['--report', 'github']]])(
  'spec run %j prints its own annotations only',
  more => {
    writeFileSync(join(project.folder, 'x.spec.md'), spec)
    const { status, stdout, stderr } = project.premath(
      ['spec', 'run', 'x.spec.md', ...more],
      inActions,
    )
    expect(status).toBe(1)
    expect(stdout + stderr).toContain('stop-commands')
    const commands = commandsIn(`${stdout}\n${stderr}`)
    expect(commands).toEqual([expect.stringMatching(/^::error file=x\.spec\.md,line=\d+,/)])
  },
)

test.each([
  [['harness-step']],
  [['harness-step', '--json']],
  [['harness-loop', 'worker', '--max-steps', '1']],
  [['harness-loop', 'worker', '--max-steps', '1', '--json']],
])('%j prints no command of its work', args => {
  done('issue', 'add', 'One')
  const flags = ['--work-cmd', `${evil}; exit 1`, '--verify-cmd', 'test -e .']
  const { stdout, stderr } = project.premath([...args, ...flags], inActions)
  expect(stdout + stderr).toContain('stop-commands')
  expect(commandsIn(`${stdout}\n${stderr}`)).toEqual([])
})

test('an issue prints no command of its description', () => {
  done('issue', 'add', 'One', '--description', 'a\n::error::x\n##[warning]y')
  const { stdout } = project.premath(['show', 'bd-1'], inActions)
  expect(commandsIn(stdout)).toEqual([])
  const { json } = project.asked(['show', 'bd-1'], inActions)
  expect(JSON.stringify(json)).toContain('##[warning]y')
})

test('outside of a job the output stays as it is', () => {
  done('issue', 'add', 'One', '--description', 'a ##[warning]y')
  expect(project.premath(['show', 'bd-1']).stdout).toContain('##[warning]y')
})
