/** What is known of subjects before a case is run. */
import { chainTarget } from '../case/case-type.ts'
import { anyKind, type Foreseen } from './foreseen.ts'

const text: Foreseen = { kinds: ['string'], mayFail: false, isData: true }
/** Both have keys that are always there. */
const envelope: Foreseen = { kinds: ['dict'], truth: true, mayFail: false, isData: true }

/** Those that are there whenever the case gets as far as its assertions. */
const certain: ReadonlyMap<string, Foreseen> = new Map([
  ['text', text],
  ['stdout', text],
  ['stderr', text],
  ['context_json', envelope],
  [chainTarget, envelope],
])

/** Asking for any other can fail, so an assertion on it says something, whatever it says. */
export const foreseenSubject = (name: string): Foreseen =>
  certain.get(name) ?? { kinds: anyKind, mayFail: true, isData: true }
