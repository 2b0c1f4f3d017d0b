/** Every command finds its project once, and reads policy, registry and configuration once. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { retryPolicyPath } from '../src/kernel/harness/retry/retry-policy.ts'
import { decompositionPolicyKind } from '../src/kernel/harness/run/decomposition-policy.ts'
import { SimDisk } from '../src/testing/sim-disk.ts'
import { SimProcesses, type SimScript } from '../src/testing/sim-processes.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import type { CommandSpec, Files } from '../src/world/world.ts'
import { evidence, governanceProfileId } from './a-turn.ts'
import { checkedOperations } from './checked-answers.ts'

const lines = (values: readonly object[]) => values.map(row => `${JSON.stringify(row)}\n`).join('')
const policy = (mode: string) => JSON.stringify({ schema: 1, surfaces: { cli: { mode } } })
const policyPath = '/p/.premath/policy.json'
const configPath = '/p/.premath/config.json'
const registryPath = '/p/.premath/capability-registry.json'

const spec = `# A spec

\`\`\`yaml spec-test
id: X-1
title: a file
type: text.file
path: /x.txt
assert:
- target: text
  must:
  - contain: [x]
\`\`\`
`

/** Commands run in a folder of the project, so that every search has to walk up. */
const folder = '/p/sub'

const files = {
  '/p/.premath/issues.jsonl': lines([
    { id: 'a', title: 'A' },
    { id: 'c', title: 'C' },
    { id: 'b', title: 'B', dependencies: [{ issue_id: 'b', depends_on_id: 'a', type: 'blocks' }] },
  ]),
  [policyPath]: policy('open'),
  [registryPath]: '{}',
  [configPath]: '{ "workers": 1 }',
  [`/p/${retryPolicyPath}`]: readFileSync(retryPolicyPath, 'utf8'),
  [`/p/${decompositionPolicyKind.path}`]: readFileSync(decompositionPolicyKind.path, 'utf8'),
  [`${folder}/x.spec.md`]: spec,
  [`${folder}/x.txt`]: 'x\n',
  [`${folder}/policy.json`]: policy('open'),
  [`${folder}/turn.json`]: JSON.stringify({ evidence: evidence([]) }),
  [`${folder}/more.jsonl`]: lines([{ id: 'y', title: 'Y' }]),
  [`${folder}/none.jsonl`]: '',
  [`${folder}/question.json`]: '{}',
  [`${folder}/paths.json`]: '{"changedPaths":["a"]}',
  [`${folder}/program.scm`]: '(issue.ready)',
  [`${folder}/20260221T000000Z-fix.json`]: '{}',
}

interface Reads {
  readonly exit: number
  readonly printed: string
  /** The reads of issue memory, at the end. */
  readonly rows: string
  /** Walks from the working folder upwards. */
  readonly searches: number
  readonly policyReads: number
  readonly registryReads: number
  readonly configReads: number
}

type Script = (command: CommandSpec, disk: SimDisk) => SimScript

const passing: Script = () => ({ exitCode: 0 })

async function readsOf(line: string, script = passing, env = {}): Promise<Reads> {
  const disk = new SimDisk({ files })
  const processes = new SimProcesses({ disk, script: command => script(command, disk) })
  const world = simWorld({ disk, processes, cwd: folder, env: { NO_COLOR: '1', ...env } })
  const [asked, read]: [string[], string[]] = [[], []]
  const counting: Files = {
    ...world.files,
    async kindOf(path) {
      asked.push(path)
      return await world.files.kindOf(path)
    },
    async readIfPresent(path) {
      read.push(path)
      return await world.files.readIfPresent(path)
    },
  }
  const words = line.split(' ').filter(Boolean)
  const exit = await runCommand(words, checkedOperations, { ...world, files: counting })
  const count = (paths: readonly string[], path: string) => paths.filter(one => one === path).length
  return {
    exit,
    printed: world.printed.out + world.printed.err,
    rows: new TextDecoder().decode(disk.contentOf('/p/.premath/issues.jsonl')),
    searches: Math.max(count(asked, `${folder}/.premath`), count(asked, `${folder}/.git`)),
    policyReads: count(read, policyPath),
    registryReads: count(read, registryPath),
    configReads: count(read, configPath),
  }
}

interface Asked {
  readonly args?: string
  /** Changes that come after a command or an agent had time to edit policy and registry. */
  readonly passages?: number
  /** Asks the policy who may change issues. */
  readonly door?: true
  /** Needs a setting. */
  readonly config?: true
  readonly exit?: number
}

