import { existsSync, type FSWatcher as FolderWatcher, watch as watchFolder } from 'node:fs'
import { type FSWatcher, watch } from 'chokidar'
import { Fault } from '../fault.ts'
import { codeOf, reason } from './system-error.ts'
import type { Watching, WatchListener } from './world.ts'

export class NodeWatching implements Watching {
  readonly #listener: WatchListener
  readonly #watched: WatchedPaths
  readonly #watchers: FSWatcher[] = []
  /** The folders that were made since. */
  readonly #newFolders = new Map<string, FolderWatcher>()

  constructor(listener: WatchListener) {
    this.#listener = listener
    this.#watched = new WatchedPaths(listener)
  }

  /** Each call makes a watcher: chokidar reports only once that it is ready. */
  async follow(paths: readonly string[]): Promise<void> {
    const added = this.#watched.add(paths)
    if (added.length === 0) return
    const watcher = watch([...new Set(added.map(folderToWatch))], {
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: path => !this.#watched.covers(path) && !this.#watched.isAbove(path),
    })
    this.#watchers.push(watcher)
    watcher.on('addDir', path => this.#followNewFolder(path))
    watcher.on('unlinkDir', path => this.#leave(path))
    watcher.on('all', (_, path) => this.#tell(path))
    watcher.on('error', error => this.#listener.failed(watchFault(error)))
    await new Promise<void>(resolve => watcher.once('ready', resolve))
  }

  #tell(path: string): void {
    if (this.#watched.covers(path)) this.#listener.changed(path)
  }

  /** chokidar reads a new folder before it watches it, and would miss a file that is made in between. */
  #followNewFolder(path: string): void {
    this.#leave(path)
    try {
      const folder = watchFolder(path, (_, name) => this.#tell(`${path}/${name}`))
      // chokidar watches the same folder, and reports what fails.
      folder.on('error', () => this.#leave(path))
      this.#newFolders.set(path, folder)
    } catch {
      // The folder is gone again, or chokidar fails in the same way and reports it.
    }
  }

  #leave(path: string): void {
    this.#newFolders.get(path)?.close()
    this.#newFolders.delete(path)
  }

  async close(): Promise<void> {
    for (const path of [...this.#newFolders.keys()]) this.#leave(path)
    await Promise.all(this.#watchers.map(watcher => watcher.close()))
  }
}

/** The nearest folder that exists: a file that is missing is reported when it is made. */
const folderToWatch = (path: string): string => [path, ...foldersAbove(path)].find(isFolder) ?? '/'

const isFolder = (path: string) => existsSync(`${path}/`)

const hints: Readonly<Record<string, string>> = {
  ENOSPC: 'Let the system watch more files: raise fs.inotify.max_user_watches.',
  EMFILE: 'Let the system watch more folders: raise fs.inotify.max_user_instances, or ulimit -n.',
}

function watchFault(error: unknown): Fault {
  const code = codeOf(error)
  return new Fault('unavailable', `could not watch files: ${reason(error)}`, {
    hint: hints[code] ?? 'Run again without watching.',
    detail: { code },
    cause: error,
  })
}

/** The paths that a listener follows. */
export class WatchedPaths {
  readonly #passesOver: WatchListener['passesOver']
  readonly #paths = new Set<string>()
  readonly #above = new Set<string>()

  constructor({ passesOver }: Pick<WatchListener, 'passesOver'>) {
    this.#passesOver = passesOver
  }

  /** Returns those that were not covered before. */
  add(paths: readonly string[]): readonly string[] {
    const added = paths.filter(path => !this.covers(path))
    for (const path of added) {
      this.#paths.add(path)
      for (const folder of foldersAbove(path)) this.#above.add(folder)
    }
    return added
  }

  /** Whether a followed path lies below this one, present or not. */
  isAbove(path: string): boolean {
    return this.#above.has(path)
  }

  /** Whether the path is followed, or lies below one that is, with no ignored name in between. */
  covers(path: string): boolean {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (this.#paths.has(path.slice(0, end))) return true
      if (this.#passesOver(path.slice(path.lastIndexOf('/', end - 1) + 1, end))) return false
    }
    return this.#paths.has('/')
  }
}

/** Nearest first. */
function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('/') || '/')
}
