/** Files that a flag names to be written: anything but what the project must not lose. */

import { Fault } from '../fault.ts'
import { eventsPathOf } from '../kernel/issues/events/issue-event-line.ts'
import { proofsFolderOf } from '../kernel/proof/proof-folder.ts'
import { usesFolderOf } from '../store/file/instruction-uses.ts'
import type { Disk } from '../world/world.ts'
import type { OperationContext } from './context.ts'
import { isWithin, resolvePath } from './paths.ts'

/** A project and its issue memory. */
export interface Kept {
  readonly root: string
  readonly store: { readonly path: string }
}

/** Where a file that is given by a flag really lies, once it is known to be safe to write. */
export async function safeOutput(
  given: string,
  project: Kept,
  context: OperationContext,
  spared: readonly string[] = [],
): Promise<string> {
  const disk = await context.disk()
  const path = await disk.realPath(resolvePath(context.cwd(), given))
  await mustBeSpare(path, given, project, disk, spared)
  return path
}

/** Faults where writing the real path would cost the project something; `given` is what it is called. */
export async function mustBeSpare(
  path: string,
  given: string,
  { root, store }: Kept,
  disk: Disk,
  spared: readonly string[] = [],
): Promise<void> {
  const kept = [
    [store.path, 'the issue memory itself'],
    [`${store.path}.lock`, 'the lock of the issue memory'],
    [eventsPathOf(store.path), 'the event log of the issue memory'],
    [`${root}/.premath/policy.json`, 'the policy of the project'],
    [`${root}/.premath/policy-log.jsonl`, 'the log of policies that were put in force'],
    [`${root}/.premath/checks.json`, 'the checks of the project'],
    [`${root}/.premath/capability-registry.json`, 'the capability registry of the project'],
  ] as const
  for (const [file, what] of kept) {
    if (spared.includes(file) || path !== (await disk.realPath(file))) continue
    throw new Fault('usage', `${given} is ${what}`, {
      hint: 'Name another file; this one would be overwritten.',
    })
  }
  await mustLieElsewhere(path, given, { root, store }, disk)
}

/** Each file there says something by being there. */
async function mustLieElsewhere(
  path: string,
  given: string,
  { root, store }: Kept,
  disk: Disk,
): Promise<void> {
  const kept = [
    [usesFolderOf(store.path), 'the instructions that were used'],
    [proofsFolderOf(store.path), 'the proofs of closed issues'],
    [`${root}/.premath/steps`, 'the journals of steps'],
    [`${root}/artifacts/ciwitness`, 'the witnesses'],
  ] as const
  for (const [folder, what] of kept) {
    if (!isWithin(path, await disk.realPath(folder))) continue
    throw new Fault('usage', `${given} lies among ${what}, and is none of them`, {
      hint: 'Name a file elsewhere.',
    })
  }
}
