/** Keeps the acknowledged rows that the file lacks: `uninit` removes the record that has them. */
import { Fault } from '../../fault.ts'
import { fileStore, type OpenIssues, openIssues } from '../open-issues.ts'

/** Writes them into the file. Returns a store with the notices about it; `undefined` if none is lacking. */
export async function writeLackingRows(open: OpenIssues): Promise<OpenIssues | undefined> {
  if (!(await open.store.exists()) || !(await isLackingRows(open))) return undefined
  // The store that was asked says that the next change writes the rows, which is this one.
  const writing = await openIssues(open.project, {}, 'look')
  await fileStore(writing).goForward()
  return writing
}

/** Under the lock of issue memory: nobody may take rows out of the file after they were written. */
export async function mustHaveAllRows(open: OpenIssues): Promise<void> {
  if (!(await isLackingRows(open))) return
  throw new Fault('conflict', `${open.store.location} went back while premath was to be removed`, {
    hint: 'Nothing was removed. Run the command again when nobody else changes the file.',
    detail: { path: open.store.location },
  })
}

async function isLackingRows(open: OpenIssues): Promise<boolean> {
  const lacking = await fileStore(open).findLacking()
  if (lacking instanceof Fault) throw lacking
  return lacking.length > 0
}
