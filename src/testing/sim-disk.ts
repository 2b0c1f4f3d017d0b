import { createHash } from 'node:crypto'
import { Fault } from '../fault.ts'
import type {
  Disk,
  DiskEntry,
  DiskFile,
  FileStamp,
  HashedFile,
  HeldLock,
  LockBusy,
} from '../world/world.ts'

/** A simulated power loss. No code may catch it. */
export class SimCrash extends Error {
  override readonly name = 'SimCrash'
}

/** Failures of one call. A torn write leaves a part of its bytes in the file. */
export const simFaults = ['EIO', 'ENOSPC', 'torn', 'crash', 'torn crash', 'crash after'] as const
export type SimFault = (typeof simFaults)[number]

export interface SimDiskSetup {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Targets of symbolic links, by path. */
  readonly links?: Readonly<Record<string, string>>
  /** Asked at every call. Calls are numbered from 1. */
  fault?(call: number, what: string, path: string): SimFault | undefined
  /** A number from 0 to 1: decides how much of a torn write stays, and what survives a crash. */
  chance?(): number
  /** Awaited before every call, so that other processes can run. */
  turn?(): Promise<void>
  /** Awaited between two tries for a busy lock. Returns the milliseconds that passed. */
  rest?(): Promise<number>
  /** Called when bytes were appended to a file. */
  appended?(path: string, bytes: Uint8Array): void
}

interface Node {
  readonly identity: string
  bytes: Uint8Array
  /** The buffer behind `bytes`, with room for more. */
  room: Uint8Array | undefined
  /** The bytes that survive a crash. */
  synced: Uint8Array
  modifiedNs: bigint
  isPrivate: boolean
  /** A failed sync lost the bytes from here on, although the next sync will succeed. */
  lostFrom: number | undefined
}

/** The state that all processes share. */
interface DiskState {
  readonly names: Map<string, Node>
  readonly syncedNames: Map<string, Node>
  /** Names of files and folders, by folder. */
  readonly folders: Map<string, Set<string>>
  readonly locks: Map<Node, SimHolder>
  made: number
  ticks: bigint
  /** Called with each path that changed. */
  readonly listeners: Set<(path: string) => void>
}

interface SimHolder {
  readonly words: string
  readonly disk: SimDisk
}

/**
 * A disk in memory. It passes the same contract as the real one, fails when the setup says so, and
 * loses unsynced content in a crash.
 */
export class SimDisk implements Disk {
  readonly #setup: SimDiskSetup
  readonly #state: DiskState
  calls = 0

  constructor(setup: SimDiskSetup = {}, state?: DiskState) {
    this.#setup = setup
    this.#state = state ?? newDiskState()
    for (const [path, content] of Object.entries(setup.files ?? {})) {
      const node = this.#newNode(bytesOf(content))
      node.synced = node.bytes
      this.#addFolders(folderOf(path))
      this.#put(path, node)
      this.#state.syncedNames.set(path, node)
    }
  }

