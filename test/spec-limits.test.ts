/** Limits that the author of a spec sets have an upper bound, and a pattern does not keep Ctrl-C away. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { main } from './built-command.ts'

const project = aProject()

const given = (...lines: readonly string[]) =>
  writeFileSync(
    join(project.folder, 'a.spec.md'),
    `# A\n\n\`\`\`yaml spec-test\nid: A\n${lines.join('\n')}\n\`\`\`\n`,
  )

test.each([
  [['type: cli.run', 'harness: {entrypoint: "true", timeout_ms: 86400001}'], '86400000'],
  [['type: text.file', 'path: /a.txt', 'harness: {spec_lang: {timeout_ms: 60001}}'], '60000'],
  [['type: text.file', 'path: /a.txt', 'harness: {spec_lang: {max_size: 33554433}}'], '33554432'],
])('%j is refused with its upper bound and its place', (lines, most) => {
  given(...lines)
  writeFileSync(join(project.folder, 'a.txt'), 'a')
  const { status, stdout, stderr } = project.premath(['spec', 'run', 'a.spec.md'])
  expect(status).not.toBe(0)
  expect(stdout + stderr).toMatch(/a\.spec\.md:\d+/)
  expect(stdout + stderr).toContain(most)
})

test('a pattern that runs for minutes ends with SIGINT', async () => {
  given(
    'type: text.file',
    'path: /a.txt',
    'harness: {spec_lang: {timeout_ms: 0}}',
    'assert:',
    '- target: text',
    "  must: [{regex: ['^(?=(a+)+$)b']}]",
  )
  writeFileSync(join(project.folder, 'a.txt'), `${'a'.repeat(60)}!`)
  const child = spawn(process.execPath, [main, 'spec', 'run', 'a.spec.md'], {
    cwd: project.folder,
    env: project.env,
    stdio: 'ignore',
  })
  const closed = once(child, 'close')
  // The thread of the pattern uses the processor; nothing else of this run needs a second of it.
  while (processorMs(child.pid ?? 0) < 3_000) await new Promise(go => setTimeout(go, 20))
  const asked = performance.now()
  child.kill('SIGINT')
  expect((await closed)[1]).toBe('SIGINT')
  expect(performance.now() - asked).toBeLessThan(5_000)
})

/** From /proc/<pid>/stat, in ticks of 10 ms. */
function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
