/** The record of one run of an instruction: its time and the result of each check. */
import {
  type JoinLink,
  InstructionRuntime as RuntimeShape,
} from '../../wire/instruction/instruction-witness.ts'
import type { ValueOf } from '../../wire/shape.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { instantOf } from '../timestamp.ts'
import { isGiven, type Member, membersOf, textOf, textsOf } from './instruction-field.ts'
import { allRead, type InstructionRefusal, isRefused, refused } from './instruction-refusal.ts'

export type InstructionRuntime = Omit<ValueOf<typeof RuntimeShape>, keyof JoinLink> & {
  readonly join?: JoinLink | undefined
}

const bad = (why: string) => refused('instruction_runtime_invalid', why)
const member = (at: string): Member => ({ at, failureClass: 'instruction_runtime_invalid' })

const {
  joinClosed: _closed,
  joinFailureClasses: _classes,
  joinWitnessRef: _ref,
  ...members
} = RuntimeShape.members

export function readRuntime(value: Json): InstructionRuntime | InstructionRefusal {
  if (!isJsonObject(value)) return bad('the runtime is not an object')
  const runtime = membersOf(members, value, member(''))
  if (isRefused(runtime)) return runtime
  const join = joinOf(value)
  if (isRefused(join)) return join
  const [started, finished] = [instantOf(runtime.runStartedAt), instantOf(runtime.runFinishedAt)]
  if ((started ?? 0n) > (finished ?? 0n)) return bad('runFinishedAt is before runStartedAt')
  return { ...runtime, ...(join.length > 0 && { join: join[0] }) }
}

/** All three members, or none. */
function joinOf(value: JsonObject): readonly [JoinLink?] | InstructionRefusal {
  const names = ['joinClosed', 'joinFailureClasses', 'joinWitnessRef']
  if (!names.some(name => isGiven(value, name))) return []
  const { joinClosed } = value
  const join = allRead({
    joinClosed: typeof joinClosed === 'boolean' ? joinClosed : bad('joinClosed is not a yes or no'),
    joinFailureClasses: textsOf(value['joinFailureClasses'], member('joinFailureClasses')),
    joinWitnessRef: textOf(value['joinWitnessRef'], member('joinWitnessRef')),
  })
  return isRefused(join) ? join : [join]
}
