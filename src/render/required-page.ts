/** Pages about required checks. */
import type { Page } from '../answer.ts'
import { counted } from '../kernel/text/counted.ts'
import type { RequiredDelta } from '../wire/required/delta.ts'
import type { GateWitnessRef } from '../wire/required/gate-witness.ts'
import type { RequiredProjection } from '../wire/required/projection.ts'
import type { RequiredWitness } from '../wire/required/required-witness.ts'
import { type Fact, factsPage } from './titled-page.ts'

const pathsShown = 10

function pathsOf(paths: readonly string[]): string {
  const more = paths.length - pathsShown
  const first = paths.slice(0, pathsShown).join(', ')
  return more > 0 ? `${first} and ${more} more` : first
}

export const projectionFacts = (projection: RequiredProjection): readonly Fact[] => [
  ['checks', projection.requiredChecks.join(', ') || 'none'],
  ['reasons', projection.reasons.join(', ')],
  ['docs only', projection.docsOnly ? 'yes' : 'no'],
  ['changed', pathsOf(projection.changedPaths) || 'nothing'],
  ['projection', projection.projectionDigest],
]

export const projectionPage = (projection: RequiredProjection, page: Page): string =>
  factsPage(
    `${counted(projection.requiredChecks.length, 'required check')}`,
    projectionFacts(projection),
    page,
  )

export const deltaPage = (delta: RequiredDelta, page: Page): string =>
  factsPage(
    counted(delta.changedPaths.length, 'changed path'),
    [
      ['paths', pathsOf(delta.changedPaths)],
      ['from', delta.fromRef ?? 'no earlier commit: every file counts as changed'],
      ['to', delta.toRef],
      ['source', delta.source],
    ],
    page,
  )

export const gateRefPage = (ref: GateWitnessRef, page: Page): string =>
  factsPage(
    ref.checkId,
    [
      ['result', ref.result],
      ['failures', ref.failureClasses.join(', ')],
      ['source', ref.source],
      ['path', ref.artifactRelPath],
      ['sha256', ref.sha256],
    ],
    page,
  )

export const requiredWitnessPage = (
  witness: RequiredWitness,
  page: Page,
  more: readonly Fact[] = [],
): string =>
  factsPage(
    `required checks: ${witness.verdictClass}`,
    [
      ...witness.results.map(
        ({ checkId, status, exitCode, durationMs }): Fact => [
          checkId,
          `${status}, exit code ${exitCode}, ${durationMs} ms`,
        ],
      ),
      ['checks', witness.results.length === 0 ? 'none is required' : ''],
      ['failures', witness.failureClasses.join(', ')],
      ['reasons', witness.reasons.join(', ')],
      ['projection', witness.projectionDigest],
      ...more,
    ],
    page,
  )

/** A verdict with its errors, one a line. */
export const errorsPage = (title: string, errors: readonly string[], page: Page): string =>
  factsPage(
    title,
    errors.map((error, place): Fact => [String(place + 1), error]),
    page,
  )
