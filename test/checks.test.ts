/** The checks of a project: each rule is broken once, in a project of its own. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { docsRules } from '../src/kernel/checks/docs/rules.ts'
import { hygieneRules } from '../src/kernel/checks/hygiene/rules.ts'
import { coherenceObligations } from '../src/project/checks/coherence/obligations.ts'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import {
  CoherenceReport,
  DocsReport,
  DoctrineReport,
  HygieneReport,
} from '../src/wire/checks/check-report.ts'
import { aProject } from './a-project.ts'
import { describeWithGit, gitIn, gitVariables } from './a-repository.ts'
import { envelope, testPolicy } from './an-instruction.ts'

const project = aProject()
const { asked, premath } = project

const shapes = {
  'ci-hygiene-check': HygieneReport,
  'coherence-check': CoherenceReport,
  'docs-coherence-check': DocsReport,
  'doctrine-check': DoctrineReport,
} as const

interface Obligation {
  readonly obligationId: string
  readonly result: string
  readonly failureClasses: readonly string[]
  readonly details: {
    readonly checkedCount: number
    readonly findings: readonly { at: string; message: string; next: string }[]
  }
}

/** The exit code, and the obligations that are rejected. */
function checked(command: keyof typeof shapes, ...args: readonly string[]) {
  const { status, json } = asked([command, ...args])
  mustMatchShape(shapes[command], json)
  const rejected: Obligation[] = json.obligations.filter(
    (one: Obligation) => one.result === 'rejected',
  )
  expect(status).toBe(rejected.length === 0 ? 0 : 1)
  expect(json.result).toBe(rejected.length === 0 ? 'accepted' : 'rejected')
  for (const one of rejected) expect(premath([command]).stdout).toContain(one.obligationId)
  return rejected
}
const rejectedBy = (command: keyof typeof shapes, ...args: readonly string[]) =>
  checked(command, ...args).map(({ obligationId }) => obligationId)

const path = (name: string) => join(project.folder, name)
const text = (name: string) => readFileSync(path(name), 'utf8')
const put = (name: string, content: string | object) => {
  mkdirSync(dirname(path(name)), { recursive: true })
  writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content))
}
const git = (...args: readonly string[]) => gitIn(project.folder, ...args)
const change = (name: string, edit: (text: string) => string) => put(name, edit(text(name)))
const trajectory = '.premath/harness_trajectory.jsonl'
const session = '.premath/harness_session.json'
const rows = () =>
  text(trajectory)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
const writeRows = (all: readonly object[]) =>
  put(trajectory, all.map(row => `${JSON.stringify(row)}\n`).join(''))

/** A project that `premath init` made, and that `premath run` worked in. */
const used = () => join(project.folders, 'used')

const page = `# The project

Run \`premath run\`, then see [the list](docs/list.md#what-is-open) and [here](#the-project).

\`\`\`sh
premath issue list --status open | head
if premath ready --json; then echo "premath nonsense --flag"; fi
premath isue list # exits 2
\`\`\`

\`\`\`console
$ premath issue ready --limit 3
premath prints no command here
\`\`\`
`

beforeAll(() => {
  project.begin()
  git('init', '--quiet', '--initial-branch=main')
  project.done('init')
  put('README.md', page)
  put('docs/list.md', '# List\n\n## What is open?\n\n`premath.coherence.v1` and `list.spec.md`\n')
  put('docs/list.spec.md', '# Cases\n')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Begin')
  for (const title of ['One', 'Two']) project.done('issue', 'add', title)
  const run = ['run', '--no-baseline', '--verify-cmd', 'true']
  const work = 'echo "$PREMATH_ISSUE_ID" > "$PREMATH_ISSUE_ID.txt"'
  const { status } = premath([...run, '--work-cmd', work], { env: gitVariables })
  expect(status).toBe(0)
  cpSync(project.folder, used(), { recursive: true })
})

beforeEach(() => cpSync(used(), project.folder, { recursive: true }))

