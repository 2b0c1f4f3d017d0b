/** Reads `.premath/policy.json`. */
import { Fault } from '../fault.ts'
import { newerFlaw, newerHint } from '../kernel/artifact/flaw.ts'
import {
  defaultPolicy,
  type MutationPolicy,
  mutationPolicyPath,
  readMutationPolicy,
} from '../kernel/authority/mutation-policy.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../kernel/json.ts'
import { MutationPolicy as Document } from '../wire/policy/mutation-policy.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { OperationContext } from './context.ts'
import { whyNotMissing } from './dangling-link.ts'

/** The policy as its file says it. */
export interface WrittenPolicy {
  /** The default policy where there is no file. */
  readonly policy: MutationPolicy
  /** The JSON document in the file; `undefined` where there is no file. */
  readonly document: JsonObject | undefined
}

export async function readPolicy(
  root: string,
  { files }: Pick<OperationContext, 'files'>,
): Promise<WrittenPolicy> {
  const path = `${root.replace(/\/$/, '')}/${mutationPolicyPath}`
  const bytes = await policyBytes(path, files)
  if (bytes === undefined) {
    const why = await whyNotMissing(path, files)
    if (why !== undefined) throw corrupt(path, why)
    return { policy: defaultPolicy, document: undefined }
  }
  const document = documentIn(bytes, path)
  const policy = readMutationPolicy(document)
  if (typeof policy === 'string') {
    const isNewer = isJsonObject(document) && newerFlaw(Document, document) !== undefined
    throw corrupt(path, policy, isNewer ? newerHint : mendHint)
  }
  return { policy, document: document as JsonObject }
}

/** The user did not name this file, so an unreadable one is not bad input. */
async function policyBytes(path: string, files: OperationContext['files']) {
  try {
    return await files.readIfPresent(path)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { message, hint = '', detail } = error
    throw new Fault('unavailable', message, { hint, detail, cause: error })
  }
}

function documentIn(bytes: Uint8Array, path: string): Json {
  try {
    return parseJson(decodeUtf8(bytes))
  } catch (error) {
    if (error instanceof Fault) throw corrupt(path, error.message)
    throw error
  }
}

const mendHint = 'Fix the file, restore it from version control, or remove it and run premath init.'

/** A policy that cannot be read may forbid the command. */
function corrupt(path: string, why: string, hint = mendHint): Fault {
  return new Fault('corrupt', `the policy ${path} cannot be trusted: ${why}`, {
    hint,
    detail: { path },
  })
}
