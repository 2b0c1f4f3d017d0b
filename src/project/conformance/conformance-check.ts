/** Judges vectors and reports answers that differ from the expected ones. */
import { EmptyObject, isJsonObject, type Json } from '../../kernel/json.ts'
import type { Judgement } from '../../kernel/turn/judge.ts'
import { type Fields, rows } from '../../wire/turn/row.ts'
import {
  CallSpec,
  Claims,
  Extension,
  Handoff,
  Linkage,
  ProtocolState,
  surfaces,
} from '../../wire/turn/turn-evidence.ts'
import type { ConformanceReport } from '../../wire/turn/vector.ts'
import type { OperationContext } from '../context.ts'
import { type Gate, openGate } from '../gate/gate.ts'
import { namingSource } from '../named-document.ts'
import { nameOf, type Vector } from './conformance-vectors.ts'

type Digests = Readonly<Record<string, string | undefined>>

/** The parts of an answer that must not depend on the order of rows. */
interface Verdict {
  readonly result: 'accepted' | 'rejected'
  readonly failureClasses: readonly string[]
  readonly joinClosed: boolean
  readonly mutationReady: boolean
  readonly digests: Digests
}

/** Checks each folder by itself, since ids and `sameDigestsAs` are local to a folder. */
export async function checkVectors(
  folders: readonly (readonly Vector[])[],
  context: OperationContext,
): Promise<ConformanceReport> {
  // Without a registry: the claims of a project must not change the result of a vector.
  const gate = openGate(context, [])
  const checked: Checked[] = []
  for (const folder of folders) checked.push(...(await checkFolder(folder, gate)))
  const failed = checked.filter(({ mismatches }) => mismatches.length > 0).length
  const fired = new Set(checked.flatMap(({ verdict }) => verdict.failureClasses))
  return {
    action: 'conformance-run',
    result: failed === 0 ? 'accepted' : 'rejected',
    passed: checked.length - failed,
    failed,
    failureClasses: [...fired].sort(),
    vectors: checked.map(({ vector: { suiteId, vectorId }, verdict: { result }, mismatches }) => ({
      suiteId,
      vectorId,
      result,
      mismatches,
    })),
  }
}

interface Checked {
  readonly vector: Vector
  readonly verdict: Verdict
  readonly mismatches: string[]
}

async function checkFolder(vectors: readonly Vector[], gate: Gate): Promise<Checked[]> {
  const verdicts = new Map<string, Verdict>()
  const checked: Checked[] = []
  for (const vector of vectors) {
    const judgement = await judge(vector, vector.input, gate)
    const verdict = verdictOf(judgement)
    verdicts.set(nameOf(vector), verdict)
    const mismatches = [
      ...expectedMismatches(vector, verdict),
      ...strayFindings(vector, judgement),
      ...(await orderMismatches(vector, verdict, gate)),
    ]
    checked.push({ vector, verdict, mismatches })
  }
  // After all are judged, because a vector may refer to a later one.
  for (const { vector, verdict, mismatches } of checked) {
    const vectorId = vector.expect.sameDigestsAs
    if (vectorId === undefined) continue
    const same = verdicts.get(nameOf({ suiteId: vector.suiteId, vectorId }))
    mismatches.push(...digestMismatches(same?.digests, verdict, vectorId))
  }
  return checked
}

const judge = ({ casePath }: Vector, input: Json, gate: Gate) =>
  namingSource(casePath, () => gate.judge(input))

function verdictOf({ turn, join }: Judgement): Verdict {
  return {
    result: join.joinClosed ? 'accepted' : 'rejected',
    failureClasses: join.failureClasses,
    joinClosed: join.joinClosed,
    mutationReady: join.mutationReady,
    digests: { ...turn.digests },
  }
}

