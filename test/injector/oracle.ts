/** Reads a project without any code of the product, to judge what a broken command left. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Row {
  readonly id: string
  readonly title?: string
  readonly status?: string
  readonly assignee?: string
  readonly labels?: readonly string[]
  readonly comments?: readonly unknown[]
  readonly lease?: {
    readonly owner: string
    readonly lease_id: string
    readonly acquired_at: string
  }
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Whole lines only: what follows the last line feed was never acknowledged. */
/** A line that was cut off, and stays on its own, counts for nothing. A whole one may lack its end. */
function linesIn(path: string): readonly string[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  const [last = ''] = lines.slice(-1)
  const whole = isJson(last) ? lines : lines.slice(0, -1)
  return whole.filter(line => line.trim() !== '' && !line.startsWith('#'))
}

export const recordsIn = (path: string) =>
  linesIn(path)
    .filter(isJson)
    .map(line => JSON.parse(line))

export const rowsIn = (path: string): readonly Row[] => recordsIn(path)

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

export const issuesPath = (root: string) => join(root, '.premath/issues.jsonl')

/** What a person sees of an issue, without times and digests. */
export function stateOf({
  title,
  status,
  assignee,
  labels,
  comments,
  lease,
  metadata,
}: Row): string {
  const fence = metadata?.['premathFence']
  const owner = lease?.owner
  const closed = Object.keys(metadata ?? {}).filter(key => /close/i.test(key))
  const words = {
    title,
    status,
    assignee,
    labels,
    comments: comments?.length,
    fence,
    owner,
    closed,
  }
  return JSON.stringify(words)
}

/** By id, what was acknowledged last. */
export function memoryIn(root: string): ReadonlyMap<string, string> {
  return new Map(rowsIn(issuesPath(root)).map(row => [row.id, stateOf(row)]))
}

const markPath = (root: string) => join(root, '.git/premath/memory/issues/rows.jsonl')
const eventsPath = (root: string) => join(root, '.premath/memory/events.jsonl')

/** Whole lines that are no JSON, in any file that keeps rows. */
export const brokenLines = (root: string): readonly string[] =>
  [issuesPath(root), markPath(root), eventsPath(root)].flatMap(path =>
    linesIn(path)
      .filter(line => !isJson(line))
      .map(line => `${path}: ${line}`),
  )

/** Fences that two acquisitions of one issue have, in any file that keeps rows. */
export function fencesGivenTwice(root: string): readonly string[] {
  const acquired = new Map<string, Set<string>>()
  const events = recordsIn(eventsPath(root))
  const rows: readonly Row[] = [
    ...rowsIn(issuesPath(root)),
    ...rowsIn(markPath(root)),
    ...events.flatMap(({ issue }) => (issue ? [issue] : [])),
  ]
  for (const { id, lease, metadata } of rows) {
    if (!lease) continue
    const key = `${id} fence ${metadata?.['premathFence']}`
    const holders = acquired.get(key) ?? new Set()
    acquired.set(key, holders.add(`${lease.lease_id} ${lease.acquired_at}`))
  }
  return [...acquired].filter(([, holders]) => holders.size > 1).map(([key]) => key)
}

/** Every file below a folder, but for those below the given ones. */
export function filesBelow(folder: string, but: readonly string[]): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (but.includes(path)) return []
    return entry.isDirectory() ? filesBelow(path, but) : [path]
  })
}

/** Files that were not put in place. */
export const draftsIn = (
  root: string,
  folders: readonly string[] = ['.premath', '.git/premath', 'artifacts'],
): readonly string[] =>
  folders
    .map(name => join(root, name))
    .filter(existsSync)
    .flatMap(folder => filesBelow(folder, []))
    .filter(path => /\.tmp\.\d+\.\d+$/.test(path))
