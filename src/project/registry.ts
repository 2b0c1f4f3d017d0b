/** Reads the claims of a project in `.premath/capability-registry.json`. */
import { Fault } from '../fault.ts'
import { isJsonObject, type Json, parseJson } from '../kernel/json.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { OperationContext } from './context.ts'
import { whyNotMissing } from './dangling-link.ts'

const registryPath = '.premath/capability-registry.json'

/** The profiles that the registry claims; none where there is no registry. */
export async function readRegistry(
  root: string,
  { files }: Pick<OperationContext, 'files'>,
): Promise<readonly string[]> {
  const path = `${root.replace(/\/$/, '')}/${registryPath}`
  const bytes = await files.readIfPresent(path)
  if (bytes) return claimsIn(bytes, path)
  const why = await whyNotMissing(path, files)
  if (why !== undefined) throw corrupt(path, why)
  return []
}

function claimsIn(bytes: Uint8Array, path: string): readonly string[] {
  const claims = registryIn(bytes, path)['profileOverlayClaims'] ?? []
  if (Array.isArray(claims) && claims.every(claim => typeof claim === 'string')) return claims
  throw corrupt(path, 'profileOverlayClaims must be a list of text')
}

function registryIn(bytes: Uint8Array, path: string) {
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

/** An unreadable registry may claim governance, so no verdict without it can be trusted. */
function corrupt(path: string, why: string): Fault {
  return new Fault('corrupt', `the capability registry ${path} cannot be trusted: ${why}`, {
    hint: 'Restore the file from version control.',
    detail: { path },
  })
}
