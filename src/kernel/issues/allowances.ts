/** What the work of an issue may change although it judges the work. A person sets it. */
import type { OverrideActor } from '../authority/override-actor.ts'
import { isJsonObject, type Json } from '../json.ts'
import { trim } from '../text/clean.ts'
import type { Issue } from './issue.ts'
import { withMetadata } from './issue-metadata.ts'

export interface Allowances {
  /** Patterns of protected paths that the work may change. */
  readonly mayChange: readonly string[]
  /** True if the specs of the issue come with the work. */
  readonly writesSpecs: boolean
  /** Who confirmed them last; absent in rows of earlier versions. */
  readonly confirmedBy?: OverrideActor
}

/** The names in the metadata of a row. */
export const mayChangeKey = 'premathMayChange'
const writesSpecsKey = 'premathWritesSpecs'
const confirmedByKey = 'premathAllowedBy'

export function allowancesOf({ metadata }: Issue): Allowances {
  const { [mayChangeKey]: given, [writesSpecsKey]: writes } = isJsonObject(metadata) ? metadata : {}
  const mayChange = Array.isArray(given) ? given.filter(one => typeof one === 'string') : []
  return { mayChange, writesSpecs: writes === true }
}

/** Metadata with these allowances added. A blank pattern removes all of them first. */
export function withAllowances(issue: Issue, given: Partial<Allowances>): Json | undefined {
  const patterns = given.mayChange?.map(trim) ?? []
  const before = patterns.includes('') ? { mayChange: [], writesSpecs: false } : allowancesOf(issue)
  const named = patterns.filter(pattern => pattern !== '')
  const mayChange = [...new Set([...before.mayChange, ...named])]
  const {
    [mayChangeKey]: _patterns,
    [writesSpecsKey]: _writes,
    [confirmedByKey]: _by,
    ...others
  } = withMetadata(issue, {})
  const metadata = {
    ...others,
    ...(mayChange.length > 0 && { [mayChangeKey]: mayChange }),
    ...((given.writesSpecs || before.writesSpecs) && { [writesSpecsKey]: true }),
    ...(given.confirmedBy && { [confirmedByKey]: { ...given.confirmedBy } }),
  }
  return Object.keys(metadata).length > 0 ? metadata : undefined
}
