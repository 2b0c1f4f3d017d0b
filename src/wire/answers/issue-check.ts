/** The answers of the commands that check issue memory. */
import { count, flag, list, literal, nullable, optional, record, text, word } from '../shape.ts'
import { edgeMembers, memoryAnswer } from './issue-parts.ts'

const CheckFinding = record({ issueId: text, class: text, message: text })

const checkMembers = {
  checkKind: literal('premath.issue_graph.check.v1'),
  result: word(['accepted', 'rejected']),
  failureClasses: list(text),
  warningClasses: list(text),
  errors: list(CheckFinding),
  warnings: list(CheckFinding),
  summary: record({
    issueCount: count,
    errorCount: count,
    warningCount: count,
    noteWarnThreshold: count,
  }),
} as const

export const CheckAnswer = memoryAnswer('issue.check', checkMembers)

export const GraphCheckAnswer = memoryAnswer('issue-graph.check', {
  mode: word(['check', 'apply']),
  result: word(['accepted', 'rejected']),
  failureClasses: list(text),
  check: record(checkMembers),
  findingCount: count,
  findings: list(
    record({
      ...edgeMembers,
      class: text,
      message: text,
      witnessPath: optional(list(text), 'The longer path that implies the edge.'),
    }),
  ),
  remedy: nullable(text),
  removedCount: optional(count),
  removedEdges: optional(list(record(edgeMembers))),
  keptEdges: optional(
    list(
      record({
        ...edgeMembers,
        failureClass: text,
        diagnostic: text,
        remedy: text,
        turnClasses: optional(list(text)),
      }),
    ),
    'Redundant edges that stay, each with the reason.',
  ),
  orderKept: optional(flag, 'The ready and blocked issues and their order stay the same.'),
})
