/** Refs of a turn at the door: each must name an artifact of this project. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { aDoor, policy } from './mutation-surfaces.ts'

const door = aDoor()
const { put, pathOf, worked, close, judge } = door
const { done } = door.project

const transcript = '{"id":"m-1","text":"run it"}\n{"id":"m-2","text":"done"}\n'
const digest = `sha256:${createHash('sha256').update(transcript).digest('hex')}`
const artifacts = [{ ref: 'transcript://s1', path: 'artifacts/s1.ndjson', digest, role: 'host' }]
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
const using = (ref: string, more: object = {}) => ({
  ...context,
  ...more,
  toolUse: [{ toolCallId: 'tc-1', disposition: 'consumed', summaryRef: ref }],
})

describe('a turn is refused at the door', () => {
  test.each<[string, object]>([
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
  ])('[gate.1.refs-resolve] for %s', (ref, refs) => {
    put('artifacts/s1.ndjson', transcript)
    worked({ turn: { refs } })
    // The join check knows no project, so the turn is closed.
    expect(judge().json).toMatchObject({ joinClosed: true })
    const { status, json } = close()
    expect(status).toBe(1)
    expect(json.failureClasses).toEqual(['turn_ref_unresolved'])
    expect(json.error.message).toContain(ref)
    expect(json.error.hint).toContain('witness://')
  })
})

describe('a turn that names the proof of another issue', () => {
  const proofs = '.premath/proofs/bd-2'
  const closed = () => {
    put('.premath/policy.json', { schema: 1, surfaces: { cli: { mode: 'open' } } })
    done('issue', 'update', 'bd-2', '--status', 'closed', '--verify-cmd', 'test -s said.txt')
    put('.premath/policy.json', policy)
    const [name = ''] = readdirSync(pathOf(proofs))
    return name.replace(/^proof-|\.json$/g, '')
  }

  test('[gate.1.refs-resolve] is admitted if the proof is there', () => {
    worked({ turn: { refs: using(`proof://bd-2/${closed()}`) } })
    expect(close().json).toMatchObject({ issue: { status: 'closed' } })
  })

  test.each([
    ['of another issue', (hex: string) => `proof://bd-3/${hex}`],
    ['with another digest', (hex: string) => `proof://bd-2/${hex.replace(/^./, digit)}`],
  ])('[gate.1.refs-resolve] is refused %s', (_, refOf) => {
    worked({ turn: { refs: using(refOf(closed())) } })
    expect(close().json.failureClasses).toEqual(['turn_ref_unresolved'])
  })

  test('[gate.1.refs-resolve] is refused if somebody changed the proof', () => {
    const hex = closed()
    const path = `${proofs}/proof-${hex}.json`
    put(path, readFileSync(pathOf(path), 'utf8').replace('bd-2', 'bd-4'))
    worked({ turn: { refs: using(`proof://bd-2/${hex}`) } })
    expect(close().json.failureClasses).toEqual(['turn_ref_unresolved'])
  })
})

const digit = (found: string) => (found === '0' ? '1' : '0')

describe('a turn is admitted', () => {
  test.each<[string, object]>([
    ['a session file and a step with a row', {}],
    ['step://', { trajectoryRefs: ['step://step-1'] }],
    ['the issue that it changes', using('issue://bd-1')],
    ['a file of the project', using('said.txt')],
    ['its instruction', using('instruction://20260221T000000Z-wiring')],
    ['a message of the transcript that it names', using('transcript://s1/m-2', { artifacts })],
  ])('[gate.1.refs-resolve] with %s', (_, refs) => {
    put('artifacts/s1.ndjson', transcript)
    worked({ turn: { refs } })
    expect(close().json).toMatchObject({ issue: { status: 'closed' } })
  })
})