const door = (args = '', passages = 0): Asked => ({ args, passages, door: true })
const work = '--work-cmd w --verify-cmd v'

const commands: Readonly<Record<string, Asked>> = {
  clean: { config: true },
  'coherence-check': {},
  'docs-coherence-check': {},
  'doctrine-check': {},
  'config set': { args: 'workers 2', config: true },
  'config show': { config: true },
  'dep add': door('c a'),
  'dep diagnostics': {},
  'dep project': {},
  'dep remove': door('b a'),
  'dep replace': door('b a --to-type related'),
  'dep tree': {},
  doctor: { ...door('--fix'), config: true },
  'governance-promotion-check': { args: '--input question.json' },
  'harness-boot': { ...door(), config: true },
  'harness-escalate': {
    args: '--scope s --failure-class flaky_io --attempt 3',
    door: true,
    // Two issues are ready.
    exit: 1,
  },
  'harness-feature check': { exit: 2 },
  'harness-feature next': {},
  'harness-feature read': { exit: 2 },
  'harness-feature write': { args: '--feature-id f --status pending' },
  'harness-join-check': { args: '--input turn.json --write-witness' },
  'harness-kpi': {},
  'harness-kpi remediate': { args: '--reason r' },
  'harness-loop worker': { ...door(`--max-steps 1 ${work}`, 3), config: true },
  'harness-retry': { args: '--failure-class flaky_io --attempt 1' },
  'harness-session bootstrap': {},
  'harness-session read': { exit: 2 },
  'harness-session write': {},
  'harness-step': { ...door(`--issue a ${work}`, 3), config: true },
  'harness-stop': { ...door(), config: true },
  'harness-trajectory append': { args: '--step-id s --action x --result-class completed' },
  'harness-trajectory query': {},
  init: {},
  'instruction-check': { args: '--instruction 20260221T000000Z-fix.json', exit: 2 },
  'instruction new': { args: '--issue a', exit: 2 },
  'instruction-run': { args: '--instruction 20260221T000000Z-fix.json', exit: 2 },
  'instruction-witness': {
    args: '--instruction 20260221T000000Z-fix.json --runtime question.json',
    exit: 2,
  },
  'issue add': door('New'),
  'issue backend-status': { args: `--repo ${folder}` },
  'issue blocked': {},
  'issue check': { exit: 1 },
  'issue claim': door('a --assignee me'),
  'issue claim-next': door('--assignee me'),
  'issue close': door('a --verify-cmd v', 1),
  'issue comment': door('a Said'),
  'issue compact': door(),
  'issue discover': door('a New'),
  'issue export': {},
  'issue import': door('more.jsonl'),
  'issue lease-projection': {},
  'issue lease-release': door('a'),
  'issue lease-renew': { args: 'a --assignee me --lease-id l --fence 1', door: true, exit: 1 },
  'issue list': {},
  'issue migrate-events': door(),
  'issue ready': {},
  'issue replay-events': { args: '--events none.jsonl', door: true, exit: 1 },
  'issue show': { args: 'a' },
  'issue update': door('a --status closed --verify-cmd v', 1),
  'issue-graph-check': { args: '--fix', door: true, exit: 1 },
  log: {},
  'merge-driver': { args: 'more.jsonl none.jsonl more.jsonl' },
  observe: { exit: 2 },
  'observe-build': {},
  'policy check': { args: '--input policy.json' },
  'policy restore': { exit: 1 },
  'policy set': { args: '--input policy.json --reason r', exit: 1 },
  'policy show': {},
  prime: {},
  repl: {},
  'required-projection': { args: '--input paths.json', exit: 2 },
  'resident status': {},
  'resident stop': {},
  'scheme-eval': { args: '--program program.scm' },
  'spec conform': { args: '--root /p/sub', config: true, exit: 1 },
  'spec explain': { args: 'X-1 --root /p/sub', config: true },
  'spec format': { args: '--check --root /p/sub', config: true },
  'spec lint': { args: '--root /p/sub', config: true },
  'spec list': { args: '--root /p/sub', config: true },
  'spec run': { args: 'x.spec.md --root /p/sub' },
  'spec update': { args: '--root /p/sub', config: true },
  status: {},
  verify: { args: '--root /p/sub', config: true },
  uninit: { args: '--yes' },
  'trust list': {},
  'witness export': { args: 'a', exit: 1 },
  'witness list': {},
  'witness show': { args: 'a', exit: 1 },
  'witness verify': { args: '--all' },
}