  /** The content of all files, by path. */
  contents(): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.#state.names].map(([path, node]) => [path, node.bytes]))
  }

  contentOf(path: string): Uint8Array | undefined {
    return this.#state.names.get(path)?.bytes
  }

  isFolder(path: string): boolean {
    return this.#state.folders.has(path)
  }

  /** Calls the listener with each path that changes. Returns a function that removes it. */
  onChange(listener: (path: string) => void): () => void {
    const { listeners } = this.#state
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** The names in a folder, unordered. */
  namesIn(folder: string): readonly string[] {
    return [...(this.#state.folders.get(folder) ?? [])]
  }

  /** The same disk for another process, with turns and faults of its own. */
  sharedWith(setup: Omit<SimDiskSetup, 'files'>): SimDisk {
    const { files: _files, ...own } = this.#setup
    return new SimDisk({ ...own, ...setup }, this.#state)
  }

  /** Ends the process of this view: its locks are released. */
  endProcess(): void {
    for (const [node, { disk }] of this.#state.locks) {
      if (disk === this) this.#state.locks.delete(node)
    }
  }

  /** The disk after a crash, without locks and without some of the unsynced content. */
  afterCrash(setup: Omit<SimDiskSetup, 'files'> = {}): SimDisk {
    const { names: seen, syncedNames } = this.#state
    const names = this.#chance() < 0.5 ? syncedNames : seen
    const files: Record<string, Uint8Array> = {}
    for (const [path, node] of names) files[path] = this.#survivor(node)
    return new SimDisk({ ...this.#setup, fault: () => undefined, ...setup, files })
  }

  #survivor({ bytes, synced, lostFrom }: Node): Uint8Array {
    if (lostFrom !== undefined) return synced
    const grew = Buffer.compare(synced, bytes.subarray(0, synced.length)) === 0
    if (!grew) return this.#chance() < 0.5 ? synced : bytes
    return bytes.slice(0, synced.length + this.#some(bytes.length - synced.length))
  }

  async open(path: string): Promise<DiskFile | undefined> {
    return await this.#call('open', path, () => {
      const node = this.#state.names.get(path)
      return node && this.#file(node, path)
    })
  }

  async openPlain(path: string): Promise<DiskFile | undefined> {
    return await this.open(path)
  }

  async openToAppend(path: string): Promise<DiskFile> {
    return await this.#call('open to append', path, () => {
      const found = this.#state.names.get(path)
      if (found) return this.#file(found, path)
      this.#needFolder(path)
      const node = this.#newNode(new Uint8Array())
      this.#put(path, node)
      this.#state.syncedNames.set(path, node)
      return this.#file(node, path)
    })
  }

  async stamp(path: string): Promise<FileStamp | undefined> {
    return await this.#call('stamp', path, () => {
      const node = this.#state.names.get(path)
      if (node) return stampOf(node)
      return this.isFolder(path) ? folderStamp(path) : undefined
    })
  }

  /** A folder that was removed and made again keeps its name here. */
  async folderId(path: string): Promise<string | undefined> {
    return await this.#call('look at', path, () =>
      this.isFolder(path) ? folderStamp(path).identity : undefined,
    )
  }

  async entry(path: string): Promise<DiskEntry | undefined> {
    return await this.#call('look at', path, () => {
      const target = this.#setup.links?.[path]
      if (target !== undefined) return { kind: 'link', target }
      if (this.isFolder(path)) return { kind: 'folder' }
      const node = this.#state.names.get(path)
      if (node === undefined) return undefined
      const { isPrivate } = node
      const modes = { isExecutable: false, isPrivate, isReadOnly: false }
      return { kind: 'file', ...modes, stamp: stampOf(node) }
    })
  }

  async names(folder: string): Promise<readonly string[]> {
    return await this.#call('read', folder, () => this.namesIn(folder))
  }

  async sha256(path: string): Promise<string> {
    return (await this.hashed(path)).sha256
  }

  async hashed(path: string): Promise<HashedFile> {
    return await this.#call('read', path, () => {
      const node = this.#state.names.get(path)
      if (node) {
        const sha256 = createHash('sha256').update(node.bytes).digest('hex')
        return { sha256, stamp: stampOf(node) }
      }
      throw new Fault('unavailable', `could not read ${path}: ENOENT`)
    })
  }

  async replace(path: string, content: Uint8Array, lastLook?: () => void): Promise<void> {
    const draft = `${path}.tmp`
    const node = this.#newNode(new Uint8Array())
    try {
      await this.#call('make the draft of', path, () => {
        this.#needFolder(path)
        this.#put(draft, node)
      })
      await this.#write(node, content, path)
      await this.#sync(node, path)
      await this.#call('rename onto', path, () => {
        lastLook?.()
        this.#rename(draft, path, node)
      })
    } catch (error) {
      if (!(error instanceof SimCrash)) this.#drop(draft)
      throw error
    }
    await this.#call('sync the folder of', path, () => {
      this.#state.syncedNames.set(path, node)
    })
  }

  async copy(from: string, to: string): Promise<boolean> {
    return await this.#copy(from, to, content => this.replace(to, content))
  }

  async copyLoosely(from: string, to: string): Promise<boolean> {
    return await this.#copy(from, to, content => this.replaceLoosely(to, content))
  }

  async copyEntry(from: string, to: string): Promise<boolean> {
    return await this.#copy(from, to, content => this.replaceLoosely(to, content))
  }

  async #copy(
    from: string,
    to: string,
    write: (content: Uint8Array) => Promise<void>,
  ): Promise<boolean> {
    const found = await this.#call('read', from, () => this.#state.names.get(from))
    if (!found) return false
    const { bytes, modifiedNs } = found
    await write(bytes.slice())
    const node = this.#state.names.get(to)
    if (node) node.modifiedNs = modifiedNs
    return true
  }

  async replaceAll(folder: string, contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.makeFolder(folder)
    const nodes = new Map<string, Node>()
    for (const [name, content] of contents) {
      const path = `${folder}/${name}`
      const node = this.#newNode(new Uint8Array())
      await this.#write(node, content, path)
      await this.#sync(node, path)
      nodes.set(path, node)
    }
    for (const [path, node] of nodes) {
      await this.#call('rename onto', path, () => {
        this.#needFolder(path)
        this.#rename(undefined, path, node)
      })
    }
    await this.#call('sync the folder', folder, () => {
      for (const [path, node] of nodes) this.#state.syncedNames.set(path, node)
    })
  }

  async makePrivate(path: string, content: Uint8Array): Promise<boolean> {
    const node = this.#newNode(new Uint8Array())
    node.isPrivate = true
    const isNew = await this.#call('make', path, () => {
      this.#needFolder(path)
      if (this.#state.names.has(path) || this.isFolder(path)) return false
      this.#put(path, node)
      return true
    })
    if (!isNew) return false
    await this.#write(node, content, path)
    await this.#sync(node, path)
    this.#state.syncedNames.set(path, node)
    return true
  }

  async replaceLoosely(path: string, content: Uint8Array): Promise<void> {
    const node = this.#newNode(new Uint8Array())
    await this.#write(node, content, path)
    await this.#call('rename onto', path, () => {
      this.#needFolder(path)
      this.#rename(undefined, path, node)
    })
  }

  async appendLoosely(path: string, content: Uint8Array): Promise<void> {
    const node = await this.#call('open loosely', path, () => {
      this.#needFolder(path)
      const found = this.#state.names.get(path) ?? this.#newNode(new Uint8Array())
      this.#put(path, found)
      return found
    })
    await this.#write(node, content, path)
  }

  async overwrite(path: string, content: Uint8Array, at = 0): Promise<void> {
    const node = this.#state.names.get(path) ?? this.#newNode(new Uint8Array())
    await this.#call('overwrite', path, () => {
      this.#needFolder(path)
      this.#put(path, node)
      this.#change(node, overwritten(node.bytes, content, at))
    })
  }

  #rename(from: string | undefined, to: string, node: Node): void {
    if (from !== undefined) this.#drop(from)
    this.#put(to, node)
  }

  async lock(path: string, waitMs: number): Promise<HeldLock | LockBusy> {
    const { locks, names } = this.#state
    const lockNode = () => {
      this.#needFolder(path)
      const node = names.get(path) ?? this.#newNode(new Uint8Array())
      this.#put(path, node)
      return node
    }
    let node = await this.#call('lock', path, lockNode)
    for (let waited = 0; locks.has(node); ) {
      if (waited >= waitMs) return { held: false, holder: locks.get(node)?.words ?? '' }
      waited += await this.#rest()
      node = lockNode()
    }
    const holder = { words: `pid ${++this.#state.made} (simulated) since now`, disk: this }
    locks.set(node, holder)
    return {
      held: true,
      isValid: () => names.get(path) === node,
      release: async () => {
        // Released even when the call below fails: a process that ends loses its locks.
        if (locks.get(node) === holder) locks.delete(node)
        await this.#call('unlock', path, () => {})
      },
    }
  }

  async #rest(): Promise<number> {
    if (this.#setup.rest) return await this.#setup.rest()
    await new Promise(resolve => setImmediate(resolve))
    return 1
  }

  async checkWritable(folder: string): Promise<void> {
    await this.#call('check', folder, () => this.#needFolder(`${folder}/file`))
  }

  async makeFolder(path: string): Promise<void> {
    await this.#call('make the folder', path, () => this.#addFolders(path))
  }

  async makeFolderLoosely(path: string): Promise<void> {
    await this.makeFolder(path)
  }

  async remove(path: string): Promise<void> {
    await this.#call('remove', path, () => this.#drop(path))
  }

  async makeTemporaryFolder(): Promise<string> {
    const path = `/tmp/premath-${++this.#state.made}`
    await this.makeFolder(path)
    return path
  }

  async removeFolder(path: string): Promise<void> {
    const { names, folders } = this.#state
    const isInside = (one: string) => one === path || one.startsWith(`${path}/`)
    await this.#call('remove', path, () => {
      for (const one of [...names.keys()].filter(isInside)) this.#drop(one)
      for (const one of [...folders.keys()].filter(isInside)) folders.delete(one)
      folders.get(folderOf(path))?.delete(nameOf(path))
    })
  }

  async realPath(path: string): Promise<string> {
    const [link, target] =
      Object.entries(this.#setup.links ?? {}).find(
        ([from]) => path === from || path.startsWith(`${from}/`),
      ) ?? []
    return link === undefined ? path : `${target}${path.slice(link.length)}`
  }

  #file(node: Node, path: string): DiskFile {
    const read = (at: number, length: number) => node.bytes.slice(at, at + length)
    return {
      stamp: () => this.#call('stamp', path, () => stampOf(node)),
      read: (at, length) => this.#call('read', path, () => read(at, length)),
      readNow: read,
      append: bytes => this.#write(node, bytes, path, added => this.#setup.appended?.(path, added)),
      cut: size =>
        this.#call('cut', path, () => {
          this.#change(node, node.bytes.slice(0, size))
          if (size <= (node.lostFrom ?? size)) node.lostFrom = undefined
        }),
      sync: () => this.#sync(node, path),
      close: async () => {},
    }
  }

  async #write(
    node: Node,
    bytes: Uint8Array,
    path: string,
    appended?: (added: Uint8Array) => void,
  ): Promise<void> {
    const add = (count: number) => {
      const added = bytes.subarray(0, count)
      this.#change(node, grown(node, added))
      if (this.#state.names.get(path) === node) this.#tell(path)
      appended?.(added)
    }
    await this.#call(
      'write',
      path,
      () => add(bytes.length),
      () => add(this.#some(bytes.length)),
    )
  }

  async #sync(node: Node, path: string): Promise<void> {
    await this.#call(
      'sync',
      path,
      () => {
        const { bytes, lostFrom } = node
        node.synced = bytes
        if (lostFrom !== undefined) node.synced = bytes.slice().fill(0, lostFrom)
      },
      () => {
        node.lostFrom = node.synced.length
      },
    )
  }

  #change(node: Node, bytes: Uint8Array): void {
    node.bytes = bytes
    node.modifiedNs = ++this.#state.ticks
  }

  /** One call: its turn, its fault, its effect. `half` is the effect of a call that fails. */
  async #call<T>(what: string, path: string, effect: () => T, half?: () => void): Promise<T> {
    await this.#setup.turn?.()
    this.calls++
    const fault = this.#setup.fault?.(this.calls, what, path)
    if (fault === 'torn' || fault === 'torn crash') half?.()
    if (fault === 'ENOSPC' && what === 'write') half?.()
    if (fault === 'EIO' && what === 'sync') half?.()
    if (fault === 'crash' || fault === 'torn crash') throw new SimCrash(`${what} ${path}`)
    if (fault === 'crash after') {
      effect()
      throw new SimCrash(`after ${what} ${path}`)
    }
    if (fault) {
      const code = fault === 'torn' ? 'EIO' : fault
      throw new Fault('unavailable', `could not ${what} ${path}: ${code}`, {
        detail: { path, code },
      })
    }
    return effect()
  }

  #put(path: string, node: Node): void {
    const { names, folders } = this.#state
    if (!names.has(path)) folders.get(folderOf(path))?.add(nameOf(path))
    names.set(path, node)
    this.#tell(path)
  }

  #drop(path: string): void {
    const { names, folders } = this.#state
    if (!names.delete(path)) return
    folders.get(folderOf(path))?.delete(nameOf(path))
    this.#tell(path)
  }

  #tell(path: string): void {
    for (const listener of this.#state.listeners) listener(path)
  }

  #needFolder(path: string): void {
    if (this.isFolder(folderOf(path))) return
    const detail = { path, code: 'ENOENT' }
    throw new Fault('unavailable', `could not write ${path}: ENOENT`, { detail })
  }

  #addFolders(path: string): void {
    const { folders } = this.#state
    if (folders.has(path)) return
    this.#addFolders(folderOf(path))
    folders.set(path, new Set())
    folders.get(folderOf(path))?.add(nameOf(path))
  }

  #newNode(bytes: Uint8Array): Node {
    return {
      identity: `sim:${++this.#state.made}`,
      bytes,
      room: undefined,
      synced: new Uint8Array(),
      modifiedNs: ++this.#state.ticks,
      isPrivate: false,
      lostFrom: undefined,
    }
  }

  #chance(): number {
    return this.#setup.chance?.() ?? 0.5
  }

  /** A random number from 0 to `count`. */
  #some(count: number): number {
    return Math.floor(this.#chance() * (count + 1))
  }
}

