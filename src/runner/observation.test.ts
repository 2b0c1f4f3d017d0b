import { expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import type { Subject } from '../kernel/spec/assert/subject.ts'
import { Float } from '../kernel/spec/lang/float.ts'
import { unlimitedMeter } from '../kernel/spec/lang/meter.ts'
import { printText } from '../kernel/spec/lang/print-value.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'
import type { SubjectSource } from './cases/case-harness.ts'
import type { ExecutionContext } from './execution-context.ts'
import { Masking } from './masking.ts'
import { ResolvedSubjects } from './observation.ts'
import { noChain } from './run-chain.ts'

const context = { type: 'text.file', chain: noChain } as ExecutionContext

const noMasks = new Masking(new Map(), context)

const resolved = (source: SubjectSource) =>
  new ResolvedSubjects({ byTarget: new Map([['text', source]]) }, noMasks, context)

test('a subject is computed on first use, and once', async () => {
  let made = 0
  const subjects = resolved(() => ({ value: ++made }))
  expect(made).toBe(0)
  await subjects.resolveSubjectForTarget('text')
  await subjects.resolveSubjectForTarget('text')
  expect([subjects.subjectOf('text'), made]).toEqual([{ value: 1 }, 1])
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['not a number', Number.NaN],
  ['an object of the machine', { a: 1 }],
])('[spec.4.json-subjects] %s is no subject', async (_, value) => {
  const subjects = resolved(() => ({ value: value as SpecValue }))
  expect(await subjects.resolveSubjectForTarget('text')).toEqual({
    category: 'schema',
    message: 'the subject text is not a JSON value',
  })
})

test('chain_json has the exports of a chain unchanged, floats too', async () => {
  const state = new Map([['seed', new Map<string, SpecValue>([['price', new Float(7)]])]])
  const chained = { ...context, chain: { state, trace: [] } }
  const subjects = new ResolvedSubjects({ byTarget: new Map() }, noMasks, chained)
  const found = await subjects.resolveSubjectForTarget('chain_json')
  const printed = 'value' in found && printText(found.value, unlimitedMeter())
  expect(printed).toBe('{"state":{"seed":{"price":7.0}},"trace":[]}')
})

test('a failing disk is an error of the subject', async () => {
  const refusing = async (): Promise<Subject> => {
    throw new Fault('unavailable', 'the disk is gone')
  }
  expect(await resolved(refusing).resolveSubjectForTarget('text')).toEqual({
    category: 'runtime',
    message: 'the disk is gone',
  })
})

test('a target that the type does not offer is an error, and chain_json is always there', async () => {
  const subjects = resolved(() => ({ value: 1 }))
  expect(await subjects.resolveSubjectForTarget('body')).toEqual({
    category: 'schema',
    message: 'unknown assert target for text.file: body',
  })
  expect(await subjects.resolveSubjectForTarget('chain_json')).toEqual({
    value: new Map<string, unknown>([
      ['state', new Map()],
      ['trace', []],
    ]),
  })
})
