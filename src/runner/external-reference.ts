/** How references to outside the contract root are followed, by whoever can. */
import {
  type ExternalGrounds,
  type ExternalRef,
  externalDenial,
} from '../kernel/spec/external-ref.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'

/**
 * Gets the text of documents that one provider has. Asked only for what capability and policy
 * allow (SPEC-HARNESS-CONTRACT, Path Safety).
 */
export interface ExternalResolver {
  readonly provider: string
  /** `rules` is what the case says under `references`. `undefined`: the provider has none. */
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
  return text === undefined ? { refused: `is not known to ${ref.provider}` } : { text }
}
