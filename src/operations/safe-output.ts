/** Files that a flag names to be written: anything but what the project must not lose. */
import { Fault } from '../fault.ts'
import { eventsPathOf } from '../kernel/work/issue-event-line.ts'
import type { OpenIssues } from './open-issues.ts'
import type { OperationContext } from './operation.ts'
import { resolvePath } from './project-root.ts'

/** Where a file that is given by a flag really lies, once it is known to be safe to write. */
export async function safeOutput(
  given: string,
  { root, store }: OpenIssues,
  context: OperationContext,
  spared: readonly string[] = [],
): Promise<string> {
  const disk = await context.disk()
  const path = await disk.realPath(resolvePath(context.cwd(), given))
  const kept = [
    [store.path, 'the issue memory itself'],
    [`${store.path}.lock`, 'the lock of the issue memory'],
    [eventsPathOf(store.path), 'the event log of the issue memory'],
    [`${root}/.premath/policy.json`, 'the policy of the project'],
    [`${root}/.premath/capability-registry.json`, 'the capability registry of the project'],
  ] as const
  for (const [file, what] of kept) {
    if (spared.includes(file) || path !== (await disk.realPath(file))) continue
    throw new Fault('usage', `${given} is ${what}`, {
      hint: 'Name another file; this one would be overwritten.',
    })
  }
  return path
}
