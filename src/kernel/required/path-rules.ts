/** Reads `.premath/required-checks.json`, which says which checks a change requires. */
import { RequiredChecks } from '../../wire/required/required-checks.ts'
import { Flaw, shaped } from '../artifact/flaw.ts'
import type { Json } from '../json.ts'
import { nearest } from '../text/nearest.ts'
import { flawMessage } from '../unknown-key.ts'
import { leavesRoot } from './changed-paths.ts'

/** The rules, or the first flaw of the document. */
export function readPathRules(value: Json): RequiredChecks | string {
  const rules = shaped(RequiredChecks, value)
  if (rules instanceof Flaw) return flawMessage(rules, value, RequiredChecks)
  return (
    repeatedIn(rules.order) ?? unknownIn(rules) ?? patternFlaw(rules) ?? cycleIn(rules) ?? rules
  )
}

function repeatedIn(order: RequiredChecks['order']): string | undefined {
  const twice = order.find((check, place) => order.indexOf(check) !== place)
  return twice === undefined ? undefined : `order has ${twice} twice`
}

/** A check that `order` lacks would never be required, or never run. */
function unknownIn({ order, baseline, docs, rules, checks = {} }: RequiredChecks) {
  const named: readonly (readonly [at: string, checks: readonly string[]])[] = [
    ['baseline', baseline],
    ['docs.checks', docs?.checks ?? []],
    ...rules.map(({ checks: some }, place) => [`rules[${place}].checks`, some] as const),
    ['checks', Object.keys(checks)],
    ...Object.entries(checks).map(
      ([check, { after = [] }]) => [`checks[${JSON.stringify(check)}].after`, after] as const,
    ),
  ]
  for (const [at, some] of named) {
    const unknown = some.find(check => !order.includes(check))
    if (unknown === undefined) continue
    const meant = nearest(unknown, order)
    const hint = meant === undefined ? 'order lists every check' : `did you mean ${meant}?`
    return `${at} names the unknown check ${JSON.stringify(unknown)}; ${hint}`
  }
  return undefined
}

/** A pattern that fits no path at all would silently require nothing. */
function patternFlaw({ docs, rules }: RequiredChecks): string | undefined {
  const named = [
    ['docs.paths', docs?.paths ?? []] as const,
    ...rules.map(({ paths }, place) => [`rules[${place}].paths`, paths] as const),
  ]
  for (const [at, paths] of named) {
    const bad = paths.find(path => leavesRoot(path) || /^\.\/|^!|\\|\/$/.test(path))
    if (bad !== undefined) {
      return `${at} has ${JSON.stringify(bad)}; write patterns from the project folder, such as src/**`
    }
  }
  return undefined
}

/** Checks that wait for each other would wait for ever. */
function cycleIn({ order, checks = {} }: RequiredChecks): string | undefined {
  const done = new Set<string>()
  const visit = (check: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(check)) return [...above.slice(above.indexOf(check)), check]
    if (done.has(check)) return undefined
    for (const before of checks[check]?.after ?? []) {
      const cycle = visit(before, [...above, check])
      if (cycle) return cycle
    }
    done.add(check)
    return undefined
  }
  for (const check of order) {
    const cycle = visit(check, [])
    if (cycle) return `checks wait for each other in a cycle: ${cycle.join(' -> ')}`
  }
  return undefined
}
