import { z } from 'zod'
import { NonEmpty } from '../primitives.ts'
import { dependencyTypes } from './dependency-type.ts'
import { IssueRow } from './issue.ts'

const kind = 'issue.event.v1'

const head = {
  schema: z.literal(kind),
  event_id: NonEmpty,
  issue_id: NonEmpty,
  occurred_at: z.iso.datetime({ offset: true }),
  actor: NonEmpty.optional(),
  reason: NonEmpty.optional(),
}

const edge = { depends_on_id: z.string(), type: z.enum(dependencyTypes) }

const lease = {
  fence: z.int().nonnegative(),
  lease_id: z.string(),
  owner: z.string(),
  expires_at: z.iso.datetime({ offset: true }),
}

/** One line of `.premath/memory/events.jsonl`. */
export const IssueEvent = z
  .discriminatedUnion('action', [
    z.looseObject({ ...head, action: z.literal('upsert_issue'), issue: IssueRow }),
    z.looseObject({
      ...head,
      action: z.literal('add_dependency'),
      ...edge,
      created_by: NonEmpty.optional(),
    }),
    z.looseObject({ ...head, action: z.literal('remove_dependency'), ...edge }),
    z.looseObject({ ...head, action: z.literal('remove_issue') }),
    z.looseObject({
      ...head,
      action: z.literal('set_status'),
      status: z.string(),
      previous_status: z.string(),
    }),
    z.looseObject({ ...head, action: z.literal('claim_issue'), ...lease }),
    z.looseObject({ ...head, action: z.literal('renew_lease'), ...lease }),
    z.looseObject({ ...head, action: z.literal('release_lease'), ...lease }),
  ])
  .meta({ title: kind, description: 'What happened to one issue; replaying all gives the rows.' })
