/** Where the event log is that a command is about. */

import type { Fields } from '../../field.ts'
import { eventsPathOf } from '../../kernel/issues/events/issue-event-line.ts'
import type { OperationContext } from '../context.ts'
import type { OpenIssues } from '../open-issues.ts'
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

export const eventsPlace = (
  given: string | undefined,
  { issuesPath, store }: OpenIssues,
  { cwd }: OperationContext,
): EventsPlace =>
  given === undefined
    ? beside(issuesPath, store.path, eventsPathOf(store.path).slice(folderOf(store.path).length))
    : { path: resolvePath(cwd(), given), shown: given }

/** A file in the folder of the rows. */
export const beside = (issuesPath: string, file: string, name: string): EventsPlace => ({
  path: `${folderOf(file)}${name}`,
  shown: `${folderOf(issuesPath)}${name}`,
})

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
