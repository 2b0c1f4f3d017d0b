/** Reads files that a case names, below the contract root. */
import { Fault } from '../../fault.ts'
import type { ContractPath } from '../../kernel/spec/contract-path.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { ExecutionContext } from '../execution-context.ts'

/** Larger files are refused, because they are held in memory. */
const fileBytesMax = 64 * 1024 * 1024

/** `at` is the key that names the file. */
export async function contractFile(
  path: ContractPath,
  at: string,
  { document, run }: ExecutionContext,
): Promise<{ readonly bytes: Uint8Array } | SpecError> {
  const unread = (why: string): SpecError => ({
    category: 'runtime',
    message: `cannot read fixture file ${path}: ${why}`,
    path: at,
  })
  try {
    const place = await run.roots.confined(document.root, path)
    if ('refused' in place) {
      return { category: 'schema', message: `${at} ${place.refused}`, path: at }
    }
    // Check the kind first: reading a pipe would block.
    const stamp = await (await run.world.disk()).stamp(place.realPath)
    if (stamp !== undefined && stamp.size > fileBytesMax) {
      return unread(`it is larger than ${fileBytesMax / 1024 / 1024} MB`)
    }
    return { bytes: await run.world.files.read(place.realPath) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return unread(run.roots.withoutRoot(error, document.root))
  }
}
