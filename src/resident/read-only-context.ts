/** The context of a question: the caller's place, and no way to change a file or to run a program. */
import { Fault } from '../fault.ts'
import type { OperationContext } from '../project/context.ts'
import type { Disk } from '../world/world.ts'
import type { Question } from './messages.ts'

export async function questionContext(
  { cwd, env, surface }: Question,
  { place: _, ...own }: OperationContext,
  keptMemory: Map<string, object>,
): Promise<OperationContext> {
  const disk = readOnlyDisk(await own.disk())
  return {
    ...own,
    cwd: () => cwd,
    env,
    surface,
    keptMemory,
    json: true,
    stdin: nothing(),
    disk: async () => disk,
    processes: refuse,
    http: refuse,
    watch: refuse,
    signing: refuse,
    freePort: refuse,
    services: refuse,
    progress: () => {},
    isAtTerminal: () => false,
  }
}

/** Caches are written where they can be, so that a question whose cache is refused is still answered. */
const readOnlyDisk = (disk: Disk): Disk => ({
  open: path => disk.open(path),
  openPlain: path => disk.openPlain(path),
  stamp: path => disk.stamp(path),
  folderId: path => disk.folderId(path),
  entry: path => disk.entry(path),
  names: path => disk.names(path),
  sha256: path => disk.sha256(path),
  hashed: path => disk.hashed(path),
  realPath: path => disk.realPath(path),
  openToAppend: refuse,
  replace: refuse,
  replaceAll: refuse,
  makePrivate: refuse,
  replaceLoosely: refuse,
  copy: refuse,
  copyLoosely: refuse,
  copyEntry: refuse,
  appendLoosely: refuse,
  overwrite: refuse,
  lock: refuse,
  checkWritable: refuse,
  makeFolder: refuse,
  makeFolderLoosely: refuse,
  makeTemporaryFolder: refuse,
  remove: refuse,
  removeFolder: refuse,
})

async function refuse(): Promise<never> {
  throw new Fault('unavailable', 'the resident process only reads', {
    hint: 'Run the command itself.',
  })
}

async function* nothing(): AsyncIterable<Uint8Array> {}
