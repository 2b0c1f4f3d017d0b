/** The checkouts in which the work of steps is verified: where they are, and who removes them after a kill. */

import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { type Harness, journalFolder } from '../harness.ts'
import { askGit } from '../worktree/git.ts'
import { worktreesFolder } from '../worktree/worker-worktree.ts'
import { removeCheckout } from './git-checkout.ts'

interface Place {
  readonly folder: string
  /** Before the names of the checkouts of this project. */
  readonly prefix: string
}

/**
 * In the user's cache. Inside of the project, programs as npm and node would find what the work put
 * into the folders above, such as `node_modules`.
 */
async function placeOf(harness: CheckoutHarness): Promise<Place> {
  const { root, disk, env, sha256 } = harness
  const { XDG_CACHE_HOME: named, HOME: home } = env
  const isHome = home?.startsWith('/') && (await disk.entry(home))?.kind === 'folder'
  const cache = named?.startsWith('/') ? named : isHome ? `${home}/.cache` : undefined
  if (cache === undefined) return { folder: await worktreesFolder(harness), prefix: '' }
  const folder = await disk.realPath(`${cache}/premath/checkouts`)
  return { folder, prefix: `${sha256(root).slice(0, 16)}.` }
}

type CheckoutHarness = Pick<Harness, 'root' | 'disk' | 'env' | 'sha256' | 'processes'>

/** A free path for the checkout of a worker in a repository. Its folder is there. */
export async function checkoutPath(harness: CheckoutHarness, worker: string): Promise<string> {
  const { folder, prefix } = await placeOf(harness)
  await makeGitignoredFolder(folder, harness.disk)
  return `${folder}/${prefix}check.${worker}.step`
}

/** A checkout, or what is kept beside it. */
const checkoutName = /^check\.(.+)\.step(?:\.index|\.copies)?$/

/** The caller holds the lock of its own worker, whose checkout is made anew when it is needed. */
export async function removeLeftCheckouts(harness: Harness): Promise<void> {
  const base = `${harness.root === '/' ? '' : harness.root}/.premath`
  const copies = { folder: `${base}/checkouts`, prefix: '' }
  for (const { folder, prefix } of [await placeOf(harness), copies]) {
    if ((await harness.disk.entry(folder))?.kind !== 'folder') continue
    const names = (await harness.namesIn(folder)).filter(name => name.startsWith(prefix))
    const workers = names.flatMap(name => checkoutName.exec(name.slice(prefix.length))?.[1] ?? [])
    for (const worker of new Set(workers)) {
      await removeIfLeft(harness, worker, `${folder}/${prefix}check.${worker}.step`)
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
