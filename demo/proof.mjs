/**
 * An agent closes an issue under an instruction. premath refuses the close until the turn is accepted,
 * the specs pass, and the instruction has an unused entry.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { aFolder, command, env, must, say, show } from './stage.mjs'
import { lostTurn, turn } from './turns.mjs'

const id = '20260221T000000Z-greet'
const under = ['--instruction', id]
const path = `instructions/${id}.json`

const claims = [
  'capabilities.change_morphisms',
  'capabilities.change_morphisms.issue_claim',
  'capabilities.change_morphisms.issue_update',
]

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

const checks = { schema: 1, checksKind: 'premath.checks.v1', checks: { lint: 'test -s greet.sh' } }
const policy = { schema: 1, surfaces: { cli: { mode: 'instruction-linked' } } }

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

/** Without the settings of whoever runs the demo. */
const nobody = { ...env, GIT_CONFIG_GLOBAL: '/dev/null' }

export function proof() {
  const root = aProject()
  const close = anAgent(root)
  refusedForALostResult(root, close)
  refusedForAFailingSpec(root, close)
  accepted(root, close)
  refusedTheSecondTime(root)
  oneByteChanged(root)
}

function aProject() {
  const root = aFolder()
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', root], { env: nobody })
  say('\nProof. A person sets up a project with one issue and a spec for it.')
  write(root, 'greet.sh', 'echo go away\n')
  write(root, 'specs/greet.spec.md', spec)
  show(root, ['init'], 0)
  show(root, ['issue', 'add', 'Greet in a friendly way', '--spec', 'specs'], 0)
  say('\nThe policy now requires an instruction for every change of issue memory.')
  write(root, '.premath/policy.json', policy)
  show(root, ['issue', 'update', 'bd-1', '--status', 'closed'], 1)
  return root
}

/** Runs the instruction and claims the issue; gives the arguments that close it. */
function anAgent(root) {
  say('\nThe person writes an instruction: an agent may claim bd-1 once and update it once, if the')
  say('check lint passes. The project defines the command of the check in .premath/checks.json.')
  write(root, '.premath/checks.json', checks)
  write(root, path, instruction)
  say('The person commits both: what judges an agent is read from the target branch.')
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org']
  for (const args of [
    ['add', '--all'],
    [...who, 'commit', '--quiet', '--message', 'Begin'],
  ]) {
    execFileSync('git', args, { cwd: root, env: nobody })
  }
  show(root, ['instruction-run', '--instruction', path], 0)
  say('\nAn agent claims the issue under this instruction.')
  show(root, ['issue', 'claim', 'bd-1', '--assignee', 'agent', ...under], 0)
  say('\nIt records its session and its step, which its turns name.')
  show(root, ['harness-session', 'write', '--state', 'active', '--issue-id', 'bd-1'], 0)
  const step = ['--step-id', 'step-1', '--action', 'edit', '--result-class', 'completed']
  show(root, ['harness-trajectory', 'append', ...step], 0)
  const { leaseId, fence } = ask(root, 'issue', 'show', 'bd-1').issue.lease
  const lease = ['--lease-id', leaseId, '--fence', String(fence)]
  return ['issue', 'update', 'bd-1', '--status', 'closed', ...under, ...lease]
}

function refusedForALostResult(root, close) {
  say('\nThe agent says that it is done. But one of its tool calls has no result.')
  judge(root, 'turn-1', lostTurn, 1)
  refused(root, close, 1, 'turn_not_closed')
}

function refusedForAFailingSpec(root, close) {
  say('\nIt tries again, and the gate accepts its turn. But the spec fails.')
  judge(root, 'turn-2', turn, 0)
  write(root, 'greet.sh', 'echo hello\n')
  show(root, ['spec', 'run', 'specs'], 1)
  refused(root, close, 1, 'close_proof_failed')
}

function accepted(root, close) {
  say('\nIt fixes its work. The spec passes on the current files, the turn is accepted, the')
  say('instruction allows the change, and the agent holds the lease. The issue closes.')
  write(root, 'greet.sh', 'echo good morning\n')
  show(root, ['spec', 'run', 'specs'], 0)
  show(root, close, 0)
}

function refusedTheSecondTime(root) {
  say('\nThe agent asks for another change with the same witnesses. They are used up.')
  const again = ['issue', 'update', 'bd-1', '--title', 'Greet as I like', ...under]
  refused(root, again, 4, 'instruction_entry_used')
}

/** The proof is in the repository, and anyone can verify it. */
function oneByteChanged(root) {
  say('\nThe proof of the close is in the project. Anyone can verify it offline.')
  show(root, ['witness', 'verify', 'bd-1'], 0)
  say('\nOne changed byte of the proof is found, and its file is named.')
  const proofs = join(root, '.premath/proofs/bd-1')
  const [name] = readdirSync(proofs)
  const file = join(proofs, name)
  writeFileSync(file, readFileSync(file, 'utf8').replace('GREETS', 'GREETZ'))
  show(root, ['witness', 'verify', 'bd-1'], 5)
}

/** The turn asks for the close, under the policy in force. */
function judge(root, name, { evidence }, expectedExit) {
  const { mutationPolicyDigest } = ask(root, 'prime')
  const asking = {
    evidence: {
      ...evidence,
      callSpec: { ...evidence.callSpec, callId: `greet/${name}`, mutationPolicyDigest },
      toolUse: evidence.toolUse.map(use => ({ ...use, mutationInputRef: 'issue://bd-1' })),
      sessionRefs: ['.premath/harness_session.json'],
      trajectoryRefs: ['step-1'],
    },
    mutation: { kind: 'issue', action: 'issue_update', issueId: 'bd-1' },
    capabilityClaims: claims,
    activeMutationPolicyDigest: mutationPolicyDigest,
  }
  // Files in artifacts/ are not part of the tree, so this one does not make the witness stale.
  const input = `artifacts/${name}.json`
  write(root, input, asking)
  show(root, ['harness-join-check', '--input', input, '--write-witness', ...under], expectedExit)
}

/** Expects a refusal with this failure class, and unchanged issue memory. */
function refused(root, args, exit, failureClass) {
  const before = memory(root)
  const output = show(root, args, exit)
  must(output.includes(failureClass), `the refusal to name ${failureClass}`)
  must(memory(root) === before, 'issue memory to be as it was')
}

const memory = root => readFileSync(join(root, '.premath/issues.jsonl'), 'utf8')

function write(root, name, content) {
  const file = join(root, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

const ask = (cwd, ...args) =>
  JSON.parse(execFileSync(process.execPath, [command, ...args, '--json'], { cwd, env }))