const newDiskState = (): DiskState => ({
  names: new Map(),
  syncedNames: new Map(),
  folders: new Map([['/', new Set()]]),
  locks: new Map(),
  made: 0,
  ticks: 0n,
  listeners: new Set(),
})

const stampOf = ({ identity, bytes, modifiedNs }: Node): FileStamp => ({
  identity,
  size: bytes.length,
  modifiedNs,
  changedNs: modifiedNs,
})

/** A folder here never changes its stamp. */
const folderStamp = (path: string): FileStamp => ({
  identity: `folder:${path}`,
  size: 0,
  modifiedNs: 0n,
  changedNs: 0n,
})

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

const bytesOf = (content: string | Uint8Array) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content

function overwritten(before: Uint8Array, content: Uint8Array, at: number): Uint8Array {
  const after = new Uint8Array(Math.max(before.length, at + content.length))
  after.set(before)
  after.set(content, at)
  return after
}

/** Appends in place where it can, so that a file of many lines is not copied for each one. */
function grown(node: Node, more: Uint8Array): Uint8Array {
  const { bytes } = node
  const after = bytes.length + more.length
  const room = node.room?.buffer === bytes.buffer ? node.room : undefined
  const own = room && room.length >= after ? room : roomFor(bytes, after)
  node.room = own
  own.set(more, bytes.length)
  return own.subarray(0, after)
}

function roomFor(bytes: Uint8Array, size: number): Uint8Array {
  const room = new Uint8Array(bytes.length === 0 ? size : 2 * size)
  room.set(bytes)
  return room
}
