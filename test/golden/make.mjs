/**
 * Makes a golden project: a folder that one version of premath wrote, and its answers about it.
 *
 *   node test/golden/make.mjs <main.cjs of that version> test/golden/<version>
 *
 * Run it once for each released version, with the build of that version, and commit the folder.
 * Never run it again for a version that has one: `test/golden.test.ts` holds every later version to
 * these bytes. README.md in this folder says how they are stored.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const [command, target] = process.argv.slice(2).map(path => resolve(path))
if (!command || !target) throw new Error('usage: make.mjs <main.cjs> <folder to write>')
if (existsSync(target)) throw new Error(`${target} exists: a golden project is made once`)

const folders = realpathSync(mkdtempSync(join(tmpdir(), 'premath-golden-')))
const root = join(folders, 'project')
const env = {
  PATH: process.env.PATH,
  HOME: folders,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  TZ: 'UTC',
}

const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  })

const run = args =>
  spawnSync(process.execPath, [command, ...args], { cwd: root, env, encoding: 'utf8' })

/** Runs a command that must end with this exit code. */
function premath(exitCode, ...args) {
  const { status, stdout, stderr } = run([...args, '--json'])
  if (status === exitCode) return stdout === '' ? undefined : JSON.parse(stdout)
  throw new Error(`premath ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`)
}

function write(path, content) {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content)}\n`)
}

const sha256 = text => createHash('sha256').update(text).digest('hex')

/** JSON with sorted keys and no spaces. */
const canonical = value =>
  JSON.stringify(value, (_, member) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )

const retryPolicy = {
  schema: 1,
  policyKind: 'ci.harness.retry.policy.v1',
  policyId: 'golden.retry.v1',
  defaultRule: { maxAttempts: 1, backoffClass: 'none', escalationAction: 'stop' },
  rules: [
    {
      ruleId: 'flaky',
      failureClasses: ['flaky_io'],
      maxAttempts: 3,
      backoffClass: 'none',
      escalationAction: 'issue_discover',
    },
    {
      ruleId: 'wrong',
      failureClasses: ['check_failed'],
      maxAttempts: 1,
      backoffClass: 'none',
      escalationAction: 'mark_blocked',
    },
  ],
}

const checks = {
  schema: 1,
  checksKind: 'premath.checks.v1',
  checks: { lint: 'test -s greet.sh', test: 'sh greet.sh' },
}

const policyOf = mode => ({
  schema: 1,
  policyKind: 'premath.mutation_policy.v1',
  ids: 'counted',
  surfaces: {
    cli: { mode },
    mcp: { mode: 'instruction-linked' },
    work: { mode: 'instruction-linked' },
  },
})

const promotionOf = digest => ({
  promotionIntent: true,
  governanceProfile: {
    claimId: 'profile.doctrine_inf_governance.v0',
    claimed: true,
    policyProvenance: {
      pinned: true,
      packageRef: 'package://governance/1',
      expectedDigest: digest,
      boundDigest: digest,
    },
    guardrailStages: ['pre_flight', 'input', 'output'],
    evalGate: { passed: true },
    evalEvidence: {
      datasetLineageRef: 'dataset://1',
      graderConfigLineageRef: 'grader://1',
      metricThresholdsRef: 'thresholds://1',
    },
    observabilityMode: 'dashboard',
    riskTier: { tier: 'moderate', controlProfileBound: true },
    selfEvolution: { maxAttempts: 2, terminalEscalation: 'stop', rollbackRef: 'commit://1' },
  },
  workflowTrace: { traceRef: 'trace://1', score: 0.9, threshold: 0.8, grade: 'pass' },
  adversarialGate: { passed: true, reportRef: 'report://1' },
})

const spec = `# Greeting

\`\`\`yaml spec-test
id: GREETS
type: cli.run
harness: {entrypoint: sh greet.sh}
assert:
- target: stdout
  must:
  - contain: [good morning]
\`\`\`
`

const claims = ['', '.issue_claim', '.issue_update'].map(
  action => `capabilities.change_morphisms${action}`,
)

const instructionId = '20260221T000000Z-greet'
const instruction = {
  schema: 1,
  intent: 'Greet in a friendly way, and close bd-1.',
  instructionType: 'ci.gate.check',
  normalizerId: 'normalizer.agent.v1',
  policyDigest: 'pol1_6da691fb6dfc92b7e6b014882f337a806ab2fa6be564833e8f91ab43452c0a2f',
  capabilityClaims: claims,
  scope: {
    kind: 'repo',
    mutations: [
      { action: 'issue_claim', issueId: 'bd-1' },
      { action: 'issue_update', issueId: 'bd-1' },
    ],
  },
  requestedChecks: ['lint'],
}

