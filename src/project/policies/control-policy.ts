/** Reads the retry and the decomposition policy: from a flag, from the project, or premath's own. */

import { badPolicy, type PolicyKind } from '../../kernel/harness/retry/control-policy.ts'
import {
  type RetryPolicy,
  readRetryPolicy,
  retryPolicyKind,
} from '../../kernel/harness/retry/retry-policy.ts'
import {
  decompositionPolicyKind,
  readDecompositionPolicy,
} from '../../kernel/harness/run/decomposition-policy.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import type { DecompositionPolicy } from '../../wire/policy/decomposition-policy.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import { absolute, translatingFaults } from '../named-document.ts'
import type { Project } from '../open.ts'

export async function openRetryPolicy(
  project: Project,
  given: string | undefined,
): Promise<RetryPolicy> {
  const { document, shown } = await openPolicy(retryPolicyKind, project, given)
  return readRetryPolicy(document, shown, project.sha256)
}

export async function openDecompositionPolicy(
  project: Project,
  given: string | undefined,
): Promise<DecompositionPolicy> {
  const { document, shown } = await openPolicy(decompositionPolicyKind, project, given)
  return readDecompositionPolicy(document, shown, project.sha256)
}

/** The document, and its path for messages. */
async function openPolicy(
  kind: PolicyKind,
  project: Project,
  given: string | undefined,
): Promise<{ readonly document: Json; readonly shown: string }> {
  const path = given === undefined ? await usualPath(kind, project) : absolute(given, project)
  const shown = given ?? path
  const bytes = await translatingFaults(
    () => project.files.readIfPresent(path),
    fault => badPolicy(kind, 'io_error', shown, fault.message, { cause: fault }),
  )
  if (!bytes) throw badPolicy(kind, 'missing', shown, 'there is no such file')
  const document = await translatingFaults(
    () => parseJson(decodeUtf8(bytes)),
    fault => badPolicy(kind, 'invalid_json', shown, fault.message, { cause: fault }),
  )
  return { document, shown }
}

async function usualPath({ path }: PolicyKind, project: Project): Promise<string> {
  const own = project.at(path)
  const hasOwn = project.isFound && (await project.files.kindOf(own)) !== undefined
  return hasOwn ? own : `${project.packageFolder()}/${path}`
}
