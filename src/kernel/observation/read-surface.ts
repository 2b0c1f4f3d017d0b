/**
 * Answers questions from a surface that was written before. An earlier tool may have written it, so
 * only its kind and its outline are checked.
 */
import { surfaceKind } from '../../wire/observation/surface.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from '../json.ts'

export interface WrittenSurface {
  readonly evaluatedAt: string | null
  readonly summary: JsonObject
  readonly latest: JsonObject
  readonly instructions: readonly JsonObject[]
  readonly harness: JsonObject | undefined
  /** The whole, as it was written. */
  readonly document: JsonObject
}

/** The surface, or why the value is none. */
export function readSurface(value: Json | undefined): WrittenSurface | { readonly why: string } {
  if (!isJsonObject(value)) return { why: 'it is not a JSON object' }
  const { schema, summary, latest, instructions, harness, evaluatedAt } = value
  if (numberOf(schema) !== 1) return { why: 'schema must be 1' }
  if (value['surfaceKind'] !== surfaceKind) return { why: `surfaceKind must be ${surfaceKind}` }
  if (!isJsonObject(summary)) return { why: 'summary must be an object' }
  if (!isJsonObject(latest)) return { why: 'latest must be an object' }
  if (!Array.isArray(instructions)) return { why: 'instructions must be a list' }
  return {
    evaluatedAt: typeof evaluatedAt === 'string' ? evaluatedAt : null,
    summary,
    latest,
    instructions: (instructions as readonly Json[]).filter(isJsonObject),
    harness: isJsonObject(harness) ? harness : undefined,
    document: value,
  }
}

export const latestView = ({ summary, latest, evaluatedAt }: WrittenSurface) => ({
  ...evaluated(evaluatedAt),
  summary,
  latest,
})

export function attentionView({ summary, harness, evaluatedAt }: WrittenSurface) {
  const { needsAttention, state, topFailureClass, latestProjectionDigest } = summary
  return {
    ...evaluated(evaluatedAt),
    needsAttention: needsAttention ?? null,
    state: state ?? null,
    topFailureClass: topFailureClass ?? null,
    latestProjectionDigest: latestProjectionDigest ?? null,
    latestInstructionId: summary['latestInstructionId'] ?? null,
    coherence: summary['coherence'] ?? null,
    ...(harness && { attention: harness['attention'] ?? [] }),
  }
}

/** A surface of an earlier tool does not say when it holds. */
const evaluated = (evaluatedAt: string | null) => (evaluatedAt === null ? {} : { evaluatedAt })

export const instructionView = (
  { instructions }: WrittenSurface,
  instructionId: string,
): JsonObject | undefined => instructions.find(row => row['instructionId'] === instructionId)

export const projectionMatches = ['typed', 'compatibility_alias'] as const
export type ProjectionMatch = (typeof projectionMatches)[number]

/** Only the latest rows can be found. The alias is the digest without the policy and normalizer. */
export function projectionView(
  { latest }: WrittenSurface,
  projectionDigest: string,
  match: ProjectionMatch,
) {
  const isIt = (row: Json | undefined): row is JsonObject =>
    isJsonObject(row) &&
    (row['typedCoreProjectionDigest'] === projectionDigest ||
      (match === 'compatibility_alias' && row['projectionDigest'] === projectionDigest))
  const rowOf = (name: string) => {
    const row = latest[name]
    return isIt(row) ? row : null
  }
  const [required, delta, decision] = [rowOf('required'), rowOf('delta'), rowOf('decision')]
  if (required === null && delta === null && decision === null) return undefined
  return { projectionDigest, required, delta, decision }
}

/** The reasons for attention, each as a word. */
export function attentionReasons({ summary, harness }: WrittenSurface): readonly string[] {
  const coherence = summary['coherence']
  const reasons = isJsonObject(coherence) ? coherence['attentionReasons'] : undefined
  const items = harness?.['attention']
  const abouts = listOf(items).flatMap(item => (isJsonObject(item) ? [item['about']] : []))
  return [...new Set([...listOf(reasons), ...abouts].filter(one => typeof one === 'string'))]
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
