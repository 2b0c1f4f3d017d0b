import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseJson } from '../../kernel/json.ts'
import { widthOf } from '../../kernel/text/text-width.ts'
import { judge } from '../../kernel/turn/judge.ts'
import { explainPage } from './explain-page.ts'
import { verdictPage } from './verdict-page.ts'

const kit = { sha256: (text: string) => hash('sha256', text), schemaComplaints: () => [] }
const page = { columns: 80, ink: (_: string, text: string) => text }

function report(toolCallId: string, more: object = {}) {
  const digests = [
    'mutationPolicyDigest',
    'governancePolicyDigest',
    'toolRenderProtocolDigest',
    'reminderQueuePolicyDigest',
    'stateViewPolicyDigest',
    'decompositionPolicyDigest',
  ]
  const callSpec = {
    callId: 'turn-1',
    modelRef: 'model-x',
    actionMode: 'code',
    executionPattern: 'single',
    normalizerId: 'nf.v1',
    ...Object.fromEntries(digests.map(name => [name, name])),
  }
  const evidence = {
    callSpec,
    toolRequests: [{ toolCallId, toolName: 'shell' }],
    protocolState: { stopReason: 'end_turn' },
    ...more,
  }
  return judge(parseJson(JSON.stringify({ evidence })), kit)
}

test('a refusal names the class, the call and what to do', () => {
  expect(verdictPage(report('call-1'), 'turn.json', page)).toBe(`\
rejected  turn turn-1 (turn.json): 2 failure classes

tool.join_incomplete
  evidence: the turn is open: 1 without result
  → Close each open call named beside this finding.

tool.result_missing
  evidence.toolRequests[call-1]: call call-1 (shell) has no terminal result
  → Wait for the result, or record the call as an error with code, retryable and
  message.
`)
})

test('an acceptance says if issue memory may change', () => {
  const closed = report('a', {
    toolResults: [{ toolCallId: 'a', status: 'ok' }],
    toolUse: [{ toolCallId: 'a', disposition: 'observed' }],
  })
  expect(verdictPage(closed, '-', page)).toBe(
    'accepted  turn turn-1 (-): closed; it requests no change of issue memory\n',
  )
})

test('terminal control characters are escaped, in the table too', () => {
  const shown = explainPage(report('\u001b[2J'), 'turn.json', page)
  expect(shown).toContain('\\u001b[2J')
  expect(shown).not.toContain('\u001b')
})

test('the table fits the page and keeps the column of open calls', () => {
  const shown = explainPage(report(`call-${'x'.repeat(200)}`), 'turn.json', page)
  const table = shown.split('\n').filter(line => /^[┌├└│]/.test(line))
  expect(Math.max(...table.map(line => line.length))).toBeLessThanOrEqual(80)
  expect(shown).toContain('no result, no use')
})

test('a turn without calls says so', () => {
  expect(explainPage(report('a', { toolRequests: [] }), 't', page)).toContain(
    'The turn has no tool calls.',
  )
})

test.each([20, 30, 40, 80])('the table of calls fits %i columns', columns => {
  const toolRequests = [
    { toolCallId: 'call-with-a-long-id-日本語', toolName: 'mcp.a_server.a_tool' },
    { toolCallId: 'call-2', toolName: 'shell' },
  ]
  const toolUse = [{ toolCallId: 'call-2', disposition: 'observed' }]
  const text = explainPage(report('', { toolRequests, toolUse }), '-', { ...page, columns })
  const drawn = text.split('\n').filter(line => /^[┌├│└]/.test(line))
  expect(drawn.length).toBe(7)
  expect(drawn.map(widthOf).filter(width => width !== widthOf(drawn[0] ?? ''))).toEqual([])
  expect(widthOf(drawn[0] ?? '')).toBeLessThanOrEqual(columns)
  expect(text).toContain('│ call')
})
