/** Where the event log is that a command is about. */

import type { Fields } from '../../field.ts'
import type { OperationContext } from '../context.ts'
import { fileStore, type OpenIssues } from '../open-issues.ts'
import { resolvePath } from '../paths.ts'

export const eventsField = {
  events: {
    type: 'text',
    describe: 'The event log; without it, memory/events.jsonl beside the rows.',
    placeholder: 'file',
    path: true,
  },
} as const satisfies Fields

export interface EventsPlace {
  readonly path: string
  /** As the person gave it, or as they would. */
  readonly shown: string
}

export function eventsPlace(
  given: string | undefined,
  open: OpenIssues,
  { cwd }: OperationContext,
): EventsPlace {
  if (given !== undefined) return { path: resolvePath(cwd(), given), shown: given }
  const { rows, events } = fileStore(open).files
  return beside(open.issuesPath, rows, events.slice(folderOf(rows).length))
}

/** A file in the folder of the rows. */
export const beside = (issuesPath: string, file: string, name: string): EventsPlace => ({
  path: `${folderOf(file)}${name}`,
  shown: `${folderOf(issuesPath)}${name}`,
})

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
