import { z } from 'zod'
import { NonEmpty } from '../primitives.ts'

const kind = 'premath.checks.v1'

/** `.premath/checks.json`: which command each check of an instruction is. */
export const Checks = z
  .strictObject({
    schema: z.literal(1),
    checksKind: z.literal(kind),
    checks: z.record(NonEmpty, NonEmpty).describe('A shell command for each check id.'),
  })
  .meta({ title: kind, description: 'Which command each check of an instruction is.' })
