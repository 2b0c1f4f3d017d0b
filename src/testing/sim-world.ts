import { createHash } from 'node:crypto'
import { Fault } from '../fault.ts'
import { NodeHttp } from '../world/http/node-http.ts'
import { localServices } from '../world/local-services.ts'
import { serve } from '../world/node-serve.ts'
import { nodeSigning } from '../world/node-signing.ts'
import type { Ancestor, Clock, Files, World } from '../world/world.ts'
import { SimDisk } from './sim-disk.ts'
import { SimProcesses } from './sim-processes.ts'
import { simWatch } from './sim-watch.ts'

export interface SimSetup {
  /** Contents by path. The folders of these paths exist too. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Targets of symbolic links, by path. Only the disk follows them. */
  readonly links?: Readonly<Record<string, string>>
  /** Instead of `files`: a disk that outlives this world. */
  readonly disk?: SimDisk
  /** Other programs; none by default. */
  readonly processes?: SimProcesses
  readonly ancestors?: readonly Ancestor[]
  readonly cwd?: string
  readonly clock?: Clock
  readonly input?: string | Uint8Array
  /** Makes standard input a terminal. */
  readonly isAtTerminal?: boolean
  readonly env?: World['env']
  /** Makes standard output a terminal of that width. */
  readonly columns?: number
  /** Its height, where it is a terminal. */
  readonly rows?: number
  /** The reader of standard output closes it after this many writes. */
  readonly readerLeavesAfter?: number
  /** Every write to standard output faults, as on a full disk. */
  readonly outputBroken?: boolean
}

interface SimWorld extends World {
  /** The output so far. */
  readonly printed: { out: string; err: string }
}

const rowsDefault = 24

/** A world in memory that passes the same contracts as the real one. */
export function simWorld(setup: SimSetup = {}): SimWorld {
  const printed = { out: '', err: '' }
  const { files = {}, links = {} } = setup
  const disk = setup.disk ?? new SimDisk({ files, links })
  const processes = setup.processes ?? new SimProcesses({ disk })
  let writes = 0
  let randoms = 0
  let ports = 0
  return {
    printed,
    files: simFiles(disk),
    input: chunksOf(bytesOf(setup.input ?? '')),
    isAtTerminal: () => setup.isAtTerminal ?? false,
    userId: () => 1000,
    out: {
      write(text) {
        if (setup.outputBroken) throw new Fault('unavailable', 'could not write standard output')
        if (writes++ >= (setup.readerLeavesAfter ?? Number.POSITIVE_INFINITY)) return false
        printed.out += text
        return true
      },
      isTerminal: () => setup.columns !== undefined,
      columns: () => setup.columns,
      rows: () => (setup.columns === undefined ? undefined : (setup.rows ?? rowsDefault)),
    },
    err: {
      write(text) {
        printed.err += text
        return true
      },
      isTerminal: () => false,
      columns: () => undefined,
      rows: () => undefined,
    },
    env: setup.env ?? {},
    clock: setup.clock ?? steadyClock(),
    startTimer: () => () => 0,
    disk: async () => disk,
    processes: async () => processes,
    ancestors: async () => setup.ancestors ?? [],
    watch: async listener => simWatch(disk, listener),
    signing: async () => nodeSigning,
    http: async () => new NodeHttp(),
    services: async () => localServices,
    serve,
    cwd: () => setup.cwd ?? '/',
    packageFolder: () => '/package',
    nodePath: () => '/usr/bin/node',
    freePort: async () => 20_000 + ++ports,
    cores: () => 2,
    sha256: content => createHash('sha256').update(content).digest('hex'),
    sha256InParts: () => {
      const digest = createHash('sha256')
      return { add: part => void digest.update(part), end: () => digest.digest('hex') }
    },
    random: () => (++randoms).toString(16).padStart(16, '0'),
  }
}

/** Each question advances it by a second. Sleeping advances it and takes no time. */
function steadyClock(): Clock {
  let now = 1_800_000_000_000_000_000n
  const pass = () => {
    now += 1_000_000_000n
    return now
  }
  return {
    now: pass,
    steady: pass,
    async sleep(ms) {
      now += BigInt(Math.ceil(ms * 1_000_000))
    },
  }
}

function simFiles(disk: SimDisk): Files {
  const read = (path: string) => {
    const found = disk.contentOf(path)
    if (found !== undefined) return found
    throw new Fault(
      'invalid_input',
      disk.isFolder(path)
        ? `${path} is a folder, not a file`
        : `there is no file or folder ${path}`,
      { detail: { path } },
    )
  }
  return {
    read: async path => read(path),
    readIfPresent: async path => disk.contentOf(path),
    async *stream(path) {
      yield* chunksOf(read(path))
    },
    async kindOf(path) {
      if (disk.contentOf(path)) return 'file'
      return disk.isFolder(path) ? 'folder' : undefined
    },
    isLink: async path => (await disk.entry(path))?.kind === 'link',
    async list(path) {
      if (disk.isFolder(path)) {
        const isFolder = (name: string) => disk.isFolder(`${path === '/' ? '' : path}/${name}`)
        return disk
          .namesIn(path)
          .toSorted()
          .map(name => ({ name, isFolder: isFolder(name) }))
      }
      throw new Fault(
        'invalid_input',
        disk.contentOf(path) ? `${path} is not a folder` : `there is no file or folder ${path}`,
        { detail: { path } },
      )
    },
  }
}

const bytesOf = (content: string | Uint8Array) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content

// Small and odd, so that lines and characters are cut in the middle.
const chunkBytes = 7

async function* chunksOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.slice(at, at + chunkBytes)
}
