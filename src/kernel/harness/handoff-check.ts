/**
 * Checks that a start and a stop agree: the mode follows from the state, the stop recommends an
 * action for the lease, and both have the same lineage. The next start checks what a stop wrote, so
 * a broken handoff is reported where it was made.
 */
import { byCodePoint } from '../canonical.ts'

export interface HandoffEvidence {
  readonly session: {
    readonly stateBefore: string
    readonly bootstrap: { readonly mode: string; readonly lineageRefs: readonly string[] }
  }
  readonly stop: {
    readonly issueId: string
    readonly leaseState: string
    readonly sessionStateAfter: string
    readonly recommendedAction: string
    readonly trajectoryRow: {
      readonly stepKind: string
      readonly witnessRefs: readonly string[]
      readonly lineageRefs: readonly string[]
    }
  }
}

/** The recommended action for each lease state. */
export const recommendedActions: Readonly<Record<string, string>> = {
  active: 'issue_lease_renew',
  stale: 'issue_claim',
  contended: 'stop',
  released: 'issue_claim',
  unleased: 'issue_claim',
}

/** Returns the failure classes, sorted. Empty if both agree. */
export function handoffClasses({ session, stop }: HandoffEvidence): readonly string[] {
  const expected = session.stateBefore === 'stopped' ? 'resume' : 'attach'
  const row = stop.trajectoryRow
  const found = [
    session.bootstrap.mode !== expected && 'harness_bootstrap_mode_mismatch',
    stop.sessionStateAfter !== 'stopped' && 'harness_stop_state_invalid',
    recommendedActions[stop.leaseState] !== stop.recommendedAction &&
      'harness_recovery_action_mismatch',
    row.stepKind !== 'premath.harness.step.v1' && 'harness_trajectory_kind_invalid',
    ...lineageClasses(session.bootstrap.lineageRefs, row.lineageRefs, stop.issueId),
    ...leaseClasses(row.witnessRefs, stop),
  ]
  const classes = found.filter(name => name !== false)
  return [...new Set(classes)].sort(byCodePoint)
}

const word = '[A-Za-z0-9._-]+'

const lineageShapes: Readonly<Record<string, RegExp>> = {
  ctx: new RegExp(`^ctx://issue/([^/]+)/${word}$`),
  cover: new RegExp(`^cover://worker-loop/([^/]+)/${word}$`),
  refinement: new RegExp(`^refinement://worker-loop/([^/]+)/[^/]+/${word}$`),
}

function lineageClasses(
  started: readonly string[],
  stopped: readonly string[],
  issueId: string,
): readonly string[] {
  const flaws = [started, stopped].flatMap(refs => lineageFlaws(refs, issueId))
  const same = started.toSorted(byCodePoint).join('\n') === stopped.toSorted(byCodePoint).join('\n')
  return same ? flaws : [...flaws, 'harness_lineage_ref_mismatch']
}

function lineageFlaws(refs: readonly string[], issueId: string): readonly string[] {
  return Object.entries(lineageShapes).flatMap(([scheme, shape]) => {
    const ref = refs.find(given => given.startsWith(`${scheme}://`))
    if (ref === undefined) return ['harness_lineage_ref_missing']
    const found = shape.exec(ref)
    if (!found) return ['harness_lineage_ref_malformed']
    return found[1] === issueId ? [] : ['harness_lineage_ref_mismatch']
  })
}

const leaseShape = new RegExp(`^lease://handoff/([^/]+)/([^/]+)/${word}$`)

function leaseClasses(
  refs: readonly string[],
  { issueId, leaseState }: HandoffEvidence['stop'],
): readonly string[] {
  const ref = refs.find(given => given.startsWith('lease://'))
  if (ref === undefined) return ['harness_handoff_lease_ref_missing']
  const found = leaseShape.exec(ref)
  if (!found) return ['harness_handoff_lease_ref_malformed']
  const [, ownIssue, ownState] = found
  return ownIssue === issueId && ownState === leaseState
    ? []
    : ['harness_handoff_lease_ref_mismatch']
}
