import { Fault } from '../../fault.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { dumpEvents, type IssueEvent } from '../../kernel/issues/events/issue-event.ts'
import { printEvent } from '../../kernel/issues/events/issue-event-line.ts'
import { BadEvent, eventStreamRef, replayEvents } from '../../kernel/issues/events/issue-replay.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible } from '../../kernel/text/visible.ts'
import { rewriteRefusal } from '../../project/authority/rewrite-authority.ts'
import type { OperationContext } from '../../project/context.ts'
import { backUp, eventsField, eventsPlace } from '../../project/issues/event-files.ts'
import { openProject } from '../../project/open.ts'
import { fileStore, messageOf, openIssues } from '../../project/open-issues.ts'
import { mustStayInside } from '../../project/paths.ts'
import { protectedPaths, safeOutput } from '../../project/safe-output.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { MigrateEventsAnswer } from '../../wire/answers/issue-files.ts'
import type { Disk } from '../../world/world.ts'
import { operation } from '../operation.ts'

export const issueMigrateEvents = operation({
  group: 'issue',
  summary: 'Rewrite the event log from the rows.',
  description:
    'Writes one event per issue and dependency, as earlier tools read them. It checks that the events replay to the same memory before it replaces anything. A log with more information than the new one is kept beside it.',
  effect: 'projection',
  opId: 'op/issue.migrate_events',
  input: { ...eventsField, ...changeFields },
  output: MigrateEventsAnswer,
  examples: {
    'premath issue migrate-events': 'how many events were written',
    'premath issue migrate-events --events old-tool.jsonl --json': 'a log for another tool',
  },

  async run({ events: given, ...input }, context) {
    const open = await openIssues(await openProject(context), input)
    const refused = await rewriteRefusal(open, 'issue.migrate-events', input)
    if (refused) return rejected('issue.migrate-events', open.issuesPath, refused)
    const { path, shown } = eventsPlace(given, open, context)
    const disk = await context.disk()
    const store = fileStore(open)
    // The default path must not be a link that leads outside.
    if (given === undefined) await mustStayInside(path, store.files.folder, disk)
    else await safeOutput(given, protectedPaths(open), context, [store.files.events])
    const done = await store.locked(async () => {
      const memory = await store.read()
      const events = checkedDump(memory, context)
      const text = events.map(event => `${printEvent(event)}\n`).join('')
      const previous = await keepPrevious(path, text, disk, context)
      await disk.makeFolder(folderOf(path))
      await disk.replace(path, new TextEncoder().encode(text))
      return { events, memory, previous }
    })
    const { events, memory, previous } = done
    return {
      output: {
        action: 'issue.migrate-events',
        equivalent: true,
        eventCount: events.length,
        eventsPath: shown,
        eventStreamRef: eventStreamRef(events, context.sha256),
        issueCount: memory.size,
        issuesPath: open.issuesPath,
        previousEventsPath: previous ?? null,
        snapshotRef: memory.snapshotRef(context.sha256),
      },
      yes: true,
      ...messageOf(
        open,
        previous === undefined ? undefined : `note: the previous log is in ${previous}`,
      ),
      render: () =>
        `Wrote ${counted(events.length, 'event')} of ${counted(memory.size, 'issue')} to ${visible(shown)}\n`,
    }
  },
})

const folderOf = (path: string) => path.replace(/\/[^/]*$/, '') || '/'

function checkedDump(memory: IssueMemory, { sha256 }: OperationContext): readonly IssueEvent[] {
  const events = dumpEvents(memory.all(), id => memory.has(id))
  const replayed = replayEvents(events.map((event, index) => ({ event, line: index + 1 })))
  if (replayed instanceof BadEvent) throw notEquivalent(replayed.why)
  if (replayed.snapshotRef(sha256) !== memory.snapshotRef(sha256)) {
    throw notEquivalent('replaying it gives a different memory')
  }
  return events
}

const notEquivalent = (why: string) =>
  new Fault('corrupt', `the rows cannot be written as an event log: ${why}`, {
    hint: 'Nothing was written. This is a mistake in premath: report it, and keep the rows.',
  })

/** Keeps the old log under the name of its digest if the new one has less information. */
async function keepPrevious(
  path: string,
  text: string,
  disk: Disk,
  context: OperationContext,
): Promise<string | undefined> {
  const bytes = await context.files.readIfPresent(path)
  if (!bytes) return undefined
  const old = new TextDecoder().decode(bytes)
  const known = new Set(text.split('\n'))
  if (old.split('\n').every(line => known.has(line))) return undefined
  return await backUp(path, bytes, disk, context)
}
