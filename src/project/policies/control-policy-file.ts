/** The policy of a kind that counts: the one that is named, the project's own, or the one we bring. */
import { badPolicy, type PolicyKind } from '../../kernel/harness/retry/control-policy.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { OperationContext } from '../context.ts'
import { absolute, rephrasing } from '../named-document.ts'
import { findProjectRoot } from '../root.ts'

/** The document, and its path as a person knows it. */
export async function openPolicy(
  kind: PolicyKind,
  context: OperationContext,
  given: string | undefined,
): Promise<{ readonly document: Json; readonly shown: string }> {
  const path = given === undefined ? await usualPath(kind, context) : absolute(given, context)
  const shown = given ?? path
  const bytes = await rephrasing(
    () => context.files.readIfPresent(path),
    fault => badPolicy(kind, 'io_error', shown, fault.message, fault),
  )
  if (!bytes) throw badPolicy(kind, 'missing', shown, 'there is no such file')
  const document = await rephrasing(
    () => parseJson(decodeUtf8(bytes)),
    fault => badPolicy(kind, 'invalid_json', shown, fault.message, fault),
  )
  return { document, shown }
}

async function usualPath({ path }: PolicyKind, context: OperationContext): Promise<string> {
  const root = await findProjectRoot(context)
  const own = `${root === '/' ? '' : root}/${path}`
  const hasOwn = root !== undefined && (await context.files.kindOf(own)) !== undefined
  return hasOwn ? own : `${context.packageFolder()}/${path}`
}
