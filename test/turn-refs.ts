/** Refs of a turn, and those that name no artifact of this project. */
import { createHash } from 'node:crypto'
import type { Link } from './broken-links.ts'

export const transcript = '{"id":"m-1","text":"run it"}\n{"id":"m-2","text":"done"}\n'
const digest = `sha256:${createHash('sha256').update(transcript).digest('hex')}`
export const artifacts = [
  { ref: 'transcript://s1', path: 'artifacts/s1.ndjson', digest, role: 'host' },
]
const context = {
  toolRender: [
    {
      toolCallId: 'tc-1',
      operatorPayloadDigest: 'res-tc-1',
      reminderRenderDigest: 'shown',
      injectionPoint: 'next',
      policyDigest: 'pol-render',
    },
  ],
  reminderQueue: [{ queueId: 'q', reducedDigest: 'none', policyDigest: 'pol-queue' }],
  stateViews: [{ viewId: 'v', viewDigest: 'none', policyDigest: 'pol-view' }],
}
export const using = (ref: string, more: object = {}) => ({
  ...context,
  ...more,
  toolUse: [{ toolCallId: 'tc-1', disposition: 'consumed', summaryRef: ref }],
})

/** By the ref that does not resolve. */
const refs: readonly (readonly [ref: string, refs: object])[] = [
  ['session-1', { sessionRefs: ['session-1'] }],
  ['.premath/policy.json', { sessionRefs: ['.premath/policy.json'] }],
  ['../harness_session.json', { sessionRefs: ['../harness_session.json'] }],
  ['step-2', { trajectoryRefs: ['step-1', 'step-2'] }],
  ['nowhere.md', using('nowhere.md')],
  ['tc-1', using('tc-1')],
  ['issue/bd-2', using('issue/bd-2')],
  ['https://example.org/x', using('https://example.org/x')],
  ['transcript://s1/m-3', using('transcript://s1/m-3', { artifacts })],
  ['transcript://s1/m-1', using('transcript://s1/m-1')],
  [
    'transcript://s1/m-2',
    using('transcript://s1/m-2', {
      artifacts: [{ ...artifacts[0], digest: digest.replace(/.$/, '0') }],
    }),
  ],
  [`proof://bd-2/${'a'.repeat(64)}`, using(`proof://bd-2/${'a'.repeat(64)}`)],
  ['proof://bd-2', using('proof://bd-2')],
  [
    `witness://steps/step-1/record.json/${'a'.repeat(64)}`,
    using(`witness://steps/step-1/record.json/${'a'.repeat(64)}`),
  ],
]

export const brokenRefs = (never: NonNullable<Link['never']>): Readonly<Record<string, Link>> =>
  Object.fromEntries(
    refs.map(([ref, given]) => [
      `a turn with the ref ${ref}`,
      {
        change: { files: { 'artifacts/s1.ndjson': transcript }, turn: { refs: given } },
        names: 'turn_ref_unresolved',
        says: ref,
        never,
      },
    ]),
  )
