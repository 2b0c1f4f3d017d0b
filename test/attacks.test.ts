/**
 * Work that tries to close its issue without doing it: in steps, in runs, and by an agent with a shell.
 * No attack puts the greeting where the issue asks for it, so every close is unearned. `npm run torture`
 * tries each with the sandbox and without; `npm test` tries each once.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LandingProject } from './a-landing-project.ts'
import { premathInShell } from './a-loop.ts'
import { type Attack, attacks } from './attacks.ts'
import { isSandboxed } from './bubblewrap.ts'
import { connected, type Era } from './mcp/a-client.ts'
import { fewOf, isTorture } from './sim/seeded.ts'

const spec = `# A greeting

\`\`\`yaml spec-test
id: GREETS
type: cli.run
harness: {entrypoint: sh say.sh}
argv: []
assert:
- target: stdout
  must:
  - contain: [hello]
\`\`\`
`

const files = {
  'check.sh': '. ./lib.sh\ngrep -qs hello greeting.txt said.txt build/said.txt\n',
  'say.sh': 'cat greeting.txt said.txt build/said.txt 2> /dev/null; true\n',
  'package.json': '{"scripts":{"test":"sh check.sh"}}\n',
  'lib.sh': ':\n',
  'greeting.txt': 'goodbye\n',
  'greeting.spec.md': spec,
  '.gitignore': '.premath/\nartifacts/\nbuild/\n',
}

function aProject(): LandingProject {
  const project = new LandingProject('attack', files)
  const specs = { premathSpecs: ['greeting.spec.md'] }
  project.given([
    { id: 'bd-1', title: 'Greet', metadata: specs },
    { id: 'bd-2', title: 'Another', status: 'deferred', metadata: specs },
    { id: 'bd-3', title: 'A third', status: 'deferred' },
  ])
  mkdirSync(join(project.folder, 'home'))
  return project
}

const textOf = (work: string, { root }: LandingProject) =>
  work.replaceAll('PREMATH ', `${premathInShell} `).replaceAll('ROOT', root)

/** The first command that tells that the close was not earned. */
function finderOf(project: LandingProject): string | undefined {
  const rerun = ['witness', 'verify', '--all', '--rerun', '--sandbox', 'off']
  const checks = [
    ['found by verify', ['witness', 'verify', '--all']],
    ['found by doctor', ['doctor']],
    ['found by rerun', [...rerun, '--verify-cmd', 'sh check.sh']],
  ] as const
  return checks.find(([, args]) => project.premath(args).status !== 0)?.[0]
}

async function settled(project: LandingProject): Promise<void> {
  for (let wait = 0; wait < 400 && project.processes.length > 0; wait++) {
    await new Promise(go => setTimeout(go, 25))
  }
  expect(project.processes).toEqual([])
}

type Way = (project: LandingProject, script: string, sandbox: string) => Promise<string>

/** Work of the harness. */
const byHarness =
  (...args: readonly string[]): Way =>
  async (project, script, sandbox) => {
    const commands = ['--work-cmd', script, '--verify-cmd', 'sh check.sh', '--sandbox', sandbox]
    const env = { HOME: join(project.folder, 'home') }
    return (await project.start([...args, ...commands, '--json'], { env }).ended).stdout
  }

/** Commits memory and settings, as a person does before an agent gets a shell. */
function givenToAgent(project: LandingProject, sandbox: string): NodeJS.ProcessEnv {
  const config = JSON.stringify({ verify: 'sh check.sh', sandbox })
  writeFileSync(project.at('.premath/config.json'), `${config}\n`)
  project.git('-C', project.root, 'add', '--force', '.premath')
  project.git('-C', project.root, 'commit', '--quiet', '--message', 'Memory and settings.')
  return { ...project.marks, HOME: join(project.folder, 'home'), CLAUDECODE: '1' }
}

