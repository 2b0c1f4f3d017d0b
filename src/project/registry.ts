/** What the project claims about itself, in `.premath/capability-registry.json`. */
import { Fault } from '../fault.ts'
import { isJsonObject, type Json, parseJson } from '../kernel/json.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { OperationContext } from './context.ts'
import { findProjectRoot } from './root.ts'

const registryPath = '.premath/capability-registry.json'

/** Profiles the registry claims; none where there is no project or no registry. */
export async function registryClaims(
  context: OperationContext,
  project?: string,
): Promise<readonly string[]> {
  const root = project ?? (await findProjectRoot(context))
  if (root === undefined) return []
  const path = `${root.replace(/\/$/, '')}/${registryPath}`
  const bytes = await context.files.readIfPresent(path)
  return bytes ? claimsIn(bytes, path) : []
}

function claimsIn(bytes: Uint8Array, path: string): readonly string[] {
  const claims = registryOf(bytes, path)['profileOverlayClaims'] ?? []
  if (Array.isArray(claims) && claims.every(claim => typeof claim === 'string')) return claims
  throw corrupt(path, 'profileOverlayClaims must be a list of text')
}

function registryOf(bytes: Uint8Array, path: string) {
  let registry: Json
  try {
    registry = parseJson(decodeUtf8(bytes))
  } catch (error) {
    if (error instanceof Fault) throw corrupt(path, error.message)
    throw error
  }
  if (!isJsonObject(registry)) throw corrupt(path, 'must be an object')
  return registry
}

/** An unreadable registry may claim governance: judging without it would be a guess. */
function corrupt(path: string, why: string): Fault {
  return new Fault('corrupt', `the capability registry ${path} cannot be trusted: ${why}`, {
    hint: 'Restore the file from version control.',
    detail: { path },
  })
}