/** One tool call that was answered and used. */
const evidence = more => ({
  callSpec: {
    callId: 'turn-1',
    modelRef: 'model-x@1',
    actionMode: 'code',
    executionPattern: 'single',
    normalizerId: 'nf.v1',
    mutationPolicyDigest: 'pol-mut',
    governancePolicyDigest: 'pol-gov',
    toolRenderProtocolDigest: 'pol-render',
    reminderQueuePolicyDigest: 'pol-queue',
    stateViewPolicyDigest: 'pol-view',
    decompositionPolicyDigest: 'pol-decomp',
    ...more.callSpec,
  },
  toolRequests: [{ toolCallId: 'tc-1', toolName: 'fs.read' }],
  toolResults: [{ toolCallId: 'tc-1', resultDigest: 'res-tc-1' }],
  toolUse: [{ toolCallId: 'tc-1', disposition: 'observed' }],
  protocolState: { stopReason: 'tool_use', continuationAllowed: true },
  toolRender: [
    {
      toolCallId: 'tc-1',
      operatorPayloadDigest: 'sha256:operator',
      reminderRenderDigest: 'sha256:reminder',
      injectionPoint: 'tool_response',
      policyDigest: 'pol-render',
    },
  ],
  reminderQueue: [{ queueId: 'main', reducedDigest: 'sha256:q', policyDigest: 'pol-queue' }],
  stateViews: [{ viewId: 'latest', viewDigest: 'sha256:v', policyDigest: 'pol-view' }],
  ...more.evidence,
})

function begin() {
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', root], { env })
  write('.gitignore', '.premath/\nartifacts/\n')
  write('greet.sh', 'echo hello\n')
  write('specs/greet.spec.md', spec)
  write('policies/control/harness-retry-policy-v1.json', {
    ...retryPolicy,
    policyDigest: `pol1_${sha256(canonical(retryPolicy))}`,
  })
  write(`instructions/${instructionId}.json`, instruction)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Begin')
  premath(0, 'init')
}

const add = (title, ...more) => premath(0, 'issue', 'add', title, ...more).issue.id

function addIssues() {
  add('Greet in a friendly way', '--spec', 'specs', '--priority', '1')
  add('Write the manual', '--type', 'task', '--label', 'docs', '--label', 'release')
  add('Drop the old logo', '--notes', 'Nobody likes it.')
  add('Move the mirror', '--description', 'The network fails now and then.')
  add('Translate', '--owner', 'ben')
  add('Rename the binary', '--design', 'Keep the old name as an alias.')
  add('Announce the new name')
  add('Release 1.0', '--type', 'epic', '--priority', '0')
  add('Pick a colour', '--priority', '3')
  premath(0, 'dep', 'add', 'bd-7', 'bd-6')
  premath(0, 'dep', 'add', 'bd-8', 'bd-7', '--type', 'waits-for', '--created-by', 'ana')
  premath(0, 'dep', 'add', 'bd-9', 'bd-2', '--type', 'related')
  premath(0, 'issue', 'discover', 'bd-2', 'Spell-check the manual', '--priority', '4')
  premath(1, 'dep', 'add', 'bd-6', 'bd-7')
}

/** bd-2 by a command, bd-3 by decision. */
function closeByHand() {
  write('MANUAL.md', '# Manual\n')
  premath(1, 'issue', 'update', 'bd-2', '--status', 'closed')
  premath(0, 'issue', 'update', 'bd-2', '--status', 'closed', '--verify-cmd', 'test -s MANUAL.md')
  premath(0, 'issue', 'update', 'bd-3', '--status', 'closed', '--force', '--reason', 'It is gone')
}

function govern() {
  write('.premath/capability-registry.json', {
    profileOverlayClaims: ['profile.doctrine_inf_governance.v0'],
  })
  for (const [name, document] of [
    ['policy', policyOf('operator')],
    ['checks', checks],
  ]) {
    const input = join(folders, `${name}.json`)
    const promotion = join(folders, `${name}-promotion.json`)
    writeFileSync(input, JSON.stringify(document))
    writeFileSync(promotion, '{}')
    const { digest } = premath(1, 'policy', 'check', '--input', input, '--promotion', promotion)
    writeFileSync(promotion, JSON.stringify(promotionOf(digest)))
    const why = ['--promotion', promotion, '--reason', `The ${name} of 2026`]
    premath(0, 'policy', 'set', '--input', input, ...why)
  }
  premath(0, 'issue', 'compact', ...operator)
}

