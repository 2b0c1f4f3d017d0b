import { NonEmpty } from '../primitives.ts'
import { about, artifact, literal, map, record } from '../shape.ts'

const kind = 'premath.checks.v1'

/** `.premath/checks.json`: which command each check of an instruction is. */
export const Checks = artifact(
  kind,
  'Which command each check of an instruction is.',
  record({
    schema: literal(1),
    checksKind: literal(kind),
    checks: about(map(NonEmpty), 'A shell command for each check id.'),
  }),
)
