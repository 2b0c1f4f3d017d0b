/** Which host functions the work of a step may call. */
import type { JsonObject } from '../../json.ts'
import { type HostRefusal, refusal } from './host-refusal.ts'

/** In the work of a step these are requests, which the harness takes afterwards. */
const requests: readonly string[] = ['issue.discover', 'issue.comment', 'dep.add']

interface WorkCall {
  readonly action: string
  readonly isRead: boolean
  readonly args: JsonObject
  /** The instruction of the step. */
  readonly instructionId: string | undefined
}

/** Work proposes: it reads, asks, and runs the checks of its own instruction. */
export function workCallRefusal(call: WorkCall): HostRefusal | undefined {
  const { action, isRead } = call
  if (isRead || requests.includes(action)) return undefined
  if (action === 'instruction.run') return instructionRefusal(call)
  return refusal(
    'mutation_not_granted',
    `the work of a step may not call ${action}`,
    `Work may read, and ask the harness: ${requests.join(', ')}. The harness verifies and closes.`,
  )
}

/** No argument beside the name: another folder or time-out would be another run. */
function instructionRefusal({ args, instructionId: id }: WorkCall): HostRefusal | undefined {
  if (id === undefined) {
    const why = 'the step has no instruction that its work could run'
    return refusal('mutation_not_granted', why, 'Start the step with --instruction <id>.')
  }
  const path = `instructions/${id}.json`
  const [[name, value] = [], ...more] = Object.entries(args)
  const isOwn = value === path && ['instructionPath', 'instruction_path'].includes(name ?? '')
  if (isOwn && more.length === 0) return undefined
  const why = 'the work of a step may run the instruction of its step only'
  return refusal('mutation_not_granted', why, `Call (instruction.run :instruction-path "${path}").`)
}
