import { z } from 'zod'
import { NonEmpty, Timestamp } from '../primitives.ts'
import { attentionAbouts } from './run-words.ts'

const kind = 'premath.harness.attention.v1'

/** What a matter says, in the file and in the event that tells of it. */
export const attentionFacts = {
  about: z.enum(attentionAbouts),
  message: NonEmpty,
  next: NonEmpty.describe('What to do about it.'),
  workerId: NonEmpty.optional(),
  issueId: NonEmpty.optional(),
  stepId: NonEmpty.optional(),
  failureClasses: z.array(NonEmpty).optional(),
  blockers: z.array(NonEmpty).optional().describe('Issues that others wait for.'),
}

/** One line of `.premath/harness_attention.jsonl`. */
export const Attention = z
  .strictObject({
    schema: z.literal(1),
    attentionKind: z.literal(kind),
    at: Timestamp,
    runId: NonEmpty,
    ...attentionFacts,
  })
  .meta({ title: kind, description: 'What a person should look at; told once a run.' })
