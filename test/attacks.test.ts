/**
 * Work that tries to close its issue without doing it: in steps, in runs, and by an agent with a shell.
 * No attack puts the greeting where the issue asks for it, so every close is unearned. `npm run torture`
 * tries each with the sandbox and without; `npm test` tries every fourth once.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { LandingProject } from './a-landing-project.ts'
import { premathInShell } from './a-loop.ts'
import { testPolicy } from './an-instruction.ts'
import { id, instructionPath } from './an-instruction-project.ts'
import { type Attack, attacks } from './attacks.ts'
import { isSandboxed } from './bubblewrap.ts'
import { otherSurfaces, type SurfaceName } from './call-surfaces.ts'
import { checks, closingTurn, instruction, turnContext } from './mutation-surfaces.ts'
import { scriptSurface } from './script-surface.ts'
import { inTurn, isTorture } from './sim/seeded.ts'

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

const textOf = (work: string, { root }: LandingProject, premath: string) =>
  work.replaceAll('PREMATH ', `${premath} `).replaceAll('ROOT', root)

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

/** Tries the work of an attack, and returns what was printed. */
type Way = (project: LandingProject, work: string, sandbox: string) => Promise<string>

const scriptOf = (project: LandingProject, work: string, premath = premathInShell) =>
  project.script('attack', `#!/bin/sh\nexec 2>&1\n${textOf(work, project, premath)}\n`)

/** Work of the harness. */
const byHarness =
  (...args: readonly string[]): Way =>
  async (project, work, sandbox) => {
    const script = scriptOf(project, work)
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
const inShell: Way = async (project, work, sandbox) => {
  const env = givenToAgent(project, sandbox)
  const text = `. ${scriptOf(project, work)}; cd '${project.root}'; ${premathInShell} close bd-1 --json`
  return await shell(text, project.root, env)
}

/** By what right the agent asks: anybody may, or only under an instruction, which it has. */
type Right = 'open' | 'instruction-linked'

const surfacesOf = (mode: Right) => ({ cli: { mode }, mcp: { mode } })

function givenRight(project: LandingProject, right: Right, sandbox: string): NodeJS.ProcessEnv {
  const put = (path: string, value: object) => {
    mkdirSync(dirname(project.at(path)), { recursive: true })
    writeFileSync(project.at(path), JSON.stringify(value))
  }
  for (const words of turnContext) project.premath(words)
  put('.premath/policy.json', { schema: 1, surfaces: surfacesOf(right) })
  put('.premath/checks.json', checks)
  put('policies/instruction/test-v1.json', testPolicy)
  put(instructionPath, instruction)
  project.git('-C', project.root, 'add', 'policies', 'instructions')
  const env = givenToAgent(project, sandbox)
  if (right === 'open') return env
  project.premath(['instruction-run', '--instruction', instructionPath])
  put('artifacts/turn.json', closingTurn(project.asked('prime').json.mutationPolicyDigest))
  const flags = ['--write-witness', '--instruction', id]
  project.premath(['harness-join-check', '--input', 'artifacts/turn.json', ...flags])
  return { ...env, PREMATH_INSTRUCTION_ID: id }
}

/** The same, and every command line that has a tool or a host function is asked on the surface. */
const onSurface =
  (name: SurfaceName, right: Right): Way =>
  async (project, work, sandbox) => {
    const env = givenRight(project, right, sandbox)
    const { premath, told, close } = await scriptSurface(name, project.folder)
    const text = `. ${scriptOf(project, work, premath)}; cd '${project.root}'; ${premath} close bd-1`
    await shell(text, project.root, env)
    await settled(project)
    await close()
    return masked(JSON.stringify(told), project)
  }

/** Another project has other paths, commits and moments. */
const masked = (text: string, { folder }: LandingProject) =>
  text
    .replaceAll(folder, 'FOLDER')
    .replaceAll(/[0-9a-f]{40,}/g, '<digest>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')

/** What became of the attack: the failure classes, or the command that found it. */
async function outcome({ work }: Attack, way: Way, sandbox: string) {
  const project = aProject()
  try {
    const printed = await way(project, work, sandbox)
    await settled(project)
    if (project.ids('closed').length > 0) {
      return { found: finderOf(project) ?? 'WENT THROUGH', printed }
    }
    const classes = [...printed.matchAll(/"(?:failureClasses|code)": ?(\[[^\]]*\]|"\w+")/g)]
      .flatMap(([, list = '']) => [...list.matchAll(/"([\w.]+)"/g)])
      .map(([, name = '']) => name)
    return { found: [...new Set(classes)].toSorted().join(', ') || 'not closed', printed }
  } finally {
    project.remove()
  }
}

/** A program changes nothing without an instruction, whatever the policy says. */
const rightOn = (name: SurfaceName): Right => (isMcp(name) ? 'open' : 'instruction-linked')
const isMcp = (name: SurfaceName) => name.startsWith('MCP')

const ways: Readonly<Record<string, Way>> = {
  step: byHarness('harness-step'),
  run: byHarness('run', '--workers', '1', '--max-failures', '1', '--no-baseline'),
  shell: inShell,
  ...Object.fromEntries(
    otherSurfaces.map(name => [`shell on ${name}`, onSurface(name, rightOn(name))]),
  ),
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

/** Each attack in each way; in `npm test` every fourth one, in one way each, in turn. */
const cases = attacks.flatMap((attack, at) => {
  const own = everyWay.filter(({ name }) => isFor(attack, name))
  return own
    .filter((_, which) => isTorture || (at % 4 === 0 && which === (at / 4) % own.length))
    .map(way => ({ ...way, what: attack.name, attack }))
})

test.concurrent.each(cases)(
  'in a $name with the sandbox $sandbox, work that $what',
  async ({ attack, name, way, sandbox }) => {
    const { found } = await outcome(attack, way, sandbox)
    mustHold(found, attack, name, sandbox)
  },
)

const closing = attacks.filter(({ by, only }) => by === 'careless' && only !== 'step')
const rights = ['open', 'instruction-linked'] as const

/** Each attack on each surface, or on one, in turn. */
const compared = closing.flatMap((attack, at) => {
  const all = rights.flatMap(right =>
    otherSurfaces
      .filter(name => isMcp(name) || right === 'instruction-linked')
      .map(name => ({ what: attack.name, name, right, attack })),
  )
  return inTurn(all, at)
})

test.concurrent.each(isTorture ? compared : compared.filter((_, at) => at % 16 === 0))(
  '[surfaces.7.attacks] on $name under the policy $right, work that $what is refused in the words of the command line',
  async ({ attack, name, right }) => {
    const direct = await outcome(attack, onSurface('the command line', right), 'off')
    const { printed } = await outcome(attack, onSurface(name, right), 'off')
    expect(withoutSurface(printed)).toEqual(withoutSurface(direct.printed))
  },
)

/** A refusal by the policy names the surface, and how an instruction is given there. */
const withoutSurface = (printed: string) =>
  JSON.parse(
    printed
      .replaceAll(/from (?:MCP|the command line), issue memory/g, 'issue memory')
      .replaceAll(/ Then (?:pass --instruction|give its id as instructionId)[^"]*/g, ''),
  )
