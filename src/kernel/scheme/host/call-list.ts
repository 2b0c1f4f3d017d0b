/** Programs that are a list of host calls in JSON. */
import { type SchemeCall, SchemeRequest } from '../../../wire/scheme/scheme-request.ts'
import { Flaw, shaped } from '../../artifact/flaw.ts'
import type { Json } from '../../json.ts'
import { type HostRefusal, refusal } from './host-refusal.ts'

export interface CallList {
  readonly request: SchemeRequest
  readonly calls: readonly SchemeCall[]
}

/** Refused as a whole before the first call. */
export function readCallList(document: Json, callsMax: number): CallList | HostRefusal {
  const request = shaped(SchemeRequest, document)
  if (request instanceof Flaw) {
    return invalid(`the program is no list of calls: ${request}`, 'Correct it.')
  }
  const { calls } = request
  if (calls.length === 0) return invalid('the list of calls is empty', 'Add a call.')
  if (calls.length > callsMax) return tooManyCalls(calls.length, callsMax)
  return { request, calls }
}

export const isHostRefusal = (found: object): found is HostRefusal => 'failureClasses' in found

export const invalid = (message: string, hint: string): HostRefusal =>
  refusal('scheme_eval.invalid_program', message, hint)

const tooManyCalls = (count: number, most: number) =>
  refusal(
    'scheme_eval.call_budget_exceeded',
    `the program has ${count} calls, and ${most} are allowed`,
    'Split it, or raise --max-calls.',
  )
