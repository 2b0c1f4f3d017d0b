import { dependencyTypes } from '../issue/issue.ts'
import { NonEmpty } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  list,
  literal,
  type Members,
  nullable,
  optional,
  record,
  text,
  type ValueOf,
  variant,
  word,
} from '../shape.ts'

const kind = 'premath.harness.step_request.v1'

const asking = <const Action extends string, const M extends Members>(action: Action, members: M) =>
  record({ schema: literal(1), requestKind: literal(kind), action: literal(action), ...members })

/** What the work of a step may ask for. Nothing in it judges an issue. */
export const requestActions = ['issue.discover', 'issue.comment', 'dep.add'] as const

/** The members of each request, beside its kind. */
export const requestMembers = {
  'issue.discover': {
    parentId: NonEmpty,
    issue: record({
      id: optional(NonEmpty),
      title: NonEmpty,
      description: optional(text),
      design: optional(text),
      acceptance_criteria: optional(text),
      notes: optional(text),
      priority: optional(count),
      issue_type: optional(text),
      assignee: optional(text),
      owner: optional(text),
      labels: optional(list(text)),
    }),
  },
  'issue.comment': { id: NonEmpty, text },
  'dep.add': { issueId: NonEmpty, dependsOnId: NonEmpty, type: word(dependencyTypes) },
} as const

/** A file in the mailbox of a step. */
export const StepRequest = artifact(
  kind,
  'What the work of a step asks the harness to do.',
  variant('action', [
    asking('issue.discover', requestMembers['issue.discover']),
    asking('issue.comment', requestMembers['issue.comment']),
    asking('dep.add', requestMembers['dep.add']),
  ]),
)
export type StepRequest = ValueOf<typeof StepRequest>

/** A request as the harness found it, in the journal of its step. */
export const FoundRequest = record({
  key: about(NonEmpty, 'Names the request, so that it is taken once.'),
  request: StepRequest,
})
export type FoundRequest = ValueOf<typeof FoundRequest>

/** What became of a request, in the report of its step. */
export const TakenRequest = record({
  action: word(requestActions),
  issueId: about(NonEmpty, 'The issue that it is about.'),
  result: about(word(['taken', 'refused']), '`taken`: the change is made.'),
  createdIssueId: nullable(NonEmpty, 'The new issue of a discovery.'),
  failureClass: optional(NonEmpty),
  diagnostic: optional(NonEmpty),
})
export type TakenRequest = ValueOf<typeof TakenRequest>
