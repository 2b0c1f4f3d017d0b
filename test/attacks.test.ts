/**
 * Work that tries to close its issue without doing it, in steps and in runs. No attack puts the
 * greeting where the issue asks for it, so every close is unearned. `npm run torture` tries each
 * with the sandbox and without; `npm test` tries each once.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LandingProject } from './a-landing-project.ts'
import { premathInShell } from './a-loop.ts'
import { type Attack, attacks } from './attacks.ts'
import { isTorture } from './sim/seeded.ts'

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', 'true']).status === 0
if (!works) console.log('skipped: attacks in the sandbox, because bubblewrap is missing here')

const spec = `# A greeting

\`\`\`yaml spec-test
id: GREETS
type: cli.run
harness: {entrypoint: cat greeting.txt}
argv: []
assert:
- target: stdout
  must:
  - contain: [hello]
\`\`\`
`

const files = {
  'check.sh': '. ./lib.sh\ngrep -q hello greeting.txt\n',
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

/** What became of the attack: the failure classes, or the command that found it. */
async function outcome({ work }: Attack, way: readonly string[], sandbox: string): Promise<string> {
  const project = aProject()
  try {
    const script = project.script('attack', `#!/bin/sh\nexec 2>&1\n${textOf(work, project)}\n`)
    const commands = ['--work-cmd', script, '--verify-cmd', 'sh check.sh', '--sandbox', sandbox]
    const env = { HOME: join(project.folder, 'home') }
    const { stdout } = await project.start([...way, ...commands, '--json'], { env }).ended
    await settled(project)
    if (project.ids('closed').length > 0) return finderOf(project) ?? 'WENT THROUGH'
    const classes = [...stdout.matchAll(/"failureClasses": ?\[([^\]]*)\]/g)]
      .flatMap(([, list = '']) => [...list.matchAll(/"([\w.]+)"/g)])
      .map(([, name = '']) => name)
    return [...new Set(classes)].toSorted().join(', ') || 'not closed'
  } finally {
    project.remove()
  }
}

const ways = {
  step: ['harness-step'],
  run: ['run', '--workers', '1', '--max-failures', '1', '--no-baseline'],
} as const

/** As SECURITY.md promises for this adversary. */
function mustHold(found: string, { by }: Attack, sandbox: string): void {
  expect(found).not.toBe('WENT THROUGH')
  if (sandbox === 'require' || by === 'careless') expect(found).not.toMatch(/^found/)
}

const everyWay = Object.entries(ways).flatMap(([name, way]) =>
  ['off', ...(works ? ['require'] : [])].map(sandbox => ({ name, way, sandbox })),
)

/** Each attack in each way, or in one way each, in turn. */
const cases = attacks.flatMap((attack, at) =>
  everyWay
    .filter((_, which) => isTorture || which === at % everyWay.length)
    .map(way => ({ ...way, what: attack.name, attack })),
)

test.concurrent.each(cases)(
  'in a $name with the sandbox $sandbox, work that $what',
  async ({ attack, way, sandbox }) => {
    mustHold(await outcome(attack, way, sandbox), attack, sandbox)
  },
)