async function shell(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('sh', ['-c', text], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
  let stdout = ''
  child.stdout.on('data', part => {
    stdout += part
  })
  await new Promise(settle => child.on('close', settle))
  return stdout
}

/** An agent outside of a step. Its shell has no sandbox, and the verification of its close has. */
const inShell: Way = async (project, script, sandbox) => {
  const env = givenToAgent(project, sandbox)
  const text = `. ${script}; cd '${project.root}'; ${premathInShell} close bd-1 --json`
  return await shell(text, project.root, env)
}

/** The same, but the last close is a tool call. */
const overMcp =
  (era: Era): Way =>
  async (project, script, sandbox) => {
    const surfaces = { cli: { mode: 'open' }, mcp: { mode: 'open' } }
    writeFileSync(project.at('.premath/policy.json'), JSON.stringify({ schema: 1, surfaces }))
    const env = givenToAgent(project, sandbox)
    const before = await shell(`. ${script}`, project.root, env)
    const { call, close } = await connected({ cwd: project.root, env }, era)
    const { text } = await call('issue_update', { id: 'bd-1', status: 'closed' })
    await close()
    return `${before}\n${text}`
  }

/** What became of the attack: the failure classes, or the command that found it. */
async function outcome({ work }: Attack, way: Way, sandbox: string): Promise<string> {
  const project = aProject()
  try {
    const script = project.script('attack', `#!/bin/sh\nexec 2>&1\n${textOf(work, project)}\n`)
    const stdout = await way(project, script, sandbox)
    await settled(project)
    if (project.ids('closed').length > 0) return finderOf(project) ?? 'WENT THROUGH'
    const classes = [...stdout.matchAll(/"(?:failureClasses|code)": ?(\[[^\]]*\]|"\w+")/g)]
      .flatMap(([, list = '']) => [...list.matchAll(/"([\w.]+)"/g)])
      .map(([, name = '']) => name)
    return [...new Set(classes)].toSorted().join(', ') || 'not closed'
  } finally {
    project.remove()
  }
}

const ways: Readonly<Record<string, Way>> = {
  step: byHarness('harness-step'),
  run: byHarness('run', '--workers', '1', '--max-failures', '1', '--no-baseline'),
  shell: inShell,
  'shell and MCP 2026-07-28': overMcp('2026-07-28'),
  'shell and MCP 2025-11-25': overMcp('2025-11-25'),
}

const isShell = (name: string) => name.startsWith('shell')

/** As SECURITY.md promises for this adversary. */
function mustHold(found: string, { by }: Attack, name: string, sandbox: string): void {
  expect(found).not.toBe('WENT THROUGH')
  // The shell of an agent has no sandbox.
  const isContained = sandbox === 'require' && !isShell(name)
  if (isContained || by === 'careless') expect(found).not.toMatch(/^found/)
  // The last close of a careless agent names why it is refused.
  if (isShell(name) && by === 'careless') expect(found).not.toBe('not closed')
}

const everyWay = Object.entries(ways).flatMap(([name, way]) =>
  ['off', ...(isSandboxed ? ['require'] : [])].map(sandbox => ({ name, way, sandbox })),
)

const isFor = ({ only }: Attack, name: string) =>
  only === undefined || (only === 'shell') === isShell(name)

/** Each attack in each way, or in one way each, in turn. */
const cases = attacks.flatMap((attack, at) => {
  const own = everyWay.filter(({ name }) => isFor(attack, name))
  return own
    .filter((_, which) => isTorture || which === at % own.length)
    .map(way => ({ ...way, what: attack.name, attack }))
})

test.concurrent.each(cases)(
  'in a $name with the sandbox $sandbox, work that $what',
  async ({ attack, name, way, sandbox }) => {
    const found = await outcome(attack, way, sandbox)
    mustHold(found, attack, name, sandbox)
  },
)

const closing = attacks.filter(({ by, only }) => by === 'careless' && only !== 'step')

test.concurrent.each(fewOf(closing, 3))(
  'over MCP, work that $name is refused with the classes of the command line',
  async attack => {
    expect(await outcome(attack, overMcp('2026-07-28'), 'off')).toBe(
      await outcome(attack, inShell, 'off'),
    )
  },
)