/** Commands that are counted elsewhere or need no project, and why. */
const others: Readonly<Record<string, string>> = {
  'ci-hygiene-check': 'needs git',
  'ci-instruction': 'is instruction-run with a summary, which needs an accepted instruction',
  'ci-pipeline-test': 'runs several commands',
  'ci-required': 'needs git',
  'mcp-serve': 'opens the project for each call, as the command of that call does',
  'required-decision-verify': 'reads its input alone',
  'required-delta': 'needs git',
  'required-gate-ref': 'reads its input alone',
  'required-witness': 'reads its input alone',
  'required-witness-decide': 'reads its input before the project, as required-projection does',
  'required-witness-verify': 'reads its input before the project, as required-projection does',
  'resident serve': 'opens the project for each question, as the command of that question does',
  'conformance run': 'runs vectors, which lie in no project',
  'harness-loop coordinator': 'needs git worktrees; one worker of it is counted below',
  'harness-relocation check': 'needs the inputs of another location',
  land: 'needs git worktrees, as the loop with several workers',
  'land revert': 'needs git worktrees, as the loop with several workers',
  'land status': 'needs git',
  run: 'needs git worktrees; one worker of it is counted below',
  'observe-serve': 'opens the project again for each change; observe-build counts one',
  'proposal-check': 'reads its input alone',
  schema: 'prints what premath brings',
  'spec create': 'writes a spec alone',
  'trust add': 'reads a key and the list of keys alone',
  'trust remove': 'writes the list of keys alone',
  'witness keygen': 'writes keys beside the settings of a person',
}

test('every command is counted, or is listed with a reason', () => {
  expect(Object.keys({ ...commands, ...others }).toSorted()).toEqual(
    Object.keys(checkedOperations).toSorted(),
  )
})

test.each(Object.entries(commands))('%s', async (command, asked) => {
  const { args = '', passages = 0, exit = 0 } = asked
  const reads = await readsOf(`${command} ${args}`)
  expect([reads.exit, reads.printed]).toEqual([exit, reads.printed])
  expect(reads.searches).toBe(1)
  expect(reads.configReads).toBe(asked.config ? 1 : 0)
  const { policyReads, registryReads } = reads
  const most = 1 + passages
  if (asked.door) expect([policyReads, registryReads]).toEqual([most, most])
  else expect([policyReads <= 1, registryReads <= 1]).toEqual([true, true])
})

describe('a policy or registry that changes while a command runs', () => {
  const writing =
    (path: string, content: string): Script =>
    ({ command }, disk) => ({
      exitCode: 0,
      // The work changes it, or the command that verifies without a step before it.
      effect: async () => {
        if (command === 'w') await disk.replaceLoosely(path, new TextEncoder().encode(content))
      },
    })
  const hashed = JSON.stringify({ ...JSON.parse(policy('open')), ids: 'hash' })
  const governed = JSON.stringify({ profileOverlayClaims: [governanceProfileId] })

  test.each([
    ['closes the door', policyPath, policy('instruction-linked'), 'takes changes only under'],
    ['is another one', policyPath, hashed, 'mutation.policy_digest_mismatch'],
    ['claims governance', registryPath, governed, 'governance.'],
  ])('refuses the close of a step if it %s', async (_, path, content, why) => {
    const step = `harness-step --issue a ${work}`
    const { exit, printed, rows } = await readsOf(step, writing(path, content))
    expect([exit, printed]).toEqual([1, expect.stringContaining(why)])
    expect(rows).not.toContain('"closed"')
  })

  test('refuses the close after a verification', async () => {
    const line = 'issue update a --status closed --verify-cmd w'
    const closed = writing(policyPath, policy('instruction-linked'))
    const { exit, printed, rows } = await readsOf(line, closed)
    expect([exit, printed]).toEqual([1, expect.stringContaining('takes changes only under')])
    expect(rows).not.toContain('"closed"')
  })

  test('is read again for every claim and every close of a loop', async () => {
    const loop = await readsOf(`harness-loop worker --max-steps 2 ${work}`)
    expect([loop.exit, loop.searches]).toEqual([0, 1])
    expect([loop.policyReads, loop.registryReads]).toEqual([7, 7])
  })

  test('binds the later steps of a loop', async () => {
    const { exit, printed, rows } = await readsOf(
      `harness-loop worker --max-steps 2 ${work}`,
      writing(policyPath, hashed),
    )
    expect([exit, printed]).toEqual([1, expect.stringContaining('mutation_not_granted')])
    expect(rows.match(/"status":"closed"/g)).toHaveLength(1)
  })
})
