/** Facts about subjects before a case runs. */
import { chainTarget } from '../case/case-type.ts'
import { anyKind, type Foreseen } from './foreseen.ts'

const text: Foreseen = { kinds: ['string'], mayFail: false, isData: true }
/** Both always have keys. */
const envelope: Foreseen = { kinds: ['dict'], truth: true, mayFail: false, isData: true }

/** Subjects that always exist when assertions run. */
const certain: ReadonlyMap<string, Foreseen> = new Map([
  ['text', text],
  ['stdout', text],
  ['stderr', text],
  ['context_json', envelope],
  [chainTarget, envelope],
])

/** Any other subject may be missing, so every assertion on it can fail. */
export const foreseenSubject = (name: string): Foreseen =>
  certain.get(name) ?? { kinds: anyKind, mayFail: true, isData: true }
