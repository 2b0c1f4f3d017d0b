/** The answers of the commands that change one issue or edge. */
import { requestMembers } from '../harness/step-request.ts'
import { CallOrigin } from '../issue/call-origin.ts'
import { CloseProgress } from '../landing/close-request.ts'
import { Digest, PolicyDigest, Timestamp } from '../primitives.ts'
import {
  about,
  count,
  digest,
  flag,
  list,
  literal,
  type Members,
  nullable,
  optional,
  record,
  text,
  union,
} from '../shape.ts'
import {
  Blocker,
  briefMembers,
  dependencyType,
  edgeMembers,
  Holder,
  IssueBrief,
  leaseMembers,
  memoryAnswer,
  textMembers,
} from './issue-parts.ts'

/** The instruction and the turn of an agent's change. */
const WriteWitness = record({
  schema: literal(1),
  witnessKind: literal('bd.issue.write.v1'),
  witnessId: text,
  action: text,
  issueId: text,
  recordedAtUnixMs: count,
  mutationPolicy: literal('instruction-linked'),
  instruction: record({
    instructionId: text,
    witnessPath: text,
    witnessDigest: Digest,
    instructionDigest: digest('instr1_'),
    policyDigest: PolicyDigest,
    capabilityClaims: list(text),
    requiredChecks: list(text),
    executedChecks: list(text),
    failureClasses: list(text),
    joinGatePresent: flag,
    joinClosed: nullable(flag),
    joinFailureClasses: list(text),
    joinWitnessRef: nullable(text),
  }),
  call: optional(CallOrigin, 'The call of a tool that made the change.'),
})

const changeAnswer = <const Action extends string, const M extends Members>(
  action: Action,
  members: M,
) =>
  memoryAnswer(action, {
    ...members,
    writeWitness: optional(WriteWitness, 'Of a change by an agent under an instruction.'),
  })

/** The answer in the work of a step, which asks the harness for the change. */
const askedAnswer = <const Action extends keyof typeof requestMembers>(action: Action) =>
  record({
    action: literal(action),
    result: literal('asked'),
    stepId: text,
    request: record({ action: literal(action), ...requestMembers[action] }),
  })

export const AddAnswer = changeAnswer('issue.add', { issue: IssueBrief })

export const UpdateAnswer = changeAnswer('issue.update', { issue: IssueBrief })

/** The close itself, or its place in the queue. */
export const CloseAnswer = union([
  UpdateAnswer,
  memoryAnswer('issue.close', {
    result: CloseProgress.members.state,
    issue: IssueBrief,
    close: CloseProgress,
  }),
])

export const DiscoverAnswer = union([
  changeAnswer('issue.discover', {
    issue: IssueBrief,
    dependency: record({ ...edgeMembers, type: literal('discovered-from') }),
  }),
  askedAnswer('issue.discover'),
])

export const CommentAnswer = union([
  changeAnswer('issue.comment', {
    issue: IssueBrief,
    comment: record({ id: union([count, text]), author: text, text, createdAt: Timestamp }),
  }),
  askedAnswer('issue.comment'),
])

const leasedMembers = { ...briefMembers, lease: optional(record(leaseMembers)) } as const

const takenOver = {
  alreadyHeld: optional(literal(true), 'The caller held the issue before.'),
  blockers: optional(list(Blocker), 'Open issues that it waits for.'),
  previousHolder: optional(Holder, 'The holder of the expired lease that was taken over.'),
  reclaimed: optional(literal(true)),
} as const

const ClaimedIssue = record({ ...leasedMembers, ...textMembers })

export const ClaimAnswer = changeAnswer('issue.claim', { issue: ClaimedIssue, ...takenOver })

export const ClaimNextAnswer = changeAnswer('issue.claim_next', {
  claimed: about(flag, 'false if no issue is ready and free.'),
  issue: nullable(ClaimedIssue),
  ...takenOver,
})

export const LeaseRenewAnswer = changeAnswer('issue.lease_renew', {
  issue: record(leasedMembers),
  ...takenOver,
})

export const LeaseReleaseAnswer = changeAnswer('issue.lease_release', {
  changed: about(flag, 'false if it was not leased.'),
  issue: IssueBrief,
})

const dependency = record({ ...edgeMembers, type: dependencyType })

export const DepAddAnswer = union([changeAnswer('dep.add', { dependency }), askedAnswer('dep.add')])

export const DepRemoveAnswer = changeAnswer('dep.remove', { dependency })

export const DepReplaceAnswer = changeAnswer('dep.replace', {
  dependency: record({
    ...edgeMembers,
    fromType: dependencyType,
    toType: dependencyType,
    createdBy: text,
  }),
})
