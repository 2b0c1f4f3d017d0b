import { NonEmpty } from '../primitives.ts'
import {
  any,
  artifact,
  list,
  literal,
  map,
  optional,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.scheme_eval.request.v0'

const metadata = {
  issueId: optional(text),
  policyDigest: optional(text, 'Compared with the policy in force, and never believed.'),
  instructionRef: optional(text, 'The instruction to act under. It must be accepted.'),
  capabilityClaims: optional(list(text), 'Read, and not believed.'),
}

const SchemeCall = record({
  callId: optional(NonEmpty),
  id: optional(NonEmpty, 'Another name of callId.'),
  action: text,
  args: optional({ is: 'nullable', of: map(any) } as const),
  ...metadata,
  witnessRefs: optional(list(NonEmpty)),
  lineageRefs: optional(list(NonEmpty)),
})
export type SchemeCall = ValueOf<typeof SchemeCall>

/** A list of host calls, made one after the other. */
export const SchemeRequest = artifact(
  kind,
  'A program that is a list of host calls.',
  record({
    schema: optional(literal(1)),
    programKind: optional(word([kind, 'premath.rhai_eval.request.v0'])),
    ...metadata,
    calls: list(SchemeCall),
  }),
)
export type SchemeRequest = ValueOf<typeof SchemeRequest>
