/**
 * What we cannot predict: files, the standard streams, the environment, the machine's hash. One
 * interface per kind of effect and no domain words. Every failure is already a `Fault` when it
 * leaves this room.
 */

export interface FolderEntry {
  readonly name: string
  readonly isFolder: boolean
}

export interface Files {
  /** The whole file. One that is missing, a folder or not readable faults as `invalid_input`. */
  read(path: string): Promise<Uint8Array>
  /** The whole file, or `undefined` where there is none. */
  readIfPresent(path: string): Promise<Uint8Array | undefined>
  /**
   * The file in chunks of bounded size, for inputs that need not fit in memory. A chunk is good
   * until the next one is asked for.
   */
  stream(path: string): AsyncIterable<Uint8Array>
  /** What a folder holds, by name in code-unit order. */
  list(path: string): Promise<readonly FolderEntry[]>
  /** What is there, links followed; `undefined` where there is nothing. */
  kindOf(path: string): Promise<'file' | 'folder' | undefined>
}

/** What tells whether a file is still the one it was. */
export interface FileStamp {
  /** The same as long as it is the same file, whatever its name. */
  readonly identity: string
  readonly size: number
  /** Nanoseconds since 1970, as finely as the disk counts. */
  readonly modifiedNs: bigint
  /** When anything about the file changed, its times included. Nobody can set this one back. */
  readonly changedNs: bigint
}

/** One open file. Reads and writes name their place; nothing remembers a position. */
export interface DiskFile {
  stamp(): Promise<FileStamp>
  /** Up to `length` bytes from `at`; fewer at the end of the file. */
  read(at: number, length: number): Promise<Uint8Array>
  /** The same, for a look-up in the middle of a decision that cannot wait. */
  readNow(at: number, length: number): Uint8Array
  /** Adds all of the bytes at the end, in one write. A failure can leave some of them there. */
  append(bytes: Uint8Array): Promise<void>
  /** Cuts the file to its first `size` bytes. */
  cut(size: number): Promise<void>
  /** Returns when what was written survives a loss of power. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Who holds a lock, in words. */
export interface LockBusy {
  readonly held: false
  readonly holder: string
}

export interface HeldLock {
  readonly held: true
  /** Whether it still keeps others out: somebody may have removed its file. */
  isValid(): boolean
  release(): Promise<void>
}

/**
 * Files that are changed, and that others change at the same time. Nothing is durable before a
 * `sync`, or before `replace` returns. A disk that is full, broken or read-only faults as
 * `unavailable`.
 */
export interface Disk {
  /** `undefined` where there is no file. */
  open(path: string): Promise<DiskFile | undefined>
  /** Opens to append; makes the file, durably named, where there is none. */
  openToAppend(path: string): Promise<DiskFile>
  stamp(path: string): Promise<FileStamp | undefined>
  /**
   * The new content whole, or the old one: never a mixture, also after a crash. `lastLook` is asked
   * right before the old one goes, and can still throw.
   */
  replace(path: string, content: Uint8Array, lastLook?: () => void): Promise<void>
  /** The same, for what can be made again: whole for readers, but not synced. */
  replaceLoosely(path: string, content: Uint8Array): Promise<void>
  /** Writes over the start of a file, for a note that is checked when it is read. Not synced. */
  overwrite(path: string, content: Uint8Array): Promise<void>
  /**
   * An exclusive lock that the kernel takes back when the process ends, however it ends. The file
   * stays and says who holds it; without it the lock keeps nobody out.
   */
  lock(path: string, waitMs: number): Promise<HeldLock | LockBusy>
  /** Faults where no file may be made in the folder. */
  checkWritable(folder: string): Promise<void>
  /** With the folders above it. */
  makeFolder(path: string): Promise<void>
  /** No error where there is nothing. */
  remove(path: string): Promise<void>
  /** The path with every link followed; parts that do not exist yet are kept as they are. */
  realPath(path: string): Promise<string>
}

export interface Clock {
  /** Nanoseconds since 1970; never earlier than it said before, as far as the machine allows. */
  now(): bigint
}

export interface Output {
  /**
   * Writes all of the text before it returns, so a slow reader slows the writer and nothing is
   * left behind when the process ends. `false`: the reader is gone and more text is pointless.
   */
  write(text: string): boolean
  /** Whether a person is looking at it. */
  isTerminal(): boolean
  /** The terminal's width; `undefined` when it is not one. */
  columns(): number | undefined
}

export interface World {
  readonly files: Files
  /** Standard input, in chunks that are good until the next one is asked for. */
  readonly input: AsyncIterable<Uint8Array>
  readonly out: Output
  readonly err: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Loaded when it is asked for: most commands change no file. */
  disk(): Promise<Disk>
  /** The working folder. It can be gone, so it is asked for only when it matters. */
  cwd(): string
  /** The folder this program is installed in, with the data that was shipped beside its code. */
  packageFolder(): string
  /** The Node that runs this program. */
  nodePath(): string
  /** SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal. */
  sha256(text: string): string
  /** Sixteen hexadecimal digits that nobody can foresee. */
  random(): string
}
