/** Reads a policy of the harness: the one that a flag names, the project's, or premath's own. */
import { badPolicy, type PolicyKind } from '../../kernel/harness/retry/control-policy.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import { absolute, rephrasing } from '../named-document.ts'
import type { Project } from '../open.ts'

/** The document, and its path for messages. */
export async function openPolicy(
  kind: PolicyKind,
  project: Project,
  given: string | undefined,
): Promise<{ readonly document: Json; readonly shown: string }> {
  const path = given === undefined ? await usualPath(kind, project) : absolute(given, project)
  const shown = given ?? path
  const bytes = await rephrasing(
    () => project.files.readIfPresent(path),
    fault => badPolicy(kind, 'io_error', shown, fault.message, fault),
  )
  if (!bytes) throw badPolicy(kind, 'missing', shown, 'there is no such file')
  const document = await rephrasing(
    () => parseJson(decodeUtf8(bytes)),
    fault => badPolicy(kind, 'invalid_json', shown, fault.message, fault),
  )
  return { document, shown }
}

async function usualPath({ path }: PolicyKind, project: Project): Promise<string> {
  const own = project.at(path)
  const hasOwn = project.isFound && (await project.files.kindOf(own)) !== undefined
  return hasOwn ? own : `${project.packageFolder()}/${path}`
}
