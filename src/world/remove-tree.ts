import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs'

/**
 * Removes a folder with all that is in it, also what nobody may write to and what is nested deeper
 * than a path can be long: folders within are moved up to the top before they are emptied.
 */
export function removeTree(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (found.isDirectory()) removeFolders(path)
  else unlinkSync(path)
}

function removeFolders(path: string): void {
  const top = Buffer.from(path)
  const pending = emptied(top).map(name => within(top, name))
  const names = new FreshNames(pending)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const name of emptied(next)) {
      const folder = within(next, name)
      // A folder that moves has to be writable itself, for it names the one above.
      chmodSync(folder, ownerOnly)
      const moved = names.next(top)
      renameSync(folder, moved)
      pending.push(moved)
    }
    rmdirSync(next)
  }
  rmdirSync(path)
}

const ownerOnly = 0o700

/** Takes away all but the folders in it, and names those. */
function emptied(folder: Buffer): Buffer[] {
  chmodSync(folder, ownerOnly)
  const folders: Buffer[] = []
  // As bytes: a name need not be text.
  for (const one of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (one.isDirectory()) folders.push(one.name)
    else unlinkSync(within(folder, one.name))
  }
  return folders
}

const within = (folder: Buffer, name: Buffer): Buffer =>
  Buffer.concat([folder, Buffer.from('/'), name])

/** Names that nothing at the top has: moving onto an empty folder would take its place. */
class FreshNames {
  readonly #taken: ReadonlySet<string>
  #last = 0

  constructor(taken: readonly Buffer[]) {
    this.#taken = new Set(taken.map(one => one.toString('latin1')))
  }

  next(top: Buffer): Buffer {
    this.#last++
    const path = within(top, Buffer.from(String(this.#last)))
    return this.#taken.has(path.toString('latin1')) ? this.next(top) : path
  }
}
