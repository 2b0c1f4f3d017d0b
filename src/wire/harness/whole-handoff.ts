import { NonEmpty } from '../primitives.ts'
import { list, record, text, type ValueOf } from '../shape.ts'

/** `<digest>.json` in the folder of a stop: a handoff that was too long for the session. */
export const WholeHandoff = record({
  summary: text,
  nextStep: text,
  witnessRefs: list(NonEmpty),
})
export type WholeHandoff = ValueOf<typeof WholeHandoff>
