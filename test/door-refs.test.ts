/** Refs of a turn at the door: each must name an artifact of this project. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { aDoor, policy } from './mutation-surfaces.ts'
import { artifacts, transcript, using } from './turn-refs.ts'

const door = aDoor()
const { put, pathOf, worked, close } = door
const { done } = door.project

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

test('[gate.1.refs-resolve] a turn is refused if its session is another document', () => {
  worked({ turn: { refs: { sessionRefs: ['.premath/checks.json'] } } })
  expect(close().json.failureClasses).toEqual(['turn_ref_unresolved'])
})
