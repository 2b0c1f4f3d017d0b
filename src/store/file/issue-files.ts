/** The files of the file backend, by the path of the rows. */
export interface IssueFiles {
  readonly rows: string
  readonly lock: string
  readonly events: string
  /** The folder around the rows. It also holds step journals and recorded overrides. */
  readonly folder: string
  /** A file for each instruction, with its used entries. */
  readonly uses: string
  /** A folder for each closed issue, with its proofs. */
  readonly proofs: string
}

export function issueFiles(rows: string): IssueFiles {
  const folder = rows.slice(0, rows.lastIndexOf('/'))
  const name = rows.slice(rows.lastIndexOf('/') + 1)
  return {
    rows,
    lock: `${rows}.lock`,
    events: `${folder}/memory/${eventsName(name)}`,
    folder: folder || '/',
    uses: `${folder}/memory/uses`,
    proofs: `${folder}/proofs`,
  }
}

/** Each memory has its own event log, also where two of them share a folder. */
const eventsName = (rows: string) =>
  rows === 'issues.jsonl' ? 'events.jsonl' : `${rows.replace(/\.jsonl$/, '')}.events.jsonl`

/** A file or folder of a backend. Commands do not write their output there. */
export interface OwnPath {
  readonly path: string
  readonly isFolder: boolean
  /** For messages. */
  readonly holds: string
}

export const ownPaths = ({ rows, lock, events, uses, proofs }: IssueFiles): readonly OwnPath[] => [
  { path: rows, isFolder: false, holds: 'the issue memory itself' },
  { path: lock, isFolder: false, holds: 'the lock of the issue memory' },
  { path: events, isFolder: false, holds: 'the event log of the issue memory' },
  { path: uses, isFolder: true, holds: 'the instructions that were used' },
  { path: proofs, isFolder: true, holds: 'the proofs of closed issues' },
]
