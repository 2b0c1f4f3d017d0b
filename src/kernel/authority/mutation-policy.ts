/** Reads `.premath/policy.json`: who may change issue memory through which surface. */
import type { ObservabilityMode } from '../../wire/harness/payload.ts'
import { MutationPolicy as Document, type MutationMode } from '../../wire/policy/mutation-policy.ts'
import { Flaw } from '../artifact/flaw.ts'
import { readAs } from '../artifact/read.ts'
import { type Digest, digestOf, type Sha256 } from '../canonical.ts'
import type { Json } from '../json.ts'
import { flawMessage } from '../unknown-key.ts'

export const mutationPolicyPath = '.premath/policy.json'

/** The document with its defaults. */
export interface MutationPolicy extends Pick<Document, 'ids' | 'witnessTtlSeconds'> {
  readonly modes: Readonly<Record<keyof Document['surfaces'], MutationMode>>
  readonly requireAgentEvidence: boolean
  /** Absent where the document does not say it, so that older policies keep their digest. */
  readonly reminderLines?: number
  /** Absent for `dashboard`. */
  readonly observabilityMode?: ObservabilityMode
  /** Absent where only somebody at a terminal may override. */
  readonly override?: 'script'
}

/** As many as the feedback about a failure has. */
export const reminderLinesDefault = 200

/** The policy, or the first flaw of the document. */
export function readMutationPolicy(value: Json): MutationPolicy | string {
  const document = readAs(Document, value, { nullIsAbsent: true })
  if (document instanceof Flaw) {
    const why = flawMessage(document, value, Document)
    return why === 'surfaces is missing' ? 'it names no surfaces, so no caller may write' : why
  }
  const { ids, witnessTtlSeconds, harness, override, surfaces } = document
  const { cli, mcp, work } = surfaces
  const mode = harness?.observabilityMode ?? 'dashboard'
  return {
    modes: { cli: cli.mode, mcp: mcp.mode, work: work.mode },
    ids,
    requireAgentEvidence: harness?.requireAgentEvidence ?? false,
    ...(harness?.reminderLines !== undefined && { reminderLines: harness.reminderLines }),
    ...(mode !== 'dashboard' && { observabilityMode: mode }),
    witnessTtlSeconds,
    ...(override === 'script' && { override }),
  }
}

/**
 * The default. People and scripts use the command line; agents use the other surfaces. If agents
 * have a shell, `operator` tells them from people.
 */
export const defaultPolicy = readMutationPolicy({
  schema: 1,
  surfaces: { cli: { mode: 'open' } },
}) as MutationPolicy

/**
 * The digest that turns and steps bind to. A newer surface with its default is left out, so that
 * older policies keep their digest.
 */
export function mutationPolicyDigest(policy: MutationPolicy, sha256: Sha256): Digest {
  const { work, ...first } = policy.modes
  const modes = work === defaultPolicy.modes.work ? first : policy.modes
  return digestOf({ ...policy, modes }, sha256)
}
