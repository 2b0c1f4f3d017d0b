import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Json } from '../../json.ts'
import { judge } from '../judge.ts'
import { deriveEvidence, type ObservedResult, type ObservedTurn } from './derive-evidence.ts'

const sha256 = (text: string) => hash('sha256', text)
const kit = { sha256, schemaComplaints: () => [] }

function result(toolCallId: string, more: Partial<ObservedResult> = {}): ObservedResult {
  const payload = { text: toolCallId }
  return { toolCallId, seq: 10, payload, shown: toolCallId, injectionPoint: 'tool_result', ...more }
}

function observed(more: Partial<ObservedTurn> = {}): ObservedTurn {
  return {
    callId: 'turn-1',
    modelRef: 'model-x@1',
    actionMode: 'code',
    executionPattern: 'single',
    normalizerId: 'nf.v1',
    thread: 'main',
    stopReason: 'tool_use',
    requests: [{ toolCallId: 'a', toolName: 'fs.read', seq: 1, arguments: { path: 'x' } }],
    results: [result('a')],
    later: [{ seq: 20, thread: 'main' }],
    laterRequests: [],
    ended: false,
    discarded: {},
    injected: '',
    before: [],
    sessionRefs: [],
    trajectoryRefs: [],
    profile: { profile: 'test', rules: 'derived' },
    supplied: {},
    ...more,
  }
}

const report = (turn: ObservedTurn) => judge(deriveEvidence(turn, sha256), kit)
const uses = (turn: ObservedTurn) => report(turn).normalized.toolUse

const failed = {
  error: { errorCode: 'timeout', retryable: true, errorMessage: 'gave up' },
} as const

test('a turn whose results the model read is closed, with every binding verified', () => {
  expect(report(observed())).toMatchObject({
    result: 'accepted',
    failureClasses: [],
    unverifiedBindings: [],
    ignoredKeys: [],
  })
})

test('a result is consumed when a later message of the same thread follows it', () => {
  expect(uses(observed())).toEqual([{ toolCallId: 'a', disposition: 'consumed' }])
})

test('a message of another thread, or an earlier one, consumes nothing', () => {
  const later = [
    { seq: 20, thread: 'side' },
    { seq: 5, thread: 'main' },
  ]
  expect(uses(observed({ later }))).toBeUndefined()
})

test('a result is observed when the turn ended after it', () => {
  const turn = observed({ later: [], ended: true, stopReason: 'end_turn' })
  expect(uses(turn)).toEqual([{ toolCallId: 'a', disposition: 'observed' }])
})

test('a turn still under way is open: the use of its result is unknown', () => {
  expect(report(observed({ later: [] })).failureClasses).toEqual([
    'tool.join_incomplete',
    'tool.use_missing',
  ])
})

test('a lost result is refused and named', () => {
  const { findings } = report(observed({ results: [] }))
  expect(findings.map(({ at, failureClass }) => [failureClass, at])).toEqual([
    ['tool.join_incomplete', 'evidence'],
    ['tool.result_missing', 'evidence.toolRequests[a]'],
  ])
})

test('the same call repeated after a retryable error is its retry', () => {
  const again = { toolCallId: 'b', toolName: 'fs.read', seq: 12, arguments: { path: 'x' } }
  const turn = observed({ results: [result('a', failed)], laterRequests: [again] })
  expect(uses(turn)).toEqual([{ toolCallId: 'a', disposition: 'retry_scheduled' }])
})

test.each([
  ['other arguments', { path: 'y' }, failed],
  [
    'an error that may not be retried',
    { path: 'x' },
    { error: { ...failed.error, retryable: false } },
  ],
  ['no error', { path: 'x' }, {}],
])('a later call with %s is no retry', (_, args, error) => {
  const again = { toolCallId: 'b', toolName: 'fs.read', seq: 12, arguments: args as Json }
  const turn = observed({ results: [result('a', error)], laterRequests: [again] })
  expect(uses(turn)).toEqual([{ toolCallId: 'a', disposition: 'consumed' }])
})

test('a result that the transcript discards has its reason', () => {
  expect(uses(observed({ discarded: { a: 'interrupted' } }))).toEqual([
    { toolCallId: 'a', disposition: 'discarded', reasonCode: 'interrupted' },
  ])
})

test('each result has one render row, and injected text has no digest', () => {
  const { normalized } = report(observed())
  expect(normalized.toolRender).toHaveLength(1)
  expect(normalized.toolRender?.[0]).toMatchObject({
    toolCallId: 'a',
    injectionPoint: 'tool_result',
    reminderRenderDigest: `sha256:${sha256('a')}`,
  })
  expect(normalized.reminderQueue?.[0]?.reducedDigest).toBe(`sha256:${sha256('')}`)
})

test('rows the host supplies replace the derived ones', () => {
  const supplied = { toolUse: [{ toolCallId: 'a', disposition: 'observed' }] }
  expect(uses(observed({ supplied }))).toEqual([{ toolCallId: 'a', disposition: 'observed' }])
})

test('only a stop reason that asks for another request continues', () => {
  const continues = (stopReason: string) =>
    report(observed({ stopReason })).normalized.protocolState.continuationAllowed
  expect(['tool_use', 'pause_turn', 'max_tokens', 'end_turn'].map(continues)).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('a call from free text is accepted only through an admitted adapter profile', () => {
  const request = { toolCallId: 'a', toolName: 'fs.read', seq: 1 }
  const bare = observed({ actionMode: 'text', requests: [request] })
  const profiled = { ...bare, requests: [{ ...request, adapterProfile: 'react.v1' }] }
  const admitted = { ...profiled, profile: { textAdapterProfiles: ['react.v1'] } }
  expect(report(bare).failureClasses).toEqual(['tool.schema_invalid'])
  expect(report(profiled).failureClasses).toEqual(['tool.schema_invalid'])
  expect(report(admitted).failureClasses).toEqual([])
})