describeWithGit('a project that was set up and used', () => {
  test.each(['ci-hygiene-check', 'docs-coherence-check', 'coherence-check'] as const)(
    'passes premath %s',
    command => {
      expect(checked(command)).toEqual([])
    },
  )

  test('is looked at, and not only passed', () => {
    const { json } = asked(['coherence-check'])
    const counts = Object.fromEntries(
      json.obligations.map((one: Obligation) => [one.obligationId, one.details.checkedCount]),
    )
    expect(counts).toMatchObject({ trajectory_lines: 2, step_ids: 2, lease_handoffs: 2 })
    expect(counts.trajectory_refs).toBeGreaterThan(6)
    expect(counts.witnesses).toBeGreaterThan(3)
    const docs = asked(['docs-coherence-check']).json.obligations
    expect(docs[0]).toMatchObject({ obligationId: 'unknown_command' })
    expect(docs[0].details.checkedCount).toBe(4)
  })

  test('stays coherent after premath clean, and in a clone', () => {
    rmSync(path('artifacts'), { recursive: true })
    expect(rejectedBy('coherence-check')).toEqual([])
    const clone = path('clone')
    git('add', '--all', '.premath')
    git('commit', '--quiet', '--allow-empty', '--message', 'Memory')
    git('clone', '--quiet', project.folder, clone)
    expect(asked(['coherence-check'], { cwd: clone }).status).toBe(0)
  })
})

/** What breaks each rule of `premath ci-hygiene-check`. */
const unhygienic: Readonly<Record<string, () => void>> = {
  machine_state_tracked() {
    put('.premath/cache/x', '')
    git('add', '--force', '.premath/cache/x')
  },
  ignored_output_tracked() {
    put('artifacts/ciwitness/x.json', '{}')
    git('add', '--force', 'artifacts/ciwitness/x.json')
  },
  private_key_tracked() {
    put('ci.txt', '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n')
    put('quoted.md', 'A key begins with:\n-----BEGIN PRIVATE KEY-----\n')
    git('add', 'ci.txt', 'quoted.md')
  },
  ignore_line_missing() {
    change('.premath/.gitignore', lines => lines.replace('steps/\n', ''))
    // Only this machine has that list.
    appendFileSync(path('.git/info/exclude'), '.premath/steps/\n')
  },
  byte_attribute_missing: () => put('.premath/.gitattributes', '*.md text\n'),
  // No process has such a number.
  draft_left() {
    put('.premath/config.json.tmp.4194305.2', '')
    utimesSync(path('.premath/config.json.tmp.4194305.2'), 1, 1)
  },
  issue_graph: () => void project.done('issue', 'add', '[EPIC] A task'),
  issue_graph_compactness() {
    const about = ['--acceptance', 'It works.', '--description', 'Verification: `npm test`']
    for (const title of ['A', 'B']) project.done('issue', 'add', title, ...about)
    project.done('dep', 'add', 'bd-3', 'bd-1')
  },
}

describeWithGit('premath ci-hygiene-check', () => {
  test('has a fixture for each rule', () => {
    expect(Object.keys(unhygienic)).toEqual(Object.keys(hygieneRules))
  })

  test.each(Object.entries(unhygienic))('finds %s [runtime.9.hygiene]', (rule, spoil) => {
    spoil()
    const found = checked('ci-hygiene-check')
    expect(found.map(({ obligationId }) => obligationId)).toContain(rule)
    const others = found.filter(({ obligationId }) => obligationId !== rule)
    // An issue that is only a title has no acceptance criteria either.
    expect(others.filter(({ obligationId }) => obligationId !== 'issue_graph')).toEqual([])
  })

  test('leaves a record alone that the project tracks and does not ignore', () => {
    change('.premath/.gitignore', lines => lines.replace('harness_trajectory.jsonl\n', ''))
    git('add', trajectory)
    expect(rejectedBy('ci-hygiene-check')).toEqual([])
  })

  test('looks at issues alone outside of a repository', () => {
    rmSync(path('.git'), { recursive: true })
    put('.premath/config.json.tmp.4194305.2', '')
    utimesSync(path('.premath/config.json.tmp.4194305.2'), 1, 1)
    expect(rejectedBy('ci-hygiene-check')).toEqual(['draft_left'])
  })
})

