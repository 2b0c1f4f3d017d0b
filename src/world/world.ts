/**
 * What we cannot predict: files, other processes, the standard streams, the environment, the
 * machine's hash. One interface per kind of effect and no domain words. Every failure is already a `Fault` when it
 * leaves this room.
 */

import type { Fault } from '../fault.ts'

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

/** What stands at a path. */
export type DiskEntry =
  | {
      readonly kind: 'file'
      readonly isExecutable: boolean
      /** Nobody but its owner may read or write it. */
      readonly isPrivate: boolean
      /** Nobody may write it. The owner of the machine can all the same, and should not. */
      readonly isReadOnly: boolean
      readonly stamp: FileStamp
    }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder' | 'other' }

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
  /** Opens to append; makes the file, durably named, where there is none. It must have one name. */
  openToAppend(path: string): Promise<DiskFile>
  stamp(path: string): Promise<FileStamp | undefined>
  /** The path itself: where it is a link, that is not followed. `undefined`: nothing is there. */
  entry(path: string): Promise<DiskEntry | undefined>
  /** SHA-256 of all bytes of a file, in lower-case hexadecimal. */
  sha256(path: string): Promise<string>
  /**
   * The new content whole, or the old one: never a mixture, also after a crash. `lastLook` is asked
   * right before the old one goes, and can still throw.
   */
  replace(path: string, content: Uint8Array, lastLook?: () => void): Promise<void>
  /**
   * Files of one folder by their names, each as `replace` does, and in this order once all are
   * written. The folder is made, with those above it. They last when it returns; a loss of power
   * before that may take any of them.
   */
  replaceAll(folder: string, contents: ReadonlyMap<string, Uint8Array>): Promise<void>
  /** A new file that nobody but its owner may read. `false`: something is there, and it stays. */
  makePrivate(path: string, content: Uint8Array): Promise<boolean>
  /** The same as `replace`, for what can be made again: whole for readers, but not synced. */
  replaceLoosely(path: string, content: Uint8Array): Promise<void>
  /** Adds to the end in one write, and makes the file where there is none. Not synced, nor its name. */
  appendLoosely(path: string, content: Uint8Array): Promise<void>
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
  /** The same, for what a loss of power may take along. */
  makeFolderLoosely(path: string): Promise<void>
  /** A new folder that nobody else has, where the machine keeps what need not last. */
  makeTemporaryFolder(): Promise<string>
  /** No error where there is nothing. */
  remove(path: string): Promise<void>
  /** A folder with all that is in it; links in it are removed, not followed. */
  removeFolder(path: string): Promise<void>
  /** The path with every link followed; parts that do not exist yet are kept as they are. */
  realPath(path: string): Promise<string>
}

/** One command to run. It gets what is named here and nothing of ours. */
export interface CommandSpec {
  /** Text for `sh`; or a program and its arguments, which no shell sees. */
  readonly command: string | readonly [program: string, ...args: string[]]
  readonly cwd: string
  /** The whole environment, but for `PREMATH_GROUP`, by which its processes are known again. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What it can read; nothing when left out. */
  readonly stdin?: string
  /** How long it may run before its whole group is ended. */
  readonly timeoutMs: number
  /** How long the group may take to end when it is asked to, before it is killed. */
  readonly graceMs?: number
  /** Where its output is kept, if there is any; the folder must be there. */
  readonly stdoutPath?: string
  readonly stderrPath?: string
  /**
   * How large each of these files may get. Of more output, the first part is kept, a line that
   * says how much is missing, and the last part.
   */
  readonly outputBytesMax: number
  /** How much of the end of each output is given back as text. */
  readonly tailBytesMax?: number
  /** A command of which one output is larger is ended; it may say all it wants when left out. */
  readonly endAboveBytes?: number
  /** Told of each piece of output as it comes, with the last line that is not blank so far. */
  onOutput?(from: 'stdout' | 'stderr', lastLine: string): void
  /**
   * Awaited before the command runs: what this writes down is there however we end, and if we end
   * in the middle of it, or it throws, nothing was run. A program that cannot be started then
   * ends with 126 or 127, as in a shell.
   */
  beforeRun?(group: ProcessGroup): Promise<void>
}

/**
 * The processes of one command. Can be written down, and is told apart from any that get the same
 * number later.
 */
export interface ProcessGroup {
  readonly id: number
  /** When its first process started, as the machine counts. */
  readonly startedAt: string
  /** What its processes carry in their environment as `PREMATH_GROUP`. */
  readonly mark: string
}

export interface CommandOutput {
  /** All that came, kept or not. */
  readonly bytes: number
  /** SHA-256 of all that came, in lower-case hexadecimal. */
  readonly sha256: string
  /** How much of it is in the file; 0 when none was asked for. */
  readonly keptBytes: number
  /** Whether the file lacks some of it. */
  readonly truncated: boolean
  /** The end of it, from the start of a character on. */
  readonly tail: string
}

/** Why a command never ran. */
export interface SpawnFailure {
  /** The system's name for it, such as `ENOENT`. */
  readonly code: string
  readonly reason: string
}

