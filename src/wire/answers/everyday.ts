/** The answers of `log`, `status` and `verify`. */
import { StepRow } from '../harness/step-row.ts'
import { trajectoryReport } from '../harness/trajectory-report.ts'
import { attentionFacts } from '../run/attention.ts'
import { count, flag, list, literal, nullable, positive, record, text, word } from '../shape.ts'
import { SpecReport } from '../spec/spec-report.ts'
import { UnlandedWork } from './landing.ts'
import { verdictsMembers } from './witness.ts'

export const LogAnswer = record({
  action: literal('log'),
  count,
  total: count,
  items: list(
    record({
      finishedAt: text,
      issueId: nullable(text),
      title: nullable(text),
      what: text,
      workerId: nullable(text),
      attempt: nullable(positive),
      durationMs: nullable(count),
      resultClass: text,
      failureClasses: list(text),
      stepId: nullable(text, 'null for a close by force, which is no step.'),
      landed: StepRow.members.landed,
    }),
  ),
  ...trajectoryReport,
})

export const StatusAnswer = record({
  action: literal('status'),
  working: list(
    record({
      issueId: text,
      title: text,
      workerId: text,
      since: nullable(text),
      leaseExpiresAt: nullable(text),
      isExpired: flag,
    }),
  ),
  landing: nullable(
    list(UnlandedWork),
    'null where work cannot land: without git, or before the first commit.',
  ),
  attention: list(
    record({
      about: word([
        'issue_blocked',
        'lease_expired',
        'close_failed',
        'work_lost',
        ...attentionFacts.about.words,
      ]),
      issueId: nullable(text),
      title: nullable(text),
      message: text,
      next: text,
      failureClasses: list(text),
      at: nullable(text),
    }),
  ),
  counts: record({
    total: count,
    ready: count,
    inProgress: count,
    blocked: count,
    inReview: count,
    other: count,
    closed: count,
    forced: count,
  }),
})

export const VerifyAnswer = record({
  action: literal('verify'),
  result: word(['accepted', 'rejected']),
  specs: nullable(SpecReport, 'null in a folder without specs.'),
  proofs: record({ ...verdictsMembers, verified: count }),
})