function expectedMismatches({ expect, digests }: Vector, verdict: Verdict): string[] {
  const { expectedJoinClosed, expectedMutationReady, expectedDigests = {} } = expect
  const classes = [...new Set(expect.expectedFailureClasses)].sort()
  return [
    ...differs('result', expect.result, verdict.result),
    ...differs('failure classes', listed(classes), listed(verdict.failureClasses)),
    ...differs('joinClosed', expectedJoinClosed ?? verdict.joinClosed, verdict.joinClosed),
    ...differs(
      'mutationReady',
      expectedMutationReady ?? verdict.mutationReady,
      verdict.mutationReady,
    ),
    ...Object.entries(expectedDigests).flatMap(([name, digest]) =>
      differs(name, digest, verdict.digests[name]),
    ),
    ...digestMismatches(digests, verdict, 'digests.json'),
  ]
}

/** The findings behind unexpected classes. */
const strayFindings = ({ expect }: Vector, { join }: Judgement) =>
  join.findings
    .filter(({ failureClass }) => !expect.expectedFailureClasses.includes(failureClass))
    .map(({ failureClass, at, message }) => `${failureClass} came at ${at}: ${message}`)

/** Compares the digests of both sides. A digest that only one side has is a difference. */
function digestMismatches(
  expected: Digests | undefined,
  { digests }: Verdict,
  source: string,
): string[] {
  if (!expected) return []
  const names = new Set([...Object.keys(expected), ...Object.keys(digests)])
  return [...names].flatMap(name => differs(`${name} of ${source}`, expected[name], digests[name]))
}

async function orderMismatches(vector: Vector, verdict: Verdict, gate: Gate): Promise<string[]> {
  const messages: string[] = []
  for (const [order, arrange] of Object.entries(rowOrders)) {
    const moved = verdictOf(await judge(vector, withRowsIn(arrange, vector.input), gate))
    const mismatches = [
      ...differs('result', verdict.result, moved.result),
      ...differs('failure classes', listed(verdict.failureClasses), listed(moved.failureClasses)),
      ...differs('mutationReady', verdict.mutationReady, moved.mutationReady),
      ...digestMismatches(verdict.digests, moved, 'the rows in order'),
    ]
    messages.push(...mismatches.map(mismatch => `with rows ${order}: ${mismatch}`))
  }
  return messages
}

type Said = string | boolean | undefined

const differs = (what: string, expected: Said, came: Said): string[] =>
  expected === came ? [] : [`${what}: expected ${expected ?? 'none'}, came ${came ?? 'none'}`]

const listed = (classes: readonly string[]) => classes.join(', ') || 'none'

type Arrange = (items: readonly Json[]) => readonly Json[]

/** Fixed orders, so that a mismatch can be reproduced. */
export const rowOrders = {
  reversed: items => items.toReversed(),
  rotated: items => [...items.slice(1), ...items.slice(0, 1)],
} as const satisfies Record<string, Arrange>

const object = (fields: Fields) => ({ kind: 'object', fields }) as const

const input: Fields = {
  ...Claims,
  evidence: object({
    ...Extension,
    ...Linkage,
    callSpec: object(CallSpec),
    protocolState: object(ProtocolState),
    handoff: object(Handoff),
    ...Object.fromEntries(Object.entries(surfaces).map(([name, fields]) => [name, rows(fields)])),
  }),
}

/** Leaves free-form values alone, since the order in a payload may have a meaning. */
export function withRowsIn(arrange: Arrange, value: Json): Json {
  return arrangedObject(value, input, arrange)
}

function arrangedObject(value: Json, fields: Fields, arrange: Arrange): Json {
  if (!isJsonObject(value)) return value
  const arranged = new EmptyObject()
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    arranged[name] = field ? arrangedField(member, field, arrange) : member
  }
  return arranged
}

function arrangedField(value: Json, field: Fields[string], arrange: Arrange): Json {
  if (field.kind === 'object') return arrangedObject(value, field.fields, arrange)
  if (!Array.isArray(value)) return value
  const items = value as readonly Json[]
  if (field.kind === 'refs') return arrange(items)
  if (field.kind !== 'rows') return value
  return arrange(items).map(item => arrangedObject(item, field.fields, arrange))
}
