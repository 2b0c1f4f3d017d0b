import { NonEmpty, Timestamp } from '../primitives.ts'
import {
  artifact,
  count,
  literal,
  openRecord,
  orBlank,
  text,
  type ValueOf,
  variant,
  word,
} from '../shape.ts'
import { dependencyTypes, IssueRow } from './issue.ts'

export const issueEventKind = 'issue.event.v1'

const head = {
  schema: literal(issueEventKind),
  event_id: NonEmpty,
  issue_id: NonEmpty,
  occurred_at: Timestamp,
  actor: orBlank(NonEmpty),
  reason: orBlank(NonEmpty),
}

const edge = { depends_on_id: text, type: word(dependencyTypes) }

const lease = {
  lease_id: text,
  owner: text,
  fence: count,
  expires_at: Timestamp,
}

/** One line of `.premath/memory/events.jsonl`. */
export const IssueEvent = artifact(
  issueEventKind,
  'What happened to one issue; replaying all gives the rows.',
  variant('action', [
    openRecord({ ...head, action: literal('upsert_issue'), issue: IssueRow }),
    openRecord({
      ...head,
      action: literal('add_dependency'),
      ...edge,
      created_by: orBlank(NonEmpty),
    }),
    openRecord({ ...head, action: literal('remove_dependency'), ...edge }),
    openRecord({ ...head, action: literal('remove_issue') }),
    openRecord({
      ...head,
      action: literal('set_status'),
      status: text,
      previous_status: text,
    }),
    openRecord({ ...head, action: literal('claim_issue'), ...lease }),
    openRecord({ ...head, action: literal('renew_lease'), ...lease }),
    openRecord({ ...head, action: literal('release_lease'), ...lease }),
  ]),
)
export type IssueEvent = ValueOf<typeof IssueEvent>