const operator = ['--reason', 'Ana is asked by phone']

/** bd-1 by an agent under an instruction: witnesses of instruction, turn and specs. */
function closeUnderInstruction() {
  premath(0, 'instruction-run', '--instruction', `instructions/${instructionId}.json`)
  const under = ['--instruction', instructionId]
  premath(0, 'issue', 'claim', 'bd-1', '--assignee', 'agent', ...under)
  const { leaseId, fence } = premath(0, 'issue', 'show', 'bd-1').issue.lease
  const { mutationPolicyDigest } = premath(0, 'prime')
  const session = ['--state', 'active', '--path', 'artifacts/harness_session.json']
  premath(0, 'harness-session', 'write', ...session)
  const step = ['--step-id', 'step-1', '--action', 'agent.turn', '--result-class', 'completed']
  premath(0, 'harness-trajectory', 'append', ...step, '--finished-at', '2026-02-21T00:00:00Z')
  write('artifacts/turn.json', {
    evidence: evidence({
      callSpec: { mutationPolicyDigest },
      evidence: {
        toolUse: [{ toolCallId: 'tc-1', disposition: 'consumed', mutationInputRef: 'issue/bd-1' }],
        sessionRefs: ['artifacts/harness_session.json'],
        trajectoryRefs: ['step-1'],
      },
    }),
    mutation: { kind: 'issue', action: 'issue_update', issueId: 'bd-1' },
    capabilityClaims: claims,
    activeMutationPolicyDigest: mutationPolicyDigest,
    governanceProfile: promotionOf(mutationPolicyDigest).governanceProfile,
  })
  const turn = ['--input', 'artifacts/turn.json']
  premath(0, 'harness-join-check', ...turn, '--write-witness', ...under)
  rmSync(join(root, 'artifacts/turn.json'))
  const close = ['issue', 'update', 'bd-1', '--status', 'closed', ...under]
  const lease = ['--lease-id', leaseId, '--fence', String(fence)]
  premath(1, 'spec', 'run', 'specs')
  premath(1, ...close, ...lease)
  write('greet.sh', 'echo good morning\n')
  premath(0, 'spec', 'run', 'specs')
  premath(0, ...close, ...lease)
}

const step = (exitCode, id, work, verify, ...more) =>
  premath(
    exitCode,
    'harness-step',
    ...['--issue', id, '--worker', 'w1', '--work-cmd', work, '--verify-cmd', verify],
    ...operator,
    ...more,
  )

/** bd-4 passes at its second attempt, and in another clone, which a transport brings it to. */
function closeElsewhere() {
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Work')
  const far = join(folders, 'far')
  git('clone', '--quiet', root, far)
  cpSync(join(root, '.premath'), join(far, '.premath'), { recursive: true })
  const { mutationPolicyDigest } = premath(0, 'prime')
  const turn = {
    governanceProfile: promotionOf(mutationPolicyDigest).governanceProfile,
    evidence: evidence({
      evidence: {
        handoff: {
          target: 'location://far',
          requiredArtifactRefs: [],
          returnPathRef: 'return://here',
        },
      },
    }),
  }
  const work = `test -e .premath/tried || { touch .premath/tried; echo 'flaky_io: no route' >&2; exit 1; }
    echo moved > mirror.txt
    echo '${JSON.stringify(turn)}' >> "$PREMATH_TURN_EVIDENCE"`
  const here = `'${process.execPath}' '${command}'`
  write(
    '../carry.sh',
    `set -e
    digest=$(basename "$PREMATH_RELOCATION" .json)
    git -c user.name=Ana -c user.email=ana@example.com add --all
    git -c user.name=Ana -c user.email=ana@example.com commit --quiet --allow-empty --message Moved
    git push --quiet ../far HEAD:refs/heads/incoming
    git -C ../far merge --quiet incoming
    mkdir -p ../far/artifacts/relocations
    cp "$PREMATH_RELOCATION" ../far/artifacts/relocations/
    printf '{"schema":1,"outcomeKind":"premath.harness.transport_outcome.v1","relocationDigest":"sha256:%s","result":"delivered"}\\n' "$digest" >> "$PREMATH_RELOCATION_EVIDENCE"
    cd ../far
    ${here} harness-relocation check --input "artifacts/relocations/$digest.json" --verify-cmd 'grep -q moved mirror.txt' --json >> "$PREMATH_RELOCATION_EVIDENCE"
    `,
  )
  step(0, 'bd-4', work, 'grep -q moved mirror.txt', '--transport-cmd', 'sh ../carry.sh')
  rmSync(join(root, '.premath/tried'))
}

