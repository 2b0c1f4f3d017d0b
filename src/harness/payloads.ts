/**
 * Payloads are what commands print and what the files of an attempt say. They are shown and kept,
 * handed to a command of the user, or dropped. The observability mode of the policy decides.
 */
import { documentOf } from '../kernel/artifact/print.ts'
import type { Digest } from '../kernel/canonical.ts'
import { type ObservabilityMode, observabilityModes, Payload } from '../wire/harness/payload.ts'
import type { CommandOutput, Disk } from '../world/world.ts'
import type { Harness } from './harness.ts'

/** How much of a payload is held in memory and handed over. */
export const payloadBytesMax = 1024 * 1024

/** An attempt waits for it, so it is short. */
const processorTimeoutMs = 30_000

export interface PayloadPlace extends Pick<Harness, 'processes' | 'root' | 'env'> {
  readonly mode: ObservabilityMode
  /** Reads each payload under `internal_processor`. */
  readonly processorCommand: string | undefined
  note(message: string): void
}

/** True if payloads are shown and kept in the folder of the step. */
export const keepsPayloads = ({ policy }: Pick<Harness, 'policy'>): boolean =>
  policy.observabilityMode === 'dashboard'

export const stricter = (a: ObservabilityMode, b: ObservabilityMode): ObservabilityMode =>
  observabilityModes.indexOf(a) < observabilityModes.indexOf(b) ? b : a

export const payloadPlace = (
  { processes, root, env, policy, processorCommand, emit }: Harness,
  mode: ObservabilityMode = policy.observabilityMode,
): PayloadPlace => ({
  processes,
  root,
  env,
  mode,
  processorCommand,
  note: message => emit({ event: 'note', message }),
})

/** The outputs of a command that were not written to files. */
export async function handOverOutputs(
  place: PayloadPlace,
  source: string,
  name: string,
  outputs: Readonly<Record<'stdout' | 'stderr', CommandOutput>>,
): Promise<void> {
  for (const from of ['stdout', 'stderr'] as const) {
    const { bytes, sha256, tail } = outputs[from]
    if (bytes === 0) continue
    const truncated = bytes > new TextEncoder().encode(tail).length
    const about = { source, name: `${name}.${from}`, bytes, truncated, text: tail }
    await handOver(place, { ...about, sha256: `sha256:${sha256}` })
  }
}

/** Hands a file to the processor, and removes it in any case. */
export async function handOverFile(
  place: PayloadPlace & { readonly disk: Disk },
  source: string,
  name: string,
  path: string,
): Promise<void> {
  const { disk } = place
  const file = place.mode === 'internal_processor' ? await disk.openPlain(path) : undefined
  if (file) {
    try {
      const { size: bytes } = await file.stamp()
      const start = Math.max(0, bytes - payloadBytesMax)
      const text = new TextDecoder().decode(await file.read(start, bytes - start))
      const sha256: Digest = `sha256:${await disk.sha256(path)}`
      await handOver(place, { source, name, bytes, sha256, truncated: start > 0, text })
    } finally {
      await file.close()
    }
  }
  // Work can put anything in its place.
  if ((await disk.entry(path))?.kind === 'folder') await disk.removeFolder(path)
  else await disk.remove(path)
}

/** A processor decides nothing about the step, so its failure is a note, and the payload is gone. */
async function handOver(
  { mode, processorCommand: command, processes, root, env, note }: PayloadPlace,
  payload: Omit<Payload, 'schema' | 'payloadKind'>,
): Promise<void> {
  if (mode !== 'internal_processor') return
  const lost = `${payload.name} of ${payload.source} was dropped`
  if (command === undefined) {
    note(`${lost}: there is no processorCommand in the configuration`)
    return
  }
  const head = { schema: 1, payloadKind: 'premath.harness.payload.v1' } as const
  const document = documentOf(Payload, { ...head, ...payload, text: payload.text.toWellFormed() })
  const end = await processes.run({
    command,
    cwd: root,
    env,
    stdin: `${JSON.stringify(document)}\n`,
    timeoutMs: processorTimeoutMs,
    outputBytesMax: 0,
  })
  // Nothing that it printed: it may quote the payload.
  if (end.exitCode !== 0)
    note(`${lost}: the processor command failed (exit ${end.exitCode ?? end.signal ?? 'none'})`)
}
