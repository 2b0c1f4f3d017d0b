/** The required checks that verify the work of a step. */
import type { RequiredProjection } from '../../wire/required/projection.ts'
import type { RequiredChecks } from '../../wire/required/required-checks.ts'
import type { Sha256 } from '../canonical.ts'
import type { Checks } from '../instruction/checks.ts'
import { projectChecks } from './projection.ts'

/** The rules that judge the work, with the command of every check. */
export interface RequiredRules {
  readonly rules: RequiredChecks
  readonly commands: Checks
}

interface StepChecks {
  readonly projection: RequiredProjection
  /** Each stands behind those that must pass before it. */
  readonly checkIds: readonly string[]
}

/** The baseline verifies work that requires no check, if `isAlone`: something must. */
export function stepChecks(
  rules: RequiredChecks,
  changedPaths: readonly string[],
  isAlone: boolean,
  sha256: Sha256,
): StepChecks {
  const projection = projectChecks(rules, changedPaths, sha256)
  const { requiredChecks } = projection
  const isEmpty = requiredChecks.length === 0
  return {
    projection,
    checkIds: inTurn(isAlone && isEmpty ? rules.baseline : requiredChecks, rules),
  }
}

/** All commands that may judge the work, as one text: the files that they run are protected. */
export const commandsOf = ({ rules, commands }: RequiredRules): readonly string[] =>
  rules.order.flatMap(checkId => commands.get(checkId) ?? [])

export const timeoutMsOf = ({ checks = {} }: RequiredChecks, checkId: string) => {
  const seconds = checks[checkId]?.timeoutSeconds
  return seconds === undefined ? undefined : seconds * 1000
}

/** The rules have no cycle: their reader refuses one. */
function inTurn(chosen: readonly string[], { checks = {} }: RequiredChecks): readonly string[] {
  const taken = new Set<string>()
  const take = (checkId: string) => {
    if (!chosen.includes(checkId) || taken.has(checkId)) return
    for (const before of checks[checkId]?.after ?? []) take(before)
    taken.add(checkId)
  }
  for (const checkId of chosen) take(checkId)
  return [...taken]
}
