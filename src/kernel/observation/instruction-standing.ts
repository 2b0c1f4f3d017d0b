/**
 * Decides which instructions still matter. An old rejection stops to call for attention when a later
 * run of the same instruction was accepted, or when the issues that it was about are closed.
 */
import type { InstructionRow } from '../../wire/observation/surface.ts'
import { byCodePoint, canonicalJson } from '../canonical.ts'
import { isRefused } from '../instruction/instruction-refusal.ts'
import { scopeMutations } from '../instruction/scope-mutations.ts'
import { isJsonObject, type Json } from '../json.ts'
import { instantOf } from '../timestamp.ts'
import type { WitnessRow } from './ci-rows.ts'

/** By id, each with its standing. */
export function withStanding(
  rows: readonly WitnessRow[],
  isClosed: (issueId: string) => boolean,
): readonly InstructionRow[] {
  const newest = new Map<string, WitnessRow>()
  for (const row of rows) {
    const subject = subjectOf(row)
    const known = newest.get(subject)
    if (known === undefined || byRun(known, row) < 0) newest.set(subject, row)
  }
  return rows
    .toSorted((a, b) => byCodePoint(a.instructionId, b.instructionId))
    .map(row => ({ ...row, standing: standingOf(row, newest.get(subjectOf(row)), isClosed) }))
}

/** Two instructions with one intent and one scope ask for the same. */
const subjectOf = ({ intent, scope }: WitnessRow) => canonicalJson([intent, scope as Json])

function byRun(a: WitnessRow, b: WitnessRow): number {
  const [endedA, endedB] = [endOf(a), endOf(b)]
  if (endedA !== endedB) return endedA < endedB ? -1 : 1
  return byCodePoint(a.instructionId, b.instructionId)
}

const endOf = ({ runFinishedAt, runStartedAt }: WitnessRow) =>
  instantOf(runFinishedAt ?? runStartedAt ?? '') ?? 0n

function standingOf(
  row: WitnessRow,
  newest: WitnessRow | undefined,
  isClosed: (issueId: string) => boolean,
): InstructionRow['standing'] {
  if (newest !== row) return 'superseded'
  const issueIds = issueIdsIn(row.scope as Json)
  return issueIds.length > 0 && issueIds.every(isClosed) ? 'settled' : 'current'
}

/** The issues that a scope names. */
export function issueIdsIn(scope: Json): readonly string[] {
  const own = isJsonObject(scope) ? scope['issueId'] : undefined
  const mutations = scopeMutations(scope)
  const named = isRefused(mutations) ? [] : mutations.map(({ issueId }) => issueId)
  return [own, ...named].filter(id => typeof id === 'string')
}
