/** What failed in the last run here, for `--failed`; kept by every run for the next one. */
import { Fault } from '../fault.ts'
import { isError } from '../kernel/spec/document/problem.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import { below } from '../runner/contract-root.ts'
import type { LoadedDocument } from '../runner/load-documents.ts'
import type { PlannedOutcome } from '../runner/run-plan.ts'
import { type Failures, readLastFailures, writeLastFailures } from '../store/last-failures.ts'
import type { OperationContext } from './operation.ts'
import { findProjectRoot } from './project-root.ts'

type Kept = Awaited<ReturnType<typeof readLastFailures>>

/** Documents that share one cache. */
interface Shelf {
  readonly path: string
  readonly documents: readonly LoadedDocument[]
  readonly kept: Kept
}

export interface FailedChoice {
  readonly cases: readonly RawCase[]
  /** What a person should know about it. */
  readonly talk?: string
}

/** Those of the cases that failed; all of a document of which nothing is known. */
export async function failedCases(
  cases: readonly RawCase[],
  documents: readonly LoadedDocument[],
  context: OperationContext,
): Promise<FailedChoice> {
  const wanted = new Set<RawCase>()
  const talk = new Set<string>()
  const shelved = await shelves(documents, context)
  for (const { path, documents: ours, kept } of shelved) {
    if (typeof kept === 'string') talk.add(unknownTalk(path, kept))
    for (const document of ours) {
      const failed = typeof kept === 'string' ? undefined : kept.get(pathOf(document))
      for (const raw of document.cases) {
        if (typeof kept === 'string' || failed?.has(raw.id)) wanted.add(raw)
      }
    }
  }
  const chosen = shelved.length === 0 ? cases : cases.filter(raw => wanted.has(raw))
  if (shelved.length === 0 && documents.length > 0) talk.add(noPlace)
  return { cases: chosen, ...(talk.size > 0 && { talk: [...talk].join('\n') }) }
}

const unknownTalk = (path: string, kept: 'missing' | 'unreadable') =>
  kept === 'missing'
    ? 'note: nothing is known of a last run here, so every case is run'
    : `note: ${path} cannot be read, so every case is run; a run makes it again`

const noPlace = 'note: there is no place to keep what failed, so every case is run'

/**
 * Remembers what failed, for the next run. What was not run stays as it was, unless its case or
 * its document is gone. Says why where that is not possible: the run is as good without.
 */
export async function keepFailures(
  outcomes: readonly PlannedOutcome[],
  documents: readonly LoadedDocument[],
  context: OperationContext,
): Promise<string | undefined> {
  try {
    const ran = new Map(outcomes.map(({ raw, outcome }) => [raw, outcome?.status]))
    for (const { path, documents: ours, kept } of await shelves(documents, context)) {
      const before = typeof kept === 'string' ? undefined : kept
      const after = await failuresAfter(before ?? new Map(), ours, ran, context)
      if (before && isSame(before, after)) continue
      await writeLastFailures(path, after, await context.disk())
    }
    return undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return `warning: what failed is not remembered for --failed: ${error.message}`
  }
}

async function failuresAfter(
  before: Failures,
  documents: readonly LoadedDocument[],
  ran: ReadonlyMap<RawCase, string | undefined>,
  { files }: OperationContext,
): Promise<Failures> {
  const after = new Map<string, ReadonlySet<string>>()
  for (const [path, ids] of before) {
    if ((await files.kindOf(path)) === 'file') after.set(path, ids)
  }
  for (const document of documents) {
    const path = pathOf(document)
    after.set(path, failedIn(document, before.get(path) ?? new Set(), ran))
  }
  return after
}

function failedIn(
  { cases, problems }: LoadedDocument,
  before: ReadonlySet<string>,
  ran: ReadonlyMap<RawCase, string | undefined>,
): ReadonlySet<string> {
  const failed = cases.filter(raw => {
    const status = ran.get(raw)
    return status === undefined ? before.has(raw.id) : status === 'fail'
  })
  // What could not be read may be what failed.
  const ids = new Set(cases.map(({ id }) => id))
  const unread = problems.some(isError) ? [...before].filter(id => !ids.has(id)) : []
  return new Set([...failed.map(({ id }) => id), ...unread])
}

const isSame = (some: Failures, others: Failures) => textOf(some) === textOf(others)
const textOf = (failures: Failures) =>
  JSON.stringify(
    [...failures]
      .filter(([, ids]) => ids.size > 0)
      .map(([path, ids]) => [path, [...ids].sort()])
      .sort(),
  )

const pathOf = ({ root, path }: LoadedDocument) => below(root, path)

/** In the project's cache; without a project in the user's, one for each contract root. */
async function shelves(
  documents: readonly LoadedDocument[],
  context: OperationContext,
): Promise<readonly Shelf[]> {
  const project = await projectCache(context)
  const byPath = new Map<string, LoadedDocument[]>()
  for (const document of documents) {
    const path = placeOf(project, document.root, context)
    if (path === undefined) continue
    const known = byPath.get(path)
    if (known) known.push(document)
    else byPath.set(path, [document])
  }
  const found: Shelf[] = []
  for (const [path, ours] of byPath) {
    found.push({ path, documents: ours, kept: await readLastFailures(path, context.files) })
  }
  return found
}

/** A root that is only named by a variable need not be a project. */
async function projectCache(context: OperationContext): Promise<string | undefined> {
  const root = await findProjectRoot(context)
  const own = `${root?.replace(/\/$/, '')}/.premath`
  const isProject = root !== undefined && (await context.files.kindOf(own)) === 'folder'
  return isProject ? `${own}/cache` : undefined
}

function placeOf(
  project: string | undefined,
  root: string,
  { env, sha256 }: OperationContext,
): string | undefined {
  if (project !== undefined) return `${project}/spec-last.json`
  const { XDG_CACHE_HOME: named, HOME: home } = env
  // A relative one is to be ignored, says whoever named the variable.
  const cache = named?.startsWith('/') ? named : home && `${home}/.cache`
  return cache && `${cache}/premath/specs/${sha256(root).slice(0, 16)}/spec-last.json`
}
