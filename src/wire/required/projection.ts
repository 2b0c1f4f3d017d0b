import { NonEmpty } from '../primitives.ts'
import { digest, flag, list, literal, record, type ValueOf } from '../shape.ts'

export const ProjectionDigest = digest('proj1_')

/** The answer of `premath required-projection`. */
export const RequiredProjection = record({
  schema: literal(1),
  projectionPolicy: NonEmpty,
  projectionDigest: ProjectionDigest,
  changedPaths: list(NonEmpty),
  requiredChecks: list(NonEmpty),
  docsOnly: flag,
  reasons: list(NonEmpty),
})
export type RequiredProjection = ValueOf<typeof RequiredProjection>
