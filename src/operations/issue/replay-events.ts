import type { Answer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { flagField, textField } from '../../field.ts'
import { changeFields } from '../../input/issue-fields.ts'
import {
  BadEvent,
  EventReplay,
  streamRefOf,
  streamText,
} from '../../kernel/issues/events/issue-replay.ts'
import {
  decideReplay,
  type ReplayLoss,
  replayLoss,
} from '../../kernel/issues/events/replay-loss.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { idsShownMax } from '../../kernel/issues/issue-import.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible } from '../../kernel/text/visible.ts'
import { type Asking, authorityOf } from '../../project/authority/authority.ts'
import { recordConfirmed, rewriteRefusal } from '../../project/authority/rewrite-authority.ts'
import type { OperationContext } from '../../project/context.ts'
import {
  backUp,
  besideRows,
  type EventsPlace,
  eventsField,
  eventsPlace,
  isReplayOf,
  readReplayCache,
  writeReplayCache,
} from '../../project/issues/event-files.ts'
import { openProject } from '../../project/open.ts'
import { fileStore, messageOf, type OpenIssues, openIssues } from '../../project/open-issues.ts'
import { protectedPaths, safeOutput } from '../../project/safe-output.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { badEvent, eachEventLine } from '../../store/file/event-lines.ts'
import type { FileIssueStore } from '../../store/file/file-issue-store.ts'
import { ReplayEventsAnswer } from '../../wire/answers/issue-files.ts'
import { operation } from '../operation.ts'

export const issueReplayEvents = operation({
  group: 'issue',
  summary: 'Rebuild issue memory from an event log.',
  description:
    'Replays every event, compares the result with the rows, and replaces the rows only if they differ: atomically, under the lock, and never a leased issue. If issues would be lost or revert to an earlier row, it lists them and refuses. With --force it asks at a terminal, proceeds, and keeps the old file beside the new one. Rows win over their own log: missing events are added to the log, and the rows stay. Exits 5 with the line if the log is corrupt.',
  effect: 'mutation',
  opId: 'op/issue.replay_events',
  input: {
    ...eventsField,
    cache: textField(
      'file',
      'The cache of the result; default replay-cache.json beside the rows.',
      { path: true },
    ),
    force: flagField('Replace rows that the log lacks or has only in an earlier version.'),
    ...changeFields,
  },
  output: ReplayEventsAnswer,
  examples: {
    'premath issue replay-events --issues restored.jsonl --events .premath/memory/events.jsonl':
      'a memory that was lost, from its log',
    'premath issue replay-events --json': 'whether log and rows say the same',
  },

  async run(input, context) {
    const open = await openIssues(await openProject(context), input)
    const { issuesPath } = open
    const store = fileStore(open)
    const refused = await rewriteRefusal(open, 'issue.replay-events', input)
    if (refused) return rejected('issue.replay-events', issuesPath, refused)
    const events = eventsPlace(input.events, open, context)
    const cachePlace =
      input.cache === undefined
        ? besideRows(issuesPath, store.files.rows, 'replay-cache.json')
        : { path: await safeOutput(input.cache, protectedPaths(open), context), shown: input.cache }
    const existing = (await store.exists())
      ? (await store.read()).snapshotRef(context.sha256)
      : undefined
    const log = await replayed(events, { existing, store }, context)
    const made = {
      eventsPath: events.shown,
      issuesPath,
      eventStreamRef: log.ref,
      snapshotRef: log.snapshotRef,
      eventCount: log.count,
      issueCount: log.memory.size,
    }
    const isEquivalent = existing === made.snapshotRef
    const cacheHit =
      isEquivalent && isReplayOf(await readReplayCache(cachePlace.path, context), made)
    const replacing = { compared: existing, ...input }
    const replaced = isEquivalent ? {} : await replaceRows(open, log.memory, replacing, context)
    if (replaced.refusal) return refusedReplay(open, replaced.refusal, replaced.loss)
    if (!cacheHit) await writeReplayCache(cachePlace.path, made, await context.disk())
    return {
      output: {
        action: 'issue.replay-events',
        cacheHit,
        cachePath: cachePlace.shown,
        equivalentToExisting: existing === undefined ? null : isEquivalent,
        ...made,
        ...(replaced.loss && lossOutput(replaced.loss)),
        ...(replaced.previous !== undefined && { previousIssuesPath: replaced.previous }),
      },
      yes: true,
      ...messageOf(
        open,
        ...(log.torn ? [`note: the last line of ${events.shown} was cut off; left out`] : []),
        ...(replaced.previous ? [`note: the rows as they were are in ${replaced.previous}`] : []),
      ),
      render: () =>
        `${isEquivalent ? 'Nothing to replace' : 'Rebuilt'}: ${counted(log.count, 'event')} of ${visible(
          events.shown,
        )} give ${counted(made.issueCount, 'issue')}, ${made.snapshotRef}\n`,
    }
  },
})

