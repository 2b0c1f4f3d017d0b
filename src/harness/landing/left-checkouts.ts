/** Removes the checkouts of workers that were killed while their work was verified. */
import { type Harness, journalFolder } from '../harness.ts'
import { askGit } from '../worktree/git.ts'
import { removeCheckout } from './git-checkout.ts'

/** A checkout, or what is kept beside it. */
const checkoutName = /^check\.(.+)\.step(?:\.index|\.copies)?$/

/** The caller holds the lock of its own worker, whose checkout is made anew when it is needed. */
export async function removeLeftCheckouts(harness: Harness): Promise<void> {
  const base = `${harness.root === '/' ? '' : harness.root}/.premath`
  for (const folder of [`${base}/worktrees`, `${base}/checkouts`]) {
    if ((await harness.disk.entry(folder))?.kind !== 'folder') continue
    const names = await harness.namesIn(folder)
    const workers = new Set(names.flatMap(name => checkoutName.exec(name)?.[1] ?? []))
    for (const worker of workers) {
      await removeIfLeft(harness, worker, `${folder}/check.${worker}.step`)
    }
  }
}

async function removeIfLeft(harness: Harness, worker: string, path: string): Promise<void> {
  const { disk, root } = harness
  // A worker at work holds its lock.
  const lock = await disk.lock(`${journalFolder(harness)}/${worker}.lock`, 0)
  if (!lock.held) return
  try {
    const args = ['rev-parse', '--path-format=absolute', '--git-common-dir']
    const { exitCode, stdout } = await askGit(harness, root, args)
    const real = await disk.realPath(path)
    if (exitCode === 0) await removeCheckout({ disk, commonFolder: stdout.trimEnd() }, real)
    else await disk.removeFolder(real)
    await disk.remove(`${real}.index`)
    await disk.removeFolder(`${real}.copies`)
  } finally {
    await lock.release()
  }
}