/** How a command ended. None of this is a fault: the caller asked to learn it. */
export interface CommandEnd {
  /** `null` when a signal ended it, or it never ran. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  /** Whether `stop` was called before it ended. */
  readonly stopped: boolean
  readonly spawnFailed?: SpawnFailure
  /**
   * What was left of the group after its first process ended by itself: nothing, processes that
   * we ended, or some that even a kill did not end.
   */
  readonly leftBehind: 'none' | 'ended' | 'alive'
  /** Until its first process ended. */
  readonly durationMs: number
  readonly stdout: CommandOutput
  readonly stderr: CommandOutput
}

export interface RunningCommand {
  /** `undefined` when it could not be started; `end` says why. */
  readonly group: ProcessGroup | undefined
  /** Always comes, whatever the command does. Rejects only when its output could not be kept. */
  readonly end: Promise<CommandEnd>
  /** Ends the whole group: asked first and killed after the grace, or killed at once. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): void
}

/** Ctrl-C, a polite kill, and the terminal being closed. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/**
 * Other programs. Each command gets a process group of its own, and all of it is gone when the
 * command has ended. A process that leaves its group, as daemons do, is not followed.
 */
export interface Processes {
  run(command: CommandSpec): Promise<CommandEnd>
  start(command: CommandSpec): Promise<RunningCommand>
  /** Whether anything of the group still runs. In doubt it is not the same group. */
  groupAlive(group: ProcessGroup): Promise<boolean>
  /** Ends what is left of a group, also one that another process of ours began. */
  endGroup(group: ProcessGroup): Promise<void>
  /**
   * Calls the handler when this process is asked to stop. Asked a second time, it ends at once and
   * kills every group it runs. Returns how to stop listening.
   */
  onStopSignal(handler: (signal: StopSignal) => void): () => void
}

/** Who wants to hear of changes. */
export interface WatchListener {
  /** Something at this path was made, changed or taken away. The same change may be told twice. */
  changed(path: string): void
  /** Changes can be missed from now on. */
  failed(fault: Fault): void
  /** Whether files and folders of this name are left alone, below a folder that is followed. */
  passesOver(name: string): boolean
}

export interface Watching {
  /**
   * Returns when changes of these are told: files, also such as are not there yet, and folders
   * with all that is below them.
   */
  follow(paths: readonly string[]): Promise<void>
  /** Nothing is told after that. */
  close(): Promise<void>
}

/** A payload, its type, and who signed both: DSSE, with its parts in base64. */
export interface SignedEnvelope {
  readonly payloadType: string
  readonly payload: string
  readonly signatures: readonly { readonly keyid?: string | undefined; readonly sig: string }[]
}

/** Signatures by Ed25519, with keys as PEM texts. What is no such key faults as `invalid_input`. */
export interface Signing {
  /** A new pair. */
  makeKeys(): { readonly privateKey: string; readonly publicKey: string }
  /** SHA-256 of a public key, in lower-case hexadecimal. */
  keyIdOf(publicKey: string): string
  sign(payloadType: string, payload: string, privateKey: string): SignedEnvelope
  /** The payload, where a signature of it is by that key. */
  openSigned(envelope: SignedEnvelope, publicKey: string): string | undefined
}

export interface Clock {
  /** Nanoseconds since 1970; never earlier than it said before, as far as the machine allows. */
  now(): bigint
  /** Returns when so many milliseconds have passed, never before. */
  sleep(ms: number): Promise<void>
}

/** Output that nobody waits for: it is written when the reader reads. */
export interface BehindOutput {
  /** `false`: the reader is gone. Faults where an earlier text could not be written. */
  write(text: string): boolean
  /** How many texts are not written yet. */
  readonly pending: number
  /** Returns when all of it is written, however long the reader takes. */
  flush(): Promise<void>
}

export interface Output {
  /**
   * Writes all of the text before it returns, so a slow reader slows the writer and nothing is
   * left behind when the process ends. `false`: the reader is gone and more text is pointless.
   */
  write(text: string): boolean
  /** For what goes on for long; `undefined` where nobody can keep whoever writes waiting. */
  behind?(): Promise<BehindOutput | undefined>
  /** Whether a person is looking at it. */
  isTerminal(): boolean
  /** The terminal's width; `undefined` when it is not one. */
  columns(): number | undefined
  /** The terminal's height; `undefined` when it is not one. */
  rows(): number | undefined
}

export interface World {
  readonly files: Files
  /** Standard input, in chunks that are good until the next one is asked for. */
  readonly input: AsyncIterable<Uint8Array>
  /** Whether standard input is a terminal, so that somebody can type. */
  isAtTerminal(): boolean
  readonly out: Output
  readonly err: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Loaded when it is asked for: most commands change no file. */
  disk(): Promise<Disk>
  /** Loaded when it is asked for: most commands start no other. */
  processes(): Promise<Processes>
  /** Loaded when it is asked for. */
  watch(listener: WatchListener): Promise<Watching>
  /** Loaded when it is asked for: hardly a command signs. */
  signing(): Promise<Signing>
  /** The working folder. It can be gone, so it is asked for only when it matters. */
  cwd(): string
  /** The folder this program is installed in, with the data that was shipped beside its code. */
  packageFolder(): string
  /** The Node that runs this program. */
  nodePath(): string
  /** How many things the machine can do at the same time; at least 1. */
  cores(): number
  /** SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal. */
  sha256(text: string): string
  /** Sixteen hexadecimal digits that nobody can foresee. */
  random(): string
}
