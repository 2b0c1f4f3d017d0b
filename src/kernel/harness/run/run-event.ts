/** The events of a run, reported as they happen. They decide nothing. */
import type { RunEventDocument, RunEventHead } from '../../../wire/run/run-event.ts'
import { timestampOf } from '../../timestamp.ts'

type Without<T, Name extends string> = T extends unknown ? Omit<T, Name> : never
type EventNamed<E, Name extends string> = Extract<E, { readonly event: Name }>

/** The last line that a command printed. Screens show it, and no file has it. */
interface OutputEvent {
  readonly event: 'output'
  readonly workerId: string
  readonly line: string
}

/** The place of a worker's issue in the landing queue. Only screens show it. */
interface QueueEvent {
  readonly event: 'queue'
  readonly workerId: string
  readonly issueId: string
  readonly state: 'waiting' | 'verifying' | 'verified'
}

type ScreenEvent = OutputEvent | QueueEvent

/** All events of a run of the loop. */
export type RunEvent = Without<RunEventDocument, RunEventHead> | ScreenEvent

/** Such an event is neither a line nor part of the JSON stream. */
export const isForScreen = (event: RunEvent): event is ScreenEvent =>
  event.event === 'output' || event.event === 'queue'

/** Events of one worker's hooks. The loop adds the worker, and the issue of a phase. */
export type StepEvent = Without<
  Exclude<Extract<RunEvent, { readonly workerId: string }>, EventNamed<RunEvent, 'worker.ended'>>,
  'workerId'
>

export type StepEventOf<Name extends StepEvent['event']> = EventNamed<StepEvent, Name>
export type RunSummary = Omit<EventNamed<RunEvent, 'run.ended'>, 'event'>

/** One line of the JSON event stream. */
export const runEventDocument = (
  event: Exclude<RunEvent, ScreenEvent>,
  at: bigint,
): RunEventDocument => ({
  schema: 1,
  runEventKind: 'premath.harness.run_event.v1',
  at: timestampOf(at),
  ...event,
})
