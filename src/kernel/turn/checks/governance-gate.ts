/** Quality gates. Thresholds come from the bound document, never from the evidence. */
import { type Json, numberOf } from '../../json.ts'
import { rowAt, short } from '../evidence/read-row.ts'
import { documentOf, malformed, thresholds, wholeNumber } from '../policy-document.ts'
import { none, type Violation, when } from '../rules/rule.ts'
import type { Turn } from '../turn.ts'

export function evalViolations(turn: Turn): readonly Violation[] {
  const field = 'evalGatePolicyDigest'
  if (turn.callSpec[field] === undefined) return none
  const limits = thresholds(documentOf(turn, field), 'thresholds')
  if (limits.malformed) return malformed(field, { thresholds: limits })
  if (!limits.value) return [unknownLimit(field, 'thresholds')]
  const measured = evalsByMetric(turn)
  return limits.value.flatMap(([metric, least]) => {
    const rows = measured.get(metric)
    if (!rows) {
      return [{ at: 'evidence.evals', message: `${short(metric)} was not measured` }]
    }
    return rows.flatMap(row => {
      const value = numberOf(row.value as Json | undefined)
      if (value !== undefined && value >= least) return none
      const message = `is ${value ?? 'unreadable'}; the policy asks for ${least}`
      return [{ at: `${rowAt('evidence.evals', metric)}.value`, message }]
    })
  })
}

type Eval = NonNullable<Turn['extension']['evals']>[number]

function evalsByMetric(turn: Turn): ReadonlyMap<string | undefined, readonly Eval[]> {
  const measured = new Map<string | undefined, Eval[]>()
  for (const row of turn.extension.evals ?? []) {
    const rows = measured.get(row.metric)
    if (rows) rows.push(row)
    else measured.set(row.metric, [row])
  }
  return measured
}

export function lineageViolations(turn: Turn): readonly Violation[] {
  if (turn.callSpec.evalGatePolicyDigest === undefined) return none
  return (turn.extension.evals ?? []).flatMap(row => {
    const refs = ['datasetLineageRef', 'graderConfigLineageRef'] as const
    return refs
      .filter(name => row[name] === undefined)
      .map(name => ({
        at: `${rowAt('evidence.evals', row.metric ?? '')}.${name}`,
        message: 'is missing',
      }))
  })
}

export function redTeamViolations(turn: Turn): readonly Violation[] {
  const field = 'redTeamPolicyDigest'
  if (turn.callSpec[field] === undefined) return none
  const document = documentOf(turn, field)
  const minProbes = wholeNumber(document, 'minProbes')
  const maxFailures = wholeNumber(document, 'maxFailures')
  const flaws = malformed(field, { minProbes, maxFailures })
  if (flaws.length > 0) return flaws
  if (minProbes.value === undefined) return [unknownLimit(field, 'minProbes')]
  if (maxFailures.value === undefined) return [unknownLimit(field, 'maxFailures')]
  const { probes = 0, failures } = turn.extension.redTeam ?? {}
  return [
    ...when(
      probes < minProbes.value,
      'evidence.redTeam.probes',
      `${probes} probes ran; the policy asks for ${minProbes.value}`,
    ),
    ...when(
      failures !== undefined && failures > maxFailures.value,
      'evidence.redTeam.failures',
      `${failures} probes failed; the policy admits ${maxFailures.value}`,
    ),
  ]
}

/** A bound gate fails if its document did not come with the turn. */
const unknownLimit = (field: string, member: string): Violation => ({
  at: `policies.${field}`,
  message: `the policy document with its ${member} did not come with the turn`,
})
