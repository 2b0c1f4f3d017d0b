/** Turns like a coding agent's, each a little different, so that nothing is judged from memory. */

const digest = name => `sha256:${name}`

const callSpec = turn => ({
  callId: `turn-${turn}`,
  modelRef: 'model-x@1',
  actionMode: 'code',
  executionPattern: 'single',
  normalizerId: 'nf.v1',
  mutationPolicyDigest: digest('mutation'),
  governancePolicyDigest: digest('governance'),
  toolRenderProtocolDigest: digest('render'),
  reminderQueuePolicyDigest: digest('queue'),
  stateViewPolicyDigest: digest('view'),
  decompositionPolicyDigest: digest('decomposition'),
})

const listing = (turn, call) =>
  `src/file-${turn}-${call}.ts\n${`  ${turn * 31 + call}: export const value = ${call}\n`.repeat(6)}`

/** One turn in which every call is answered, used and rendered. */
export function turnText(turn, calls) {
  const ids = Array.from({ length: calls }, (_, call) => `toolu_${turn}_${call}`)
  return JSON.stringify({
    evidence: {
      callSpec: callSpec(turn),
      toolRequests: ids.map((toolCallId, call) => ({
        toolCallId,
        toolName: call % 3 === 0 ? 'shell' : 'fs.read',
        schemaDigest: digest('schema'),
      })),
      toolResults: ids.map((toolCallId, call) => ({
        toolCallId,
        status: 'ok',
        payload: { text: listing(turn, call), exitCode: 0, lines: 7 },
      })),
      toolUse: ids.map(toolCallId => ({ toolCallId, disposition: 'consumed' })),
      protocolState: { stopReason: 'tool_use', continuationAllowed: true },
      toolRender: ids.map(toolCallId => ({
        toolCallId,
        operatorPayloadDigest: digest(`operator-${toolCallId}`),
        reminderRenderDigest: digest(`reminder-${toolCallId}`),
        injectionPoint: 'tool_response',
        policyDigest: digest('render'),
      })),
      reminderQueue: [
        { queueId: 'queue/default', reducedDigest: digest('q'), policyDigest: digest('queue') },
      ],
      stateViews: [
        { viewId: 'view/latest', viewDigest: digest(`v-${turn}`), policyDigest: digest('view') },
      ],
    },
  })
}
