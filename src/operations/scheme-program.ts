/** Reads the two forms of programs: Scheme, and a list of host calls in JSON. */
import { jsonIn } from '../kernel/json.ts'
import {
  type CallList,
  invalid,
  isHostRefusal,
  readCallList,
} from '../kernel/scheme/host/call-list.ts'
import type { HostRefusal } from '../kernel/scheme/host/host-refusal.ts'

export interface ReadProgram {
  readonly form: 'calls' | 'scheme'
  /** Given for a list of calls that can be read. */
  readonly calls?: CallList
  readonly refusal?: HostRefusal
}

/** `path` is absent where the program came as text. */
export function readProgram(path: string | undefined, text: string, callsMax: number): ReadProgram {
  if (!isCallList(path, text)) return { form: 'scheme' }
  const calls = callListIn(text, callsMax)
  return isHostRefusal(calls) ? { form: 'calls', refusal: calls } : { form: 'calls', calls }
}

/** No Scheme program begins with a brace. */
const isCallList = (path: string | undefined, text: string) =>
  path !== undefined && !path.endsWith('.scm') && /^\s*\{/.test(text)

function callListIn(text: string, callsMax: number): CallList | HostRefusal {
  const document = jsonIn(text)
  if (document !== undefined) return readCallList(document, callsMax)
  return invalid('the program begins with { and is not JSON', 'Correct it, or write Scheme.')
}
