import { z } from 'zod'
import { NonEmpty } from '../primitives.ts'

const kind = 'premath.operator_grant.v1'

/** One line of `.premath/memory/grants.jsonl`. */
export const OperatorGrantRecord = z
  .looseObject({
    action: NonEmpty,
    at: z.iso.datetime({ offset: true }),
    grantKind: z.literal(kind),
    mode: z.literal('human-override'),
    operator: NonEmpty,
    reason: NonEmpty,
    schema: z.literal(1),
    surface: NonEmpty,
  })
  .meta({ title: kind, description: 'What an override let through, who asked and why.' })
