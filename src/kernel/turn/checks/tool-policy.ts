/** The call spec's entry for each tool, and the digests that bind the entries. */
import { byCodePoint, type Digest, digestOf } from '../../canonical.ts'
import type { Json } from '../../json.ts'
import type { catalogFields } from '../policy-document.ts'
import { type Kit, none, type Violation } from '../rules/rule.ts'
import type { RequestRow, Turn } from '../turn.ts'
import { type ToolEntry, toolEntry } from './call-index.ts'

/** Requests paired with the policy of their tool; empty without a policy. */
export function requestsUnderPolicy(
  turn: Turn,
): readonly { readonly request: RequestRow; readonly tool: ToolEntry }[] {
  if (!turn.callSpec.toolPolicy) return []
  return turn.requests.flatMap(request => {
    const tool = toolEntry(turn, request.toolName)
    return tool ? [{ request, tool }] : []
  })
}

type CatalogField = (typeof catalogFields)[number]

/** The member of each tool that a catalog digest covers, beside its name. */
const covered = {
  toolCatalogDigest: 'schemaDigest',
  deferPolicyDigest: 'deferred',
  toolExampleDigest: 'examplesDigest',
  allowedCallersDigest: 'allowedCallers',
} as const satisfies Record<CatalogField, keyof ToolEntry>

/** Digest over `[{toolName, <member>?}]`, by name. */
export function catalogDigest(tools: readonly ToolEntry[], field: CatalogField, kit: Kit): Digest {
  const member = covered[field]
  // Sorted by name: the normal form sorts rows by their text.
  const rows = [...tools]
    .sort((a, b) => byCodePoint(a.toolName ?? '', b.toolName ?? ''))
    .map(tool => ({ toolName: tool.toolName, [member]: tool[member] }))
  return digestOf(rows as unknown as Json, kit.sha256)
}

/** Reports a bound catalog digest that does not match the tool policy. */
export function catalogMismatch(turn: Turn, field: CatalogField, kit: Kit): readonly Violation[] {
  const bound = turn.callSpec[field]
  const tools = turn.callSpec.toolPolicy?.tools
  if (bound === undefined || tools === undefined) return none
  const computed = catalogDigest(tools, field, kit)
  if (computed === bound) return none
  const message = `bound is ${bound}, but the tool policy comes to ${computed}`
  return [{ at: `evidence.callSpec.${field}`, message }]
}
