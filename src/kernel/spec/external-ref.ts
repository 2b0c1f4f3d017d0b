/**
 * References to documents outside the contract root: `external://provider/id`, denied by default.
 */
import { nearest } from '../text/nearest.ts'

export interface ExternalRef {
  readonly provider: string
  readonly id: string
}

/** The capability that the runner must declare and the case must require. */
export const externalCapability = 'external.ref.v1'

export function parseExternalRef(text: string): ExternalRef | { readonly refused: string } {
  const [, provider, id] = /^external:\/\/([A-Za-z0-9][\w.-]*)\/(\S+)$/.exec(text.trim()) ?? []
  if (provider === undefined || id === undefined) {
    return { refused: 'must be of the form external://provider/id' }
  }
  return { provider, id }
}

/** `harness.spec_lang.references` of a case. */
interface ExternalPolicy {
  readonly mode: 'deny' | 'allow'
  readonly providers: readonly string[]
}

export interface ExternalGrounds {
  readonly policy: ExternalPolicy
  /** Capabilities the case requires. */
  readonly required: readonly string[]
  /** Capabilities of the runner. */
  readonly offered: ReadonlySet<string>
  /** Providers with a resolver. */
  readonly resolvers: readonly string[]
}

/** Why the reference is denied; `undefined` if it is allowed. */
export function externalDenial(
  { provider }: ExternalRef,
  { policy, required, offered, resolvers }: ExternalGrounds,
): string | undefined {
  if (policy.mode !== 'allow') {
    return 'is denied: harness.spec_lang.references.mode is not allow'
  }
  if (!policy.providers.includes(provider)) {
    return `is denied: harness.spec_lang.references.providers does not list ${provider}`
  }
  if (!required.includes(externalCapability)) {
    return `is denied: the case does not require the capability ${externalCapability}`
  }
  if (!offered.has(externalCapability)) {
    return `is denied: this runner was not given the capability ${externalCapability}`
  }
  if (resolvers.includes(provider)) return undefined
  const meant = nearest(provider, resolvers)
  return `has no resolver for ${provider}${meant ? `, only for ${meant}` : ''}`
}
