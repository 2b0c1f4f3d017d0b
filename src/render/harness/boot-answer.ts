/** Renders the report of a boot as JSON and as text. */

import type { Page } from '../../answer.ts'
import type { BootReason, BootReport } from '../../harness/boot.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { BootReportDocument } from '../../wire/harness/hook-reports.ts'

export function bootOutput(report: BootReport): BootReportDocument {
  const { diagnostics, target } = report
  const [recovered, ...alsoRecovered] = allRecovered(report)
  return {
    bootKind: 'premath.harness.boot.v1',
    bootstrap: report.bootstrap,
    diagnostics: {
      graphScope: 'active',
      hasCycle: diagnostics.hasCycle,
      cyclePath: diagnostics.cyclePath ?? null,
    },
    failureClasses: report.failureClasses,
    memoryRoots: report.memoryRoots,
    reasons: report.reasons,
    warnings: report.warnings,
    recovered: recovered ?? null,
    alsoRecovered,
    refs: report.refs,
    result: report.accepted ? 'accepted' : 'rejected',
    snapshot: report.snapshot,
    startup: report.startup ?? null,
    scope: report.scope ?? null,
    ...(report.observation && { observation: report.observation }),
    target: target ?? null,
    passedOver: report.passedOver,
    passedOverCount: report.passedOverCount,
  }
}

const targetWords = {
  held: 'held by this worker',
  ready: 'ready',
  reclaim: 'its lease has expired',
} as const

export function bootPage(report: BootReport, page: Page): string {
  const { accepted, reasons, target, bootstrap, snapshot } = report
  const word = accepted ? page.ink('green', 'Ready to work') : page.ink('red', 'Not ready to work')
  return [
    `${word} (${bootstrap.mode})`,
    ...reasons.flatMap(reason => reasonLines(reason, page.ink('red', '✗'))),
    ...report.warnings.flatMap(reason => reasonLines(reason, page.ink('yellow', '!'))),
    ...allRecovered(report).map(one => `  ${recoveredLine(one)}`),
    ...(bootstrap.nextStep === null ? [] : [`  Handoff: ${visible(bootstrap.nextStep)}`]),
    ...(snapshot === 'moved' ? ['  Issue memory has changed since the handoff.'] : []),
    target
      ? `  Next: ${visible(`${target.issueId}: ${target.title}`)} (${targetWords[target.why]})`
      : report.passedOverCount > 0
        ? '  No ready issue may be claimed here.'
        : '  No issue is ready.',
    ...passedOverLines(report),
    ...scopeLines(report),
    ...observationLines(report, page),
    '',
  ].join('\n')
}

const passedOverShown = 5

/** One line each, so that they fit into 80 columns. */
function passedOverLines({ passedOver, passedOverCount }: BootReport): readonly string[] {
  const shown = passedOver.slice(0, passedOverShown)
  const more = passedOverCount - shown.length
  return [
    ...shown.map(one => `  Passed over: ${visible(one.issueId)} (${one.failureClass})`),
    ...(more > 0 ? [`  Passed over: ${more} more`] : []),
  ]
}

const scopeWords = {
  startup: 'the start-up command',
  verify: 'the verify command',
  specs: 'the specs load and lint',
} as const

function scopeLines({ scope }: BootReport): readonly string[] {
  if (scope === undefined || scope.how === 'none') return []
  return [`  Verified: ${scopeWords[scope.how]} (${scope.passed ? 'passed' : 'failed'})`]
}

/** A surface may be old, so its time stands beside its reasons. */
function observationLines({ observation }: BootReport, page: Page): readonly string[] {
  if (!observation) return []
  const { unreadable, needsAttention, attentionReasons, state, evaluatedAt } = observation
  const mark = page.ink('yellow', '!')
  if (unreadable !== null) {
    const why = `the observation surface cannot be read: ${unreadable}`
    return reasonLines({ why, next: 'Build it again: premath observe-build.' }, mark)
  }
  if (!needsAttention) return []
  const reasons = attentionReasons.join(', ') || (state ?? 'unknown')
  const why = `the observation of ${evaluatedAt ?? 'an unknown time'} asks for attention: ${reasons}`
  return reasonLines({ why, next: 'See it: premath observe --mode needs_attention.' }, mark)
}

export const reasonLines = ({ why, next }: BootReason, mark: string) => [
  `  ${mark} ${visible(why)}`,
  `    → ${visible(next)}`,
]

/** The caller's own step first. */
export const allRecovered = ({ recovered, alsoRecovered }: BootReport) =>
  recovered ? [recovered, ...alsoRecovered] : alsoRecovered

const recoveredWords = {
  finished: 'was interrupted after its result was decided; it is finished now',
  undone: 'was interrupted during its work; its issue was released',
  lost: 'was interrupted, and its change is refused now; the issue was not changed',
  waiting: 'was interrupted and needs a caller with authority to finish it',
} as const

export const recoveredLine = ({ how, stepId, resultClass }: NonNullable<BootReport['recovered']>) =>
  visible(
    `The step ${stepId} ${lostWords(how, resultClass) ?? recoveredWords[how]}: ${resultClass}`,
  )

/** A more precise text for some result classes. */
function lostWords(how: string, resultClass: string): string | undefined {
  if (how !== 'lost') return undefined
  if (resultClass.startsWith('lease_')) {
    return 'was interrupted and lost its lease; the issue was not changed'
  }
  if (resultClass.startsWith('close_proof_')) {
    return 'was interrupted, and its proof is missing or stale; the issue is not closed'
  }
  return undefined
}
