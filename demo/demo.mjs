/**
 * The main job in a minute, in a folder of its own: three turns of an agent are judged, and two
 * agents share issue memory. Fails when an answer is not the one the text announces.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'premath-demo-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const typed = word => (word.includes(' ') ? JSON.stringify(word) : word)
const say = text => process.stdout.write(`${text}\n`)

function show(args, expectedExit) {
  say(`\n$ premath ${args.map(typed).join(' ')}`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '100' },
  })
  say(`${stdout}${stderr}`.trimEnd())
  say(`(exit ${status})`)
  if (status === expectedExit) return stdout
  say(`The demo expected exit ${expectedExit}.`)
  process.exit(1)
}

const write = (name, value) => writeFileSync(join(folder, name), JSON.stringify(value, null, 2))

const policies = {
  mutationPolicyDigest: 'policy/mutation@1',
  governancePolicyDigest: 'policy/governance@1',
  toolRenderProtocolDigest: 'policy/render@1',
  reminderQueuePolicyDigest: 'policy/queue@1',
  stateViewPolicyDigest: 'policy/view@1',
  decompositionPolicyDigest: 'policy/decomposition@1',
}

const callSpec = {
  callId: 'fix-login-timeout/turn-7',
  modelRef: 'model-x@1',
  actionMode: 'code',
  executionPattern: 'chain',
  normalizerId: 'nf.v1',
  ...policies,
}

const calls = [
  ['call_read', 'fs.read', { text: 'export const timeoutMs = 3_000' }],
  ['call_test', 'shell', { text: '1 failed: login waits for the session store', exitCode: 1 }],
]

const closed = {
  evidence: {
    callSpec,
    toolRequests: calls.map(([toolCallId, toolName]) => ({ toolCallId, toolName })),
    toolResults: calls.map(([toolCallId, , payload]) => ({ toolCallId, status: 'ok', payload })),
    toolUse: calls.map(([toolCallId]) => ({ toolCallId, disposition: 'consumed' })),
    protocolState: { stopReason: 'tool_use', continuationAllowed: true },
    toolRender: calls.map(([toolCallId]) => ({
      toolCallId,
      operatorPayloadDigest: `sha256:operator-${toolCallId}`,
      reminderRenderDigest: `sha256:reminder-${toolCallId}`,
      injectionPoint: 'tool_response',
      policyDigest: policies.toolRenderProtocolDigest,
    })),
    reminderQueue: [
      {
        queueId: 'main',
        reducedDigest: 'sha256:q',
        policyDigest: policies.reminderQueuePolicyDigest,
      },
    ],
    stateViews: [
      { viewId: 'latest', viewDigest: 'sha256:v', policyDigest: policies.stateViewPolicyDigest },
    ],
  },
}

const without = (rows, id) => rows.filter(row => row.toolCallId !== id)

const lost = structuredClone(closed)
lost.evidence.toolResults = without(lost.evidence.toolResults, 'call_test')
lost.evidence.toolUse = without(lost.evidence.toolUse, 'call_test')

const overlong = structuredClone(closed)
overlong.evidence.callSpec.toolResponseTruncationPolicy = { maxBytes: 128, marker: '[cut]' }
overlong.evidence.toolResults[0].payload = { text: 'x'.repeat(500) }
overlong.truncationConstraints = { required: true, valid: true }

write('closed.json', closed)
write('lost-result.json', lost)
write('declared-fine.json', overlong)

say('An agent made two calls. Both were answered, and both answers were used.')
show(['harness-join-check', '--input', 'closed.json', '--explain'], 0)

say('\nThe same turn, but one result never came back.')
show(['harness-join-check', '--input', 'lost-result.json', '--explain'], 1)

say('\nA turn that declares its truncation valid. The gate measures: it is not.')
show(['harness-join-check', '--input', 'declared-fine.json'], 1)

say('\nIssue memory hands work to one worker at a time, and a late writer is refused.')
show(['init'], 0)
show(['issue', 'add', 'Fix login timeout', '--priority', '1'], 0)
show(['issue', 'add', 'Write release notes'], 0)
show(['dep', 'add', 'bd-2', 'bd-1'], 0)
show(['issue', 'claim-next', '--assignee', 'agent-1'], 0)
show(['issue', 'claim', 'bd-1', '--assignee', 'agent-2'], 4)
const old = ['--lease-id', 'lease1_bd-1_agent-1', '--fence', '0']
show(['issue', 'update', 'bd-1', '--status', 'closed', ...old], 4)
const held = ['--lease-id', 'lease1_bd-1_agent-1', '--fence', '1']
show(['issue', 'update', 'bd-1', '--status', 'closed', ...held], 0)
show(['issue', 'ready'], 0)

say('\nA step runs any command on one issue, and closes it only when all is verified.')
write('open-turn.json', lost)
const leave = 'tr -d "\\n" < open-turn.json >> "$PREMATH_TURN_EVIDENCE"'
const verify = ['--verify-cmd', 'test -f notes.md']
show(['harness-step', '--work-cmd', `echo done > notes.md; ${leave}`, ...verify], 1)
say('\nThe agent left a turn whose call was never answered: nothing changed. Without it:')
show(['harness-step', '--work-cmd', 'echo done > notes.md', ...verify], 0)
show(['harness-trajectory', 'query'], 0)

say('\nThree answers for a program, one line each, and the exit code of the worst.')
const lines = [closed, lost, overlong].map(turn => JSON.stringify(turn)).join('\n')
writeFileSync(join(folder, 'turns.ndjson'), `${lines}\n`)
const args = ['harness-join-check', '--input', 'turns.ndjson', '--ndjson']
const { stdout, status } = spawnSync(process.execPath, [command, ...args], {
  cwd: folder,
  encoding: 'utf8',
})
say(`\n$ premath ${args.join(' ')}`)
for (const text of stdout.trim().split('\n')) {
  const { line, result, failureClasses, witnessDigest } = JSON.parse(text)
  say(`line ${line}: ${result} ${failureClasses.join(', ')}  ${witnessDigest.slice(0, 23)}…`)
}
say(`(exit ${status})`)
if (status !== 1) process.exit(1)
