/** Stores the last verdict of each case, for `--failed`. */
import { Fault } from '../../fault.ts'
import type { RawCase } from '../../kernel/spec/document/raw-case.ts'
import { counted } from '../../kernel/text/counted.ts'
import type { CaseOutcome } from '../../runner/case-outcome.ts'
import { below } from '../../runner/contract-roots.ts'
import type { LoadedDocument } from '../../runner/load-documents.ts'
import type { PlannedOutcome } from '../../runner/run-plan.ts'
import {
  type LastVerdict,
  type LastVerdicts,
  lastVerdictsText,
  readLastVerdicts,
  writeLastVerdicts,
} from '../../store/last-verdicts.ts'
import type { OperationContext } from '../context.ts'
import type { ProjectSeeker } from '../open.ts'

type Kept = Awaited<ReturnType<typeof readLastVerdicts>>

/** Documents that share one cache. */
interface VerdictCache {
  readonly path: string
  readonly documents: readonly LoadedDocument[]
  readonly kept: Kept
}

interface FailedChoice {
  readonly cases: readonly RawCase[]
  /** A note for the user. */
  readonly message?: string
}

/** Cases that failed and cases without a stored verdict. */
export async function failedCases(
  cases: readonly RawCase[],
  documents: readonly LoadedDocument[],
  context: ProjectSeeker,
): Promise<FailedChoice> {
  const good = new Set<RawCase>()
  const unknown = new Set<RawCase>()
  const messages = new Set<string>()
  const cached = await verdictCaches(documents, context)
  for (const { path, documents: ours, kept } of cached) {
    if (typeof kept === 'string') {
      messages.add(unknownMessage(path, kept))
      continue
    }
    for (const document of ours) {
      const known = kept.get(pathOf(document))
      for (const raw of document.cases) {
        const verdict = known?.get(raw.id)
        if (verdict === 'good') good.add(raw)
        if (verdict === undefined) unknown.add(raw)
      }
    }
  }
  const newOnes = cases.filter(raw => unknown.has(raw)).length
  if (newOnes > 0) messages.add(newMessage(newOnes))
  if (cached.length === 0 && documents.length > 0) messages.add(noCacheFolder)
  return {
    cases: cases.filter(raw => !good.has(raw)),
    ...(messages.size > 0 && { message: [...messages].join('\n') }),
  }
}

const unknownMessage = (path: string, kept: 'missing' | 'unreadable') =>
  kept === 'missing'
    ? 'note: nothing is known of a last run here, so every case is run'
    : `note: ${path} cannot be read, so every case is run; a run makes it again`

const newMessage = (count: number) =>
  `note: nothing is known of ${counted(count, 'case')} here, so that is run beside what failed`

const noCacheFolder = 'note: there is no cache folder for the last verdicts, so every case runs'

/**
 * Stores the verdict of each case for the next run. Verdicts of cases that did not run stay, unless
 * the case or its document is gone. Returns the reason if the verdicts cannot be stored, because
 * that does not fail the run.
 */
export async function keepVerdicts(
  outcomes: readonly PlannedOutcome[],
  documents: readonly LoadedDocument[],
  context: ProjectSeeker,
): Promise<string | undefined> {
  try {
    const ran = new Map(outcomes.map(({ raw, outcome }) => [raw, outcome?.status]))
    for (const { path, documents: ours, kept } of await verdictCaches(documents, context)) {
      const before = typeof kept === 'string' ? undefined : kept
      const after = await verdictsAfter(before ?? new Map(), ours, ran, context)
      if (before && lastVerdictsText(before) === lastVerdictsText(after)) continue
      await writeLastVerdicts(path, after, await context.disk())
    }
    return undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return `warning: the verdicts could not be stored for --failed: ${error.message}`
  }
}

type Ran = ReadonlyMap<RawCase, CaseOutcome['status'] | undefined>

async function verdictsAfter(
  before: LastVerdicts,
  documents: readonly LoadedDocument[],
  ran: Ran,
  { files }: OperationContext,
): Promise<LastVerdicts> {
  const after = new Map<string, ReadonlyMap<string, LastVerdict>>()
  for (const [path, ids] of before) {
    if ((await files.kindOf(path)) === 'file') after.set(path, ids)
  }
  for (const document of documents) {
    const path = pathOf(document)
    after.set(path, verdictsIn(document, before.get(path) ?? new Map(), ran))
  }
  return after
}

/** An unreadable case has no verdict and runs next time. */
function verdictsIn(
  { cases }: LoadedDocument,
  before: ReadonlyMap<string, LastVerdict>,
  ran: Ran,
): ReadonlyMap<string, LastVerdict> {
  const after = new Map<string, LastVerdict>()
  const unknown = new Set<string>()
  for (const raw of cases) {
    const status = ran.get(raw)
    const verdict =
      status === undefined ? before.get(raw.id) : status === 'fail' ? 'failed' : 'good'
    if (verdict === undefined) unknown.add(raw.id)
    // If two cases share an id, the worse verdict counts.
    else if (after.get(raw.id) !== 'failed') after.set(raw.id, verdict)
  }
  for (const id of unknown) if (after.get(id) === 'good') after.delete(id)
  return after
}

const pathOf = ({ root, path }: LoadedDocument) => below(root, path)

/** In the project's cache; without a project in the user's, one for each contract root. */
async function verdictCaches(
  documents: readonly LoadedDocument[],
  context: ProjectSeeker,
): Promise<readonly VerdictCache[]> {
  const cache = await projectCache(context)
  const byPath = new Map<string, LoadedDocument[]>()
  for (const document of documents) {
    const path = placeOf(cache, document.root, context)
    if (path === undefined) continue
    const known = byPath.get(path)
    if (known) known.push(document)
    else byPath.set(path, [document])
  }
  const found: VerdictCache[] = []
  for (const [path, ours] of byPath) {
    found.push({ path, documents: ours, kept: await readLastVerdicts(path, context.files) })
  }
  return found
}

/** A root that only `PREMATH_ROOT` names need not be a project. */
async function projectCache({ project }: ProjectSeeker): Promise<string | undefined> {
  const { at, files, isFound } = await project()
  const isProject = isFound && (await files.kindOf(at('.premath'))) === 'folder'
  return isProject ? at('.premath/cache') : undefined
}

function placeOf(
  projectCache: string | undefined,
  root: string,
  { env, sha256 }: OperationContext,
): string | undefined {
  if (projectCache !== undefined) return `${projectCache}/spec-last.json`
  const { XDG_CACHE_HOME: named, HOME: home } = env
  // The XDG specification says to ignore a relative path.
  const cache = named?.startsWith('/') ? named : home && `${home}/.cache`
  return cache && `${cache}/premath/specs/${sha256(root).slice(0, 16)}/spec-last.json`
}
