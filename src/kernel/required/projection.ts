/** Decides which checks a change requires. */
import picomatch from 'picomatch'
import type { RequiredProjection } from '../../wire/required/projection.ts'
import type { PathRule, RequiredChecks } from '../../wire/required/required-checks.ts'
import { byCodePoint, canonicalJson, type Sha256 } from '../canonical.ts'

/** `changedPaths` are normal paths. */
export function projectChecks(
  rules: RequiredChecks,
  changedPaths: readonly string[],
  sha256: Sha256,
): RequiredProjection {
  const { projectionPolicy, order } = rules
  const { checks, reasons, docsOnly } = demanded(rules, changedPaths)
  const requiredChecks = order.filter(check => checks.has(check))
  const material = { projectionPolicy, changedPaths, requiredChecks }
  return {
    schema: 1,
    projectionPolicy,
    projectionDigest: `proj1_${sha256(canonicalJson(material))}`,
    changedPaths,
    requiredChecks,
    docsOnly,
    reasons: [...reasons].sort(byCodePoint),
  }
}

interface Demanded {
  readonly checks: ReadonlySet<string>
  readonly reasons: ReadonlySet<string>
  readonly docsOnly: boolean
}

function demanded(rules: RequiredChecks, paths: readonly string[]): Demanded {
  const baseline = new Set(rules.baseline)
  if (paths.length === 0) {
    return { checks: baseline, reasons: new Set(['empty_delta_fallback_baseline']), docsOnly: true }
  }
  const isDocument = matcherOf(rules.docs?.paths ?? [])
  const docsOnly = paths.every(isDocument)
  const replacing = touched(rules.rules, 'replace', paths)
  if (replacing.length > 0) return { ...sumOf(replacing), docsOnly }
  const adding = touched(rules.rules, 'add', paths)
  const isNamed = matcherOf(adding.flatMap(rule => rule.paths))
  const { checks, reasons } = sumOf(adding)
  if (paths.some(path => !isNamed(path) && !isDocument(path))) {
    const unknown = 'non_doc_unknown_surface_fallback_baseline'
    return { checks: baseline, reasons: new Set([...reasons, unknown]), docsOnly }
  }
  if (!docsOnly) return { checks, reasons, docsOnly }
  const more = sumOf(touched(rules.rules, 'add_if_docs_only', paths))
  const always = rules.docs?.checks ?? []
  return {
    checks: new Set([...checks, ...more.checks, ...always]),
    reasons: new Set([...reasons, ...more.reasons, ...(always.length > 0 ? ['docs_only'] : [])]),
    docsOnly,
  }
}

const touched = (rules: readonly PathRule[], mode: PathRule['mode'], paths: readonly string[]) =>
  rules.filter(rule => (rule.mode ?? 'add') === mode && paths.some(matcherOf(rule.paths)))

const sumOf = (rules: readonly PathRule[]) => ({
  checks: new Set(rules.flatMap(({ checks }) => checks)),
  reasons: new Set(rules.map(({ reason }) => reason)),
})

/** Case counts: a document is named exactly, since fewer checks are required for it. */
const matcherOf = (patterns: readonly string[]): ((path: string) => boolean) => {
  if (patterns.length === 0) return () => false
  const matches = picomatch([...patterns], { dot: true, nonegate: true })
  return path => matches(path)
}
