/** What the README tells a reader to type, typed. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'

const readme = readFileSync('README.md', 'utf8')
const command = resolve('dist/cli/main.cjs')
const folder = mkdtempSync(join(tmpdir(), 'premath-readme-'))
afterAll(() => rmSync(folder, { recursive: true }))

const turn = /<<'JSON'\n([\s\S]*?)\nJSON\n/.exec(readme)?.[1] ?? ''

function premath(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
    input: turn,
  })
  return { status, stdout, stderr }
}

test('the turn of the README is refused as it says', () => {
  writeFileSync(join(folder, 'turn.json'), turn)
  const { status, stdout } = premath('harness-join-check', '--input', 'turn.json', '--explain')
  expect(status).toBe(1)
  expect(stdout).toContain('tool.result_missing')
  expect(stdout).toMatch(/tc-2 .* no result, no use/)
})

test('without the lost call it is accepted, as the README says', () => {
  const { evidence } = JSON.parse(turn)
  evidence.toolRequests.pop()
  writeFileSync(join(folder, 'mended.json'), JSON.stringify({ evidence }))
  expect(premath('harness-join-check', '--input', 'mended.json').status).toBe(0)
})

const sessionAfter = (words: string) =>
  new RegExp(`${words}\n\n\`\`\`\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? ''

/** By a real shell, with `premath` found as an installed one is. */
function pasted(script: string, cwd = folder) {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'premath'), `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`, {
    mode: 0o755,
  })
  return spawnSync('sh', ['-e', '-c', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
  })
}

test('the issue memory session of the README works when pasted', () => {
  const { status, stdout } = pasted(sessionAfter('In a folder of your own:'))
  expect(status).toBe(0)
  expect(stdout.trimEnd().split('\n').at(-2)).toContain('bd-2')
})

test('the step session of the README works when pasted, after it', () => {
  const { status, stdout } = pasted(
    sessionAfter('In the same folder, let any command do one piece of work:'),
  )
  expect(status).toBe(0)
  expect(stdout).toContain('Ready to work')
  expect(stdout).toContain('[completed] harness.step')
})

test('the spec session of the README works when pasted, after that', () => {
  const { status, stdout, stderr } = pasted(
    sessionAfter('In the same folder, have one recorded, look at it and run it:'),
  )
  expect([status, stderr]).toEqual([0, expect.any(String)])
  expect(stdout).toContain('1 passed, 0 failed')
})

test('the instruction session of the README works when pasted, after that', () => {
  const { status, stdout } = pasted(
    sessionAfter('In the same folder, say what an agent is to do, and have it checked:'),
  )
  expect(status).toBe(0)
  expect(stdout).toMatch(/decision +execute/)
  expect(stdout).toMatch(/verdict +accepted/)
})

const hasGit = spawnSync('git', ['--version']).status === 0

test.runIf(hasGit)('the loop session of the README works when pasted into a repository', () => {
  const repository = mkdtempSync(join(tmpdir(), 'premath-readme-'))
  onTestFinished(() => rmSync(repository, { recursive: true }))
  const begin =
    'git init -q . && git config user.name reader && git config user.email reader@localhost && git commit -q --allow-empty -m begin'
  expect(pasted(begin, repository).status).toBe(0)
  const words = 'let two workers go through everything that is ready:'
  const { status, stdout } = pasted(sessionAfter(words), repository)
  expect({ status, stdout }).toMatchObject({ status: 0 })
  expect(stdout).toContain('3 closed, 0 failed, 0 refused, 0 left')
  expect(stdout).toContain('Decision: pass')
  expect(pasted('git worktree list', repository).stdout.trim().split('\n')).toHaveLength(1)
})

test('every other command of the README is one that premath knows', () => {
  const blocks = [...readme.matchAll(/```\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const lines = blocks
    .filter(
      block => !/premath (init|harness-step|harness-loop|instruction-run|spec create)/.test(block),
    )
    .join('')
    .split('\n')
    .filter(line => /^(source <\()?premath /.test(line))
  expect(lines.length).toBeGreaterThan(3)
  writeFileSync(join(folder, 'turns.ndjson'), `${JSON.stringify(JSON.parse(turn))}\n`)
  for (const line of lines) {
    const words = line.replace(/^source <\(|\).*$|\s+#.*$|\s+<.*$/g, '').split(/\s+/)
    const { status, stderr } = premath(...words.slice(1))
    expect({ line, stderr, worked: status === 0 || status === 1 }).toMatchObject({
      stderr: '',
      worked: true,
    })
  }
})

test('the library judges as the README shows', () => {
  const sample = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  // A package may import itself by name, from a file inside it.
  const path = resolve('dist/readme-sample.mjs')
  writeFileSync(path, sample)
  const { stdout, stderr } = spawnSync(process.execPath, [path], { cwd: folder, encoding: 'utf8' })
  rmSync(path)
  expect({ stdout, stderr }).toEqual({
    stdout: "rejected [ 'tool.join_incomplete', 'tool.result_missing' ]\n",
    stderr: '',
  })
})