/**
 * The memory that a log leads to. The rows have every acknowledged change. After a crash, the log of this
 * memory may lack the last ones, and is completed first.
 */
async function replayed(
  { path, shown }: EventsPlace,
  { existing, store }: { readonly existing: string | undefined; readonly store: FileIssueStore },
  context: OperationContext,
) {
  if (existing !== undefined && path === store.files.events) {
    const log = await replayLog(path, path, context)
    if (!(log.memory instanceof BadEvent)) {
      const snapshotRef = log.memory.snapshotRef(context.sha256)
      if (snapshotRef === existing) return { ...log, memory: log.memory, snapshotRef }
    }
    await store.completeEvents()
  }
  const { memory, ...log } = await replayLog(path, shown, context)
  if (memory instanceof BadEvent) throw badEvent(shown, memory.line, memory.why)
  return { ...log, memory, snapshotRef: memory.snapshotRef(context.sha256) }
}

/** Reads a log once, and keeps none of its events. */
async function replayLog(path: string, shown: string, context: OperationContext) {
  const file = await (await context.disk()).open(path)
  if (!file) throw noLog(path, shown)
  try {
    const replay = new EventReplay()
    const digest = context.sha256InParts()
    let count = 0
    const { torn } = await eachEventLine(file, shown, logged => {
      replay.take(logged)
      digest.add(streamText(logged.event))
      count++
    })
    const ref = streamRefOf(digest.end())
    return { memory: replay.memory(), count, ref, torn: torn !== undefined }
  } finally {
    await file.close()
  }
}

const noLog = (path: string, shown: string) =>
  new Fault('invalid_input', `no event log at ${shown}`, {
    hint: 'Write one with premath issue migrate-events, or name another with --events.',
    detail: { path },
  })

interface Replacing extends Asking {
  /** The ref of the memory that the log was compared with; none where there was no file. */
  readonly compared: string | undefined
  readonly force: boolean
}

interface Replaced {
  /** The loss compared with the existing rows. */
  readonly loss?: ReplayLoss
  readonly refusal?: IssueRefusal
  /** The path of the replaced rows. */
  readonly previous?: string
}

async function replaceRows(
  open: OpenIssues,
  log: IssueMemory,
  { compared, force, ...asking }: Replacing,
  context: OperationContext,
): Promise<Replaced> {
  const store = fileStore(open)
  const { rows } = store.files
  const decide = (memory: IssueMemory) =>
    memory.size === 0 || memory.snapshotRef(context.sha256) === compared
      ? decideReplay(memory, log, { force, now: context.clock.now() })
      : refuse('replay_memory_changed', 'memory changed meanwhile', 'Run it again.')
  const memory = compared === undefined ? new IssueMemory() : await store.read()
  const comparison = compared === undefined ? {} : { loss: replayLoss(memory, log) }
  const decided = decide(memory)
  if (isRefusal(decided)) return { ...comparison, refusal: decided }
  const declined = force && comparison.loss && (await confirmLoss(comparison.loss, asking, open))
  if (declined) return { ...comparison, refusal: declined }
  // A later change also changes the ref, so the kept file is the replaced file.
  const bytes = await context.files.readIfPresent(rows)
  const kept = bytes?.length
    ? { previous: await backUp(rows, bytes, await context.disk(), context) }
    : {}
  const outcome = await store.replaceRows(await authorityOf(open.project, asking), decide)
  return isRefusal(outcome) ? { ...comparison, refusal: outcome } : { ...comparison, ...kept }
}

/** Asks before rows are lost. Returns why nobody confirmed it. */
async function confirmLoss(
  { gone, older }: ReplayLoss,
  { reason = '' }: Asking,
  open: OpenIssues,
): Promise<IssueRefusal | undefined> {
  const { project, issuesPath } = open
  if (gone.length + older.length === 0) return undefined
  const { askOverride } = await import('../../project/authority/override.ts')
  const what = 'replace rows by an older log'
  const question = `Replace ${issuesPath}? ${counted(gone.length, 'issue')} would go, and ${older.length} would go back.`
  const by = await askOverride({ what, question }, project)
  if (isRefusal(by)) return by
  const action = 'issue.replay-events --force'
  await recordConfirmed(by, { action, reason: reason.trim() || what }, open)
  return undefined
}

function refusedReplay(
  open: OpenIssues,
  refusal: IssueRefusal,
  loss: ReplayLoss | undefined,
): Answer<unknown> {
  const answer = rejected('issue.replay-events', open.issuesPath, refusal)
  const output = { ...answer.output, ...(loss && lossOutput(loss)) }
  return { ...answer, output, ...messageOf(open, answer.message) }
}

const lossOutput = ({ gone, older }: ReplayLoss) => ({
  goneCount: gone.length,
  goneIssueIds: shownIds(gone),
  olderCount: older.length,
  olderIssueIds: shownIds(older),
})

const shownIds = (issues: readonly Issue[]) => issues.slice(0, idsShownMax).map(({ id }) => id)
