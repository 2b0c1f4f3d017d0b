/** Decides whether a turn is closed, and whether it may change issue memory. */
import { byCodePoint } from '../canonical.ts'
import { clip } from '../text/clean.ts'
import { type Demand, unmetDemands } from './mutation-demand.ts'
import { type FailureClass, ruleEntries } from './rules/index.ts'
import type { Kit } from './rules/rule.ts'
import type { Turn } from './turn.ts'

/** A failure class at a location, with a remedy. */
export interface Finding {
  readonly at: string
  readonly failureClass: FailureClass
  readonly message: string
  readonly remedy: string
}

export interface Join {
  /** True if no class was found. `turn.joinState` lists the open calls. */
  readonly joinClosed: boolean
  readonly mutationReady: boolean
  readonly failureClasses: readonly FailureClass[]
  readonly findings: readonly Finding[]
  /** Demands of the requested mutation that are not met although no class was found. */
  readonly unmet: readonly Demand[]
}

/** Longer messages would only repeat the input. */
const messageCharsMax = 600

/**
 * Runs every rule on a turn (HARNESS-TYPESTATE §5, §6). It reports all reasons, because the caller
 * records them and the next context has to fix them together.
 */
export function joinTurn(turn: Turn, kit: Kit): Join {
  const findings: Finding[] = []
  for (const [failureClass, rule] of ruleEntries) {
    for (const { at, message } of rule.find(turn, kit)) {
      findings.push({
        at,
        failureClass,
        message: clip(message, messageCharsMax),
        remedy: rule.remedy,
      })
    }
  }
  const sorted = distinct(findings)
  const joinClosed = sorted.length === 0
  const unmet = turn.claims.mutation ? unmetDemands(turn) : []
  return {
    joinClosed,
    mutationReady: joinClosed && turn.claims.mutation !== undefined && unmet.length === 0,
    failureClasses: [...new Set(sorted.map(finding => finding.failureClass))],
    findings: sorted,
    unmet,
  }
}

function distinct(findings: Finding[]): readonly Finding[] {
  if (findings.length < 2) return findings
  findings.sort(
    (a, b) =>
      byCodePoint(a.failureClass, b.failureClass) ||
      byCodePoint(a.at, b.at) ||
      byCodePoint(a.message, b.message),
  )
  return findings.filter((finding, at) => !sameAs(finding, findings[at - 1]))
}

const sameAs = (a: Finding, b: Finding | undefined) =>
  b !== undefined && a.failureClass === b.failureClass && a.at === b.at && a.message === b.message
