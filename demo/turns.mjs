/** Three turns: an accepted one, one without a result, and one with a false claim. */

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

export const turn = {
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

export const lostTurn = structuredClone(turn)
lostTurn.evidence.toolResults = without(lostTurn.evidence.toolResults, 'call_test')
lostTurn.evidence.toolUse = without(lostTurn.evidence.toolUse, 'call_test')

export const overlongTurn = structuredClone(turn)
overlongTurn.evidence.callSpec.toolResponseTruncationPolicy = { maxBytes: 128, marker: '[cut]' }
overlongTurn.evidence.toolResults[0].payload = { text: 'x'.repeat(500) }
overlongTurn.truncationConstraints = { required: true, valid: true }