/** A page that breaks each rule of `premath docs-coherence-check`, the finding and the suggestion. */
const incoherent: Readonly<Record<string, readonly [page: string, at: string, next: RegExp]>> = {
  unknown_command: ['Text.\n\n```sh\necho a\npremath isue list\n```\n', 'x.md:5', /premath issue/],
  unknown_flag: ['Call `premath issue list --stauts open`.\n', 'x.md:1', /--status/],
  unknown_kind: ['It writes\n`premath.coherance.v1`.\n', 'x.md:2', /premath\.coherence\.v1/],
  missing_spec: ['See `docs/none.spec.md`.\n', 'x.md:1', /spec create/],
  broken_link: ['# A\n\n[gone](docs/gone.md)\n', 'x.md:3', /path/],
  broken_anchor: ['[list](docs/list.md#what-is-opne)\n', 'x.md:1', /#what-is-open/],
  unread_page: ['\ufffd', 'x.md', /UTF-8/],
}

describeWithGit('premath docs-coherence-check', () => {
  test('has a fixture for each rule', () => {
    expect(Object.keys(incoherent)).toEqual(Object.keys(docsRules))
  })

  test.each(Object.entries(incoherent))(
    'finds %s, with line and suggestion [runtime.9.docs-coherence]',
    (rule, [content, at, next]) => {
      put('x.md', content)
      if (rule === 'unread_page') writeFileSync(path('x.md'), Buffer.from([0xff, 0xfe]))
      const [found, ...others] = checked('docs-coherence-check')
      expect(others).toEqual([])
      expect(found?.obligationId).toBe(rule)
      expect(found?.details.findings).toEqual([
        expect.objectContaining({ at, next: expect.stringMatching(next) }),
      ])
    },
  )

  test('takes pages and folders, and leaves out what it is told', () => {
    put('docs/x.md', '`premath nonsense`')
    expect(rejectedBy('docs-coherence-check', 'README.md')).toEqual([])
    expect(rejectedBy('docs-coherence-check', 'docs')).toEqual(['unknown_command'])
    expect(rejectedBy('docs-coherence-check', '--exclude', 'docs/x.md')).toEqual([])
    const { status, json } = asked(['docs-coherence-check', 'nowhere.md'])
    expect([status, json.error.code]).toEqual([2, 'usage'])
  })

  test('reads no page that git ignores, and all of them without git', () => {
    put('.gitignore', 'drafts/\n')
    put('drafts/x.md', '`premath nonsense`')
    put('node_modules/y/z.md', '`premath nonsense`')
    git('add', '.gitignore')
    put('.gitignore', 'drafts/\nnode_modules/\n')
    expect(rejectedBy('docs-coherence-check')).toEqual([])
    rmSync(path('.git'), { recursive: true })
    expect(rejectedBy('docs-coherence-check')).toEqual(['unknown_command'])
  })
})

const lastWitness = () => {
  const [name = ''] = readdirSync(path('artifacts/ciwitness/verify')).filter(one =>
    /^[0-9a-f]{64}\.json$/.test(one),
  )
  return `artifacts/ciwitness/verify/${name}`
}

/** What breaks each obligation of `premath coherence-check`. */
const torn: Readonly<Record<string, () => void>> = {
  session_refs: () =>
    change(session, text => text.replace('"startedAt"', '"witnessRefs":["w1"],"startedAt"')),
  ledger_refs: () =>
    put('.premath/harness_feature_ledger.json', {
      schema: 1,
      ledgerKind: 'premath.harness.feature_ledger.v1',
      updatedAt: '2026-02-21T00:00:00Z',
      features: [
        {
          featureId: 'f',
          status: 'completed',
          verificationRefs: ['artifacts/none.json'],
          updatedAt: '2026-02-21T00:00:00Z',
        },
      ],
    }),
  trajectory_lines: () => appendFileSync(path(trajectory), '{"schema":1}\n'),
  step_ids() {
    const [first] = rows()
    appendFileSync(path(trajectory), `${JSON.stringify(first)}\n`)
  },
  trajectory_refs() {
    const [step] = readdirSync(path('artifacts/steps')).filter(name => name.startsWith('worker'))
    appendFileSync(path(`artifacts/steps/${step}/record.json`), ' ')
  },
  lease_handoffs() {
    const [row, ...others] = rows()
    const refs = row.witnessRefs.map((ref: string) =>
      ref.startsWith('lease://') ? `${ref.slice(0, -4)}0000` : ref,
    )
    writeRows([{ ...row, witnessRefs: refs }, ...others])
  },
  instruction_refs() {
    const [row, ...others] = rows()
    const refs = ['instruction://20260221T000000Z-none']
    writeRows([{ ...row, instructionRefs: refs }, ...others])
  },
  judged_turns() {
    const [row, ...others] = rows()
    const step = readdirSync(path('artifacts/steps')).find(name => name === row.stepId)
    put(`artifacts/steps/${step}/evidence.ndjson`, '{}\n')
    const evidence = {
      sha256: `sha256:${'0'.repeat(64)}`,
      turns: 1,
      verdictsDigest: `sha256:${'0'.repeat(64)}`,
      joinClosed: true,
    }
    writeRows([{ ...row, sandbox: undefined, evidence }, ...others])
  },
  issues_snapshot: () =>
    change(session, text => text.replace(/"log1_[^"]*"/, `"iss1_${'0'.repeat(64)}"`)),
  spec_refs() {
    put('specs/a.spec.md', '# A\n')
    project.done('issue', 'add', 'Three', '--spec', 'specs/a.spec.md')
    rmSync(path('specs'), { recursive: true })
  },
  witnesses: () => change(lastWitness(), text => text.replace(/"exitCode": ?0/, '"exitCode": 1')),
}

describeWithGit('premath coherence-check', () => {
  test('has a fixture for each obligation', () => {
    expect(Object.keys(torn)).toEqual(Object.keys(coherenceObligations))
  })

  test.each(Object.entries(torn))('finds %s [tusk.14.coherence-check]', (id, spoil) => {
    spoil()
    const found = rejectedBy('coherence-check')
    // The changed witness is also one that a step names.
    expect(found).toEqual(id === 'witnesses' ? ['trajectory_refs', 'witnesses'] : [id])
  })

  test('finds a changed proof, and a file that is missing in a folder of outputs', () => {
    const folder = path('.premath/proofs/bd-1')
    const [name = ''] = readdirSync(folder)
    change(`.premath/proofs/bd-1/${name}`, text => text.replace('"bd-1"', '"bd-9"'))
    expect(rejectedBy('coherence-check')).toContain('witnesses')
    const [step] = readdirSync(path('artifacts/steps')).filter(one => one.startsWith('worker'))
    rmSync(path(`artifacts/steps/${step}/record.json`))
    expect(rejectedBy('coherence-check')).toContain('trajectory_refs')
  })

  test('reports a session that cannot be read', () => {
    put(session, '{')
    expect(rejectedBy('coherence-check')).toEqual(['session_refs'])
  })

  test('knows a session whose snapshot issue memory had before', () => {
    project.done('harness-session', 'write', '--state', 'active', '--summary', 'S')
    expect(JSON.parse(text(session)).issuesSnapshotRef).toMatch(/^iss1_/)
    project.done('issue', 'add', 'Later')
    expect(rejectedBy('coherence-check')).toEqual([])
  })

  test('writes nothing', () => {
    const before = text(trajectory) + text(session) + text('.premath/issues.jsonl')
    checked('coherence-check')
    expect(text(trajectory) + text(session) + text('.premath/issues.jsonl')).toBe(before)
  })
})

describe('premath doctrine-check in a project', () => {
  const registry = '.premath/capability-registry.json'
  const given = '20260221T000000Z-wiring'
  const withInstruction = (change: object = {}) => {
    put('policies/instruction/test-v1.json', testPolicy)
    put(`instructions/${given}.json`, { ...envelope, ...change })
    put('.premath/checks.json', {
      schema: 1,
      checksKind: 'premath.checks.v1',
      checks: { 'hk-check': 'premath issue check' },
    })
  }
  /** The rules about the project itself. */
  const own = ['claim', 'instruction', 'check_command']
  const found = () => rejectedBy('doctrine-check').filter(id => own.includes(id))

  test('accepts claims, instructions and checks that premath knows', () => {
    withInstruction()
    put(registry, { executableCapabilities: ['capabilities.change_morphisms'] })
    expect(found()).toEqual([])
  })

  test.each<readonly [rule: string, spoil: () => void]>([
    ['claim', () => put(registry, { executableCapabilities: ['capabilities.telepathy'] })],
    ['claim', () => put(registry, { profileOverlayClaims: ['profile.none.v0'] })],
    ['instruction', () => withInstruction({ policyDigest: 'pol1_none' })],
    [
      'instruction',
      () => withInstruction({ capabilityClaims: ['capabilities.change_morphisms.issue_fly'] }),
    ],
    ['check_command', () => withInstruction({ requestedChecks: ['conformance-run'] })],
    [
      'check_command',
      () => {
        withInstruction()
        change('.premath/checks.json', text => text.replace('issue check', 'issue chekc'))
      },
    ],
  ])('finds %s [runtime.9.doctrine]', (rule, spoil) => {
    spoil()
    expect(found()).toEqual([rule])
  })
})

describeWithGit('this repository', () => {
  test.each(Object.keys(shapes))('passes premath %s', command => {
    const { status, json } = asked([command], { cwd: process.cwd() })
    const rejected = json.obligations.filter((one: Obligation) => one.result === 'rejected')
    expect({ status, rejected }).toEqual({ status: 0, rejected: [] })
    // Runs of its specs leave a cache, which git ignores. A check leaves nothing.
    expect(
      readdirSync('.premath')
        .filter(name => name !== 'cache')
        .toSorted(),
    ).toEqual(['.gitignore', 'required-checks.json'])
  })
})
