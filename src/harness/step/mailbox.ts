/** Reads the requests that work left in its mailbox, and takes them into issue memory. */
import { Flaw } from '../../kernel/artifact/flaw.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import {
  mailboxOf,
  requestBytesMax,
  requestsMax,
  takenName,
} from '../../kernel/harness/step/mailbox.ts'
import {
  changeOfRequest,
  madeBefore,
  readRequest,
  requestKey,
  takenOf,
  takenWords,
} from '../../kernel/harness/step/step-request.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { StepJournal } from '../../wire/harness/step-journal.ts'
import { type FoundRequest, TakenRequest } from '../../wire/harness/step-request.ts'
import { decodedUtf8 } from '../../world/utf8.ts'
import type { Harness } from '../harness.ts'
import { JournalFile } from './journal-file.ts'
import { evidenceName, StepFolder } from './step-folder.ts'

export interface TakenRequests {
  /** The journal with the requests, so that a recovery does not read the mailbox again. */
  readonly journal: StepJournal
  readonly requests: readonly TakenRequest[]
  /** For people and for the next attempt: what was refused or dropped. */
  readonly notes: readonly string[]
}

/**
 * Called when no process of the work runs any more. The journal has the requests before the first of
 * them is taken, and each has a key in issue memory, so that a kill does not make one twice.
 */
export async function takeRequests(harness: Harness, begun: StepJournal): Promise<TakenRequests> {
  const { found, dropped } = begun.requests
    ? { found: begun.requests, dropped: [] }
    : await readMailbox(harness, begun.stepId)
  const journal = { ...begun, requests: found }
  if (!begun.requests && found.length > 0) {
    await new JournalFile(harness, begun.workerId).write(journal)
  }
  const requests: TakenRequest[] = []
  for (const one of found) requests.push(await take(harness, one, journal))
  const folder = new StepFolder(harness, begun.stepId)
  // A step that was killed early has none yet.
  await folder.make()
  await folder.write(
    takenName,
    requests.map(one => documentOf(TakenRequest, one)),
  )
  const words = requests.map(one => ({ ...one, words: visible(takenWords(one)) }))
  for (const message of [...words.map(one => one.words), ...dropped]) {
    harness.emit({ event: 'note', message })
  }
  const refused = words.filter(({ result }) => result === 'refused').map(one => one.words)
  return { journal, requests, notes: [...refused, ...dropped] }
}

async function take(
  { store, changeAuthority }: Harness,
  { key, request }: FoundRequest,
  journal: StepJournal,
): Promise<TakenRequest> {
  const before = madeBefore(request, key, await store.read())
  if (before) return takenOf(request, before)
  const authority = await changeAuthority().authority()
  return takenOf(request, await store.mutate(authority, changeOfRequest(request, key, journal)))
}

interface Found {
  readonly found: readonly FoundRequest[]
  readonly dropped: readonly string[]
}

/** How many of the dropped files are named. */
const namedMax = 10

async function readMailbox(harness: Harness, stepId: string): Promise<Found> {
  const { disk, sha256 } = harness
  const mailbox = mailboxOf(harness, stepId)
  // Without a sandbox, work can put a link in its place.
  if ((await disk.entry(mailbox))?.kind !== 'folder') return { found: [], dropped: [] }
  const names = (await harness.namesIn(mailbox)).filter(name => name !== evidenceName)
  const found: FoundRequest[] = []
  const dropped: string[] = []
  for (const name of names.slice(0, requestsMax)) {
    const text = await textOf(harness, `${mailbox}/${name}`)
    const request = typeof text === 'string' ? readRequest(text) : text
    if (request instanceof Flaw) dropped.push(`${visible(name)}: ${request}`)
    else if (typeof text === 'string') {
      found.push({ key: requestKey(stepId, name, text, sha256), request })
    }
  }
  return { found, dropped: droppedWords(dropped, names.length) }
}

function droppedWords(dropped: readonly string[], count: number): readonly string[] {
  const named = dropped.slice(0, namedMax).map(one => `a request of the work was dropped: ${one}`)
  const unnamed = dropped.length - named.length
  const tooMany = Math.max(0, count - requestsMax)
  return [
    ...named,
    ...(unnamed > 0 ? [`${unnamed} more requests of the work were dropped for such reasons`] : []),
    ...(tooMany > 0
      ? [`${tooMany} requests of the work were dropped: a step takes ${requestsMax}`]
      : []),
  ]
}

async function textOf({ disk }: Harness, path: string): Promise<string | Flaw> {
  const file = await disk.openPlain(path)
  if (!file) return new Flaw('is not a plain file')
  try {
    const bytes = await file.read(0, requestBytesMax + 1)
    if (bytes.length > requestBytesMax) return new Flaw(`is larger than ${requestBytesMax} bytes`)
    return decodedUtf8(bytes) ?? new Flaw('is not UTF-8')
  } finally {
    await file.close()
  }
}
