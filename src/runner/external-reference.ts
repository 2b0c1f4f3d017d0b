/** Resolves references to documents outside the contract root. */
import {
  type ExternalGrounds,
  type ExternalRef,
  externalDenial,
} from '../kernel/spec/external-ref.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'

/**
 * Fetches documents of one provider. It is called only if capability and policy allow it
 * (SPEC-HARNESS-CONTRACT, Path Safety).
 */
export interface ExternalResolver {
  readonly provider: string
  /**
   * `rules` is the case's `references` setting. `undefined` means that the provider has no such document.
   */
  resolve(id: string, rules: SpecValue): Promise<string | undefined>
}

export async function resolveExternal(
  ref: ExternalRef,
  rules: SpecValue,
  grounds: Omit<ExternalGrounds, 'resolvers'>,
  resolvers: readonly ExternalResolver[],
): Promise<{ readonly text: string } | { readonly refused: string }> {
  const providers = resolvers.map(({ provider }) => provider)
  const refused = externalDenial(ref, { ...grounds, resolvers: providers })
  if (refused !== undefined) return { refused }
  const resolver = resolvers.find(({ provider }) => provider === ref.provider)
  const text = await resolver?.resolve(ref.id, rules)
  return text === undefined ? { refused: `is unknown to ${ref.provider}` } : { text }
}