function failForGood() {
  step(1, 'bd-5', 'true', 'false')
}

/** bd-11 by a run, as a commit on main. */
function landByRun() {
  add('Greet the moon', '--priority', '0', ...operator)
  premath(0, 'config', 'set', 'verify', 'sh greet.sh')
  const work = ['--work-cmd', 'echo good night > moon.txt', '--workers', '1', '--max-steps', '1']
  const { status, stderr } = run(['run', ...work, ...operator])
  if (status !== 0) throw new Error(`premath run: exit code ${status}\n${stderr}`)
}

/** What stands at the end: a lease that was taken over, a session, a ledger, and a signed proof. */
function leaveOff() {
  premath(1, 'issue', 'claim', 'bd-6', '--assignee', 'ben')
  premath(0, 'issue', 'claim', 'bd-6', '--assignee', 'ben', ...operator)
  const { leaseId, fence } = premath(0, 'issue', 'show', 'bd-6').issue.lease
  const ours = ['--assignee', 'ben', '--lease-id', leaseId, '--fence', String(fence), ...operator]
  premath(0, 'issue', 'lease-release', 'bd-6', ...ours)
  premath(
    0,
    ...['issue', 'claim', 'bd-6', '--assignee', 'ana', '--lease-ttl-seconds', '86400'],
    ...operator,
  )
  const feature = (id, status, ...more) =>
    premath(0, 'harness-feature', 'write', '--feature-id', id, '--status', status, ...more)
  const [proof] = premath(0, 'witness', 'list', '--issue', 'bd-1', '--kind', 'chain').items
  feature('greeting', 'completed', '--issue-id', 'bd-1', '--verification-ref', proof.digest)
  feature('naming', 'in_progress', '--issue-id', 'bd-6', '--summary', 'A better name')
  feature('colour', 'pending')
  const left = ['--summary', 'Half done', '--next-step', 'Rename the binary']
  premath(0, 'harness-stop', '--worker', 'w1', ...left, ...operator)
  const key = join(folders, 'key.pem')
  premath(0, 'witness', 'keygen', '--key', key)
  premath(
    0,
    ...['witness', 'export', 'bd-1', '--attest', '--key', key],
    ...['--output', 'artifacts/bd-1.intoto.jsonl'],
  )
  premath(0, 'witness', 'export', 'bd-2', '--output', 'artifacts/bd-2.proof.json')
  cpSync(join(folders, 'key.pub.pem'), join(root, 'artifacts/key.pub.pem'))
}

/** What the version that wrote the project says about it. */
const questions = [
  'issue list',
  'issue show bd-1',
  'issue show bd-11',
  'land status',
  'issue ready',
  'issue blocked',
  'issue check',
  'issue lease-projection',
  'dep project',
  'harness-session read',
  'harness-feature read',
  'harness-feature check',
  'harness-trajectory query --limit 1',
  'policy show',
  'witness verify --all',
  'witness verify bd-4 --tree',
  'witness verify bd-1 --tree',
  'harness-boot',
  'doctor',
]

/** Locks and caches are of one machine; a name that git or premath would act on gets another one. */
function save() {
  for (const { parentPath, name } of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(parentPath, name).slice(root.length + 1)
    if (!statSync(join(root, path)).isFile() || /^\.git\/|^\.premath\/cache\/|\.lock$/.test(path))
      continue
    const stored = join(target, 'project', path.replace(/(^|\/)\./g, '$1dot-'))
    mkdirSync(dirname(stored), { recursive: true })
    cpSync(join(root, path), stored)
  }
}

begin()
addIssues()
closeByHand()
govern()
closeUnderInstruction()
closeElsewhere()
failForGood()
landByRun()
leaveOff()
const answers = {}
const at = new Date().toISOString()
for (const words of questions) {
  const { status, stdout } = run([...words.split(' '), '--json'])
  answers[words] = { exitCode: status, output: JSON.parse(stdout) }
}
save()
git('bundle', 'create', '--quiet', join(target, 'repository.bundle'), 'main')
const lines = Object.entries(answers).map(([words, answer]) => JSON.stringify({ [words]: answer }))
const entries = lines.map(line => `  ${line.slice(1, -1)}`).join(',\n')
const text = `{ "at": "${at}", "root": "${root}", "answers": {\n${entries}\n} }\n`
writeFileSync(join(target, 'answers.json'), text)
rmSync(folders, { recursive: true })
