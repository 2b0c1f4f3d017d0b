/** Checks that issues state their goal and how to verify it. */
import { trim } from '../text/clean.ts'
import { graphIntegrity } from './graph/dependency-cycle.ts'
import type { Issue } from './issue.ts'
import { specsOf } from './issue-edit.ts'
import type { IssueMemory } from './issue-memory.ts'
import { isActive } from './issue-status.ts'

export const noteWarnThresholdDefault = 2_000

export interface IssueCheckFinding {
  readonly issueId: string
  readonly class: string
  readonly message: string
}

export interface IssueCheckReport {
  readonly checkKind: 'premath.issue_graph.check.v1'
  readonly result: 'accepted' | 'rejected'
  readonly failureClasses: readonly string[]
  readonly warningClasses: readonly string[]
  readonly errors: readonly IssueCheckFinding[]
  readonly warnings: readonly IssueCheckFinding[]
  readonly summary: {
    readonly issueCount: number
    readonly errorCount: number
    readonly warningCount: number
    readonly noteWarnThreshold: number
  }
}

export function checkIssues(
  memory: IssueMemory,
  noteWarnThreshold = noteWarnThresholdDefault,
): IssueCheckReport {
  const issues = memory.all()
  const errors = [...issues.flatMap(errorsOf), ...cycleErrors(memory)]
  const warnings = issues.flatMap(issue => warningsOf(issue, memory, noteWarnThreshold))
  return {
    checkKind: 'premath.issue_graph.check.v1',
    result: errors.length === 0 ? 'accepted' : 'rejected',
    failureClasses: classesOf(errors),
    warningClasses: classesOf(warnings),
    errors,
    warnings,
    summary: {
      issueCount: issues.length,
      errorCount: errors.length,
      warningCount: warnings.length,
      noteWarnThreshold,
    },
  }
}

const classesOf = (findings: readonly IssueCheckFinding[]) =>
  [...new Set(findings.map(finding => finding.class))].sort()

const finding = (issueId: string, name: string, message: string): IssueCheckFinding => ({
  issueId,
  class: `issue_graph.${name}`,
  message,
})

function errorsOf(issue: Issue): IssueCheckFinding[] {
  const errors: IssueCheckFinding[] = []
  const fail = (name: string, message: string) => errors.push(finding(issue.id, name, message))
  if (issue.title.startsWith('[EPIC]') && issue.issue_type !== 'epic') {
    fail('issue_type.epic_mismatch', 'title begins with [EPIC], so the type must be epic')
  }
  if (!isActive(issue) || issue.ephemeral) return errors
  if (!saysAcceptance(issue)) {
    fail('acceptance.missing', 'active issue must include an Acceptance section')
  }
  if (!saysVerification(issue)) {
    fail(
      'verification_command.missing',
      'active issue must include at least one verification command',
    )
  }
  return errors
}

/** Acceptance specs state both the goal and its check. */
function saysAcceptance(issue: Issue): boolean {
  return (
    trim(issue.acceptance_criteria) !== '' ||
    hasSpecs(issue) ||
    issue.description.split('\n').some(line => acceptanceLine.test(trim(line)))
  )
}

/** A line that starts with `Acceptance:`, or a Markdown heading of that name. */
const acceptanceLine = /^(?:acceptance(?: +criteria)? *:|#+ *acceptance(?: +criteria)?\b)/i

function saysVerification(issue: Issue): boolean {
  const { description, notes, acceptance_criteria } = issue
  return hasSpecs(issue) || [description, notes, acceptance_criteria].some(namesCommand)
}

const hasSpecs = (issue: Issue) => specsOf(issue).length > 0

/** Issues in a cycle never become ready. */
function cycleErrors(memory: IssueMemory): IssueCheckFinding[] {
  const { cyclePath } = graphIntegrity(memory, 'active')
  const [first] = cyclePath ?? []
  if (!cyclePath || first === undefined) return []
  const message = `active issues depend on each other: ${cyclePath.join(' -> ')}`
  return [finding(first, 'dependency.cycle', message)]
}

function warningsOf(
  issue: Issue,
  memory: IssueMemory,
  noteWarnThreshold: number,
): IssueCheckFinding[] {
  const warnings: IssueCheckFinding[] = []
  const length = charactersOf(issue.notes, noteWarnThreshold)
  if (length > noteWarnThreshold) {
    const message = `notes have ${length} characters, more than ${noteWarnThreshold}`
    warnings.push(finding(issue.id, 'notes.large', message))
  }
  if (!isActive(issue)) return warnings
  for (const target of new Set(issue.dependencies.map(row => row.depends_on_id))) {
    if (memory.has(target)) continue
    const message = `depends on ${target}, which does not exist`
    warnings.push(finding(issue.id, 'dependency.target_missing', message))
  }
  return warnings
}

/** Counts code points, but only if the text can exceed the threshold, because notes can be long. */
function charactersOf(text: string, threshold: number): number {
  if (text.length <= threshold) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}

/** The start of a verification command; words of a project's own runner follow. */
const beginnings = [
  'mise run',
  'python3',
  'cargo',
  'premath',
  'sh',
  'bash',
  'nix develop -c',
  'uv run',
  'pytest',
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'node',
  'go test',
  'make test',
  'make check',
]

const words = beginnings.map(words => words.replaceAll(' ', ' +')).join('|')

/** A command in back-quotes, anywhere in a line. */
const quoted = new RegExp(`\`[ \\t]*(?:${words})(?!\\w)`, 'i')

/**
 * A line of its own, perhaps in a list. Case-sensitive: a sentence that starts with the word is not
 * a command.
 */
const bare = new RegExp(`^(?:[-*][ \\t]*)?(?:\\$ )?(?:${words})(?!\\w)`)

/** True if the text contains a verification command. */
function namesCommand(text: string): boolean {
  return quoted.test(text) || text.split('\n').some(line => bare.test(trim(line)))
}
