/**
 * The effects of this program: files, other processes, standard streams, time. There is one
 * interface per kind of effect. Each failure leaves this room as a `Fault`.
 */

import type { Fault } from '../fault.ts'

export interface FolderEntry {
  readonly name: string
  readonly isFolder: boolean
}

export interface Files {
  /** The whole file. A missing or unreadable file, or a folder, faults as `invalid_input`. */
  read(path: string): Promise<Uint8Array>
  /** The whole file; `undefined` when it does not exist. */
  readIfPresent(path: string): Promise<Uint8Array | undefined>
  /** The file in chunks, for inputs that may not fit in memory. A chunk is valid until the next. */
  stream(path: string): AsyncIterable<Uint8Array>
  /** The entries of a folder, sorted by code units. */
  list(path: string): Promise<readonly FolderEntry[]>
  /** Follows links; `undefined` when the path does not exist. */
  kindOf(path: string): Promise<'file' | 'folder' | undefined>
  /** Also true for a link that leads nowhere. */
  isLink(path: string): Promise<boolean>
}

/** SHA-256 of a text too long to be held. */
export interface TextDigest {
  add(part: string): void
  /** In lower-case hexadecimal. Ends it. */
  end(): string
}

/** Differs when a file was changed or replaced. */
export interface FileStamp {
  /** Device, inode and time of birth: the same for one file under all its names. */
  readonly identity: string
  readonly size: number
  /** Nanoseconds since 1970, as exact as the disk records them. */
  readonly modifiedNs: bigint
  /** The last change of content or metadata. No program can set this time. */
  readonly changedNs: bigint
}

export interface HashedFile {
  readonly sha256: string
  readonly stamp: FileStamp
}

/** An entry of the file system. */
export type DiskEntry =
  | {
      readonly kind: 'file'
      readonly isExecutable: boolean
      /** Only the owner may read or write it. */
      readonly isPrivate: boolean
      /** No write bit is set. Root can write to it all the same. */
      readonly isReadOnly: boolean
      readonly stamp: FileStamp
    }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder' | 'other' }

/** An open file. It keeps no position: each read names its own. */
export interface DiskFile {
  stamp(): Promise<FileStamp>
  /** Up to `length` bytes from `at`; fewer at the end of the file. */
  read(at: number, length: number): Promise<Uint8Array>
  /** The same for synchronous callers. */
  readNow(at: number, length: number): Uint8Array
  /** Appends the bytes in one write. A failure may leave a part of them in the file. */
  append(bytes: Uint8Array): Promise<void>
  /** Truncates the file to its first `size` bytes. */
  cut(size: number): Promise<void>
  /** Returns when the content survives a power loss. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface LockBusy {
  readonly held: false
  /** The process that holds the lock, in words. */
  readonly holder: string
}

export interface HeldLock {
  readonly held: true
  /** `false` when the lock file was removed, so that others can take the lock. */
  isValid(): boolean
  release(): Promise<void>
}

/**
 * Files that this program changes, also while others change them. Nothing is durable before `sync`
 * or `replace` returns. A full, broken or read-only disk faults as `unavailable`.
 */
export interface Disk {
  /** `undefined` when there is no file. */
  open(path: string): Promise<DiskFile | undefined>
  /**
   * For a path that another program chose. `undefined` for anything but a file: it follows no link at
   * the path, and waits for no pipe.
   */
  openPlain(path: string): Promise<DiskFile | undefined>
  /** Creates a missing file, with a durable name. Faults when the file has another hard link. */
  openToAppend(path: string): Promise<DiskFile>
  stamp(path: string): Promise<FileStamp | undefined>
  /**
   * Names a folder as long as it exists, also after it was moved. A folder that was made anew at its path
   * has another name. `undefined` when there is no folder.
   */
  folderId(path: string): Promise<string | undefined>
  /** Does not follow a link at the path; `undefined` when the path does not exist. */
  entry(path: string): Promise<DiskEntry | undefined>
  /** The names in a folder, unordered; none if there is no folder. */
  names(folder: string): Promise<readonly string[]>
  /** SHA-256 of a file, in lower-case hexadecimal. */
  sha256(path: string): Promise<string>
  /** The same, with the stamp of the file that was read, from after its last byte. */
  hashed(path: string): Promise<HashedFile>
  /**
   * Replaces a file durably. After a crash it has the old content or the new one, never a mixture.
   * `lastLook` runs just before the rename and may throw to cancel it.
   */
  replace(path: string, content: Uint8Array, lastLook?: () => void): Promise<void>
  /**
   * Replaces files of one folder by name, in this order, after all are written. Creates the folder.
   * All files are durable when it returns; a power loss before that may undo any of them.
   */
  replaceAll(folder: string, contents: ReadonlyMap<string, Uint8Array>): Promise<void>
  /** Creates a file that only its owner may read. `false` when the path exists; it stays. */
  makePrivate(path: string, content: Uint8Array): Promise<boolean>
  /** Like `replace`, but not synced: for content that can be made again. */
  replaceLoosely(path: string, content: Uint8Array): Promise<void>
  /**
   * Replaces `to` with a copy of `from`, durably. The copy was modified in the same second as `from`,
   * and not later. `false` when there is no file to copy; `to` stays.
   */
  copy(from: string, to: string): Promise<boolean>
  /** The same, not synced. */
  copyLoosely(from: string, to: string): Promise<boolean>
  /**
   * Copies a file with its executable bit, or a link as a link. Not synced. The path must be free, and
   * its folder must exist. `false` when there is neither.
   */
  copyEntry(from: string, to: string): Promise<boolean>
  /** Appends in one write. Creates a missing file. Not synced. */
  appendLoosely(path: string, content: Uint8Array): Promise<void>
  /** Writes over the start of a file, or from `at` on, for notes that readers check. Not synced. */
  overwrite(path: string, content: Uint8Array, at?: number): Promise<void>
  /**
   * Takes an exclusive lock. The kernel releases it when the process ends in any way. The lock file
   * stays and names the holder. If the file is removed, the lock no longer keeps others out.
   */
  lock(path: string, waitMs: number): Promise<HeldLock | LockBusy>
  /** Faults when no file can be created in the folder. */
  checkWritable(folder: string): Promise<void>
  /** Creates a folder and its parents, durably. */
  makeFolder(path: string): Promise<void>
  /** The same, not synced. */
  makeFolderLoosely(path: string): Promise<void>
  /** Creates a new folder in the system's temporary folder. */
  makeTemporaryFolder(): Promise<string>
  /** A path that does not exist is no error. */
  remove(path: string): Promise<void>
  /** Removes a folder and everything in it. Does not follow links. */
  removeFolder(path: string): Promise<void>
  /** Resolves all links. Parts of the path that do not exist stay as they are. */
  realPath(path: string): Promise<string>
}

/** A command to run. It inherits nothing that is not named here. */
export interface CommandSpec {
  /** Text for `sh`; or a program and its arguments, which no shell reads. */
  readonly command: string | readonly [program: string, ...args: string[]]
  readonly cwd: string
  /** The whole environment. `PREMATH_GROUP` is added, which identifies the command's processes. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Empty by default. */
  readonly stdin?: string
  /** After this time the whole process group is ended. */
  readonly timeoutMs: number
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs?: number
  /** After its end, also ends processes that left the group, such as daemons. Needs `/proc`. */
  readonly endsDetached?: boolean
  /**
   * The command is bubblewrap: a process whose child has a session of its own, in which the rest runs,
   * and dies with it. SIGTERM goes to that session.
   */
  readonly isContained?: boolean
  /**
   * Its input is the terminal of this process, where its stdout is shown too. The terminal has its
   * modes back afterwards.
   */
  readonly usesTerminal?: boolean
  /** Sends stderr to the pipe of stdout, so that both are kept as stdout, in the order written. */
  readonly joinsOutputs?: boolean
  /** The files for its output. A file is created at the first output; its folder must exist. */
  readonly stdoutPath?: string
  readonly stderrPath?: string
  /**
   * The largest size of each file. Of more output the file has the first part, a line with the
   * number of missing bytes, and the last part.
   */
  readonly outputBytesMax: number
  /** How much of the end of each output is returned as text. */
  readonly tailBytesMax?: number
  /** Ends a command when one of its outputs gets larger. No limit by default. */
  readonly endAboveBytes?: number
  /** Called for each piece of output, with the last line so far that is not blank. */
  onOutput?(from: 'stdout' | 'stderr', lastLine: string): void
  /** Called with each piece of output as it arrives. */
  onBytes?(from: 'stdout' | 'stderr', bytes: Uint8Array): void
  /**
   * Awaited before the command runs, so that a caller can record the group first. If this process
   * dies meanwhile, or the call throws, the command never runs. With it, a program that cannot be
   * started ends with 126 or 127, as in a shell.
   */
  beforeRun?(group: ProcessGroup): Promise<void>
}

/** Identifies the processes of one command, also after the system has reused the number. */
export interface ProcessGroup {
  readonly id: number
  /** The start time of its first process, as the system records it. */
  readonly startedAt: string
  /** The value of `PREMATH_GROUP` in the environment of its processes. */
  readonly mark: string
}

/** This process, or one that it descends from. */
export interface Ancestor {
  readonly id: number
  /** As in `ProcessGroup`. */
  readonly startedAt: string
}

export interface CommandOutput {
  /** The size of the whole output, kept or not. */
  readonly bytes: number
  /** SHA-256 of the whole output, in lower-case hexadecimal. */
  readonly sha256: string
  /** How many bytes of the output are in the file; 0 without a file. */
  readonly keptBytes: number
  readonly truncated: boolean
  /** The end of the output, from the start of a character. */
  readonly tail: string
}

/** Why a command never ran. */
export interface SpawnFailure {
  /** The system's code, such as `ENOENT`. */
  readonly code: string
  readonly reason: string
}

/** How a command ended. No end is a fault: the caller asked for it. */
export interface CommandEnd {
  /** `null` when a signal ended it, or it never ran. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  /** Whether `stop` was called before it ended. */
  readonly stopped: boolean
  readonly spawnFailed?: SpawnFailure
  /**
   * Processes of the group that outlived the first one: there were none, premath ended them, or
   * some are alive even after SIGKILL.
   */
  readonly leftBehind: 'none' | 'ended' | 'alive'
  /** Until its first process ended. */
  readonly durationMs: number
  readonly stdout: CommandOutput
  readonly stderr: CommandOutput
}

export interface RunningCommand {
  /** `undefined` when the command could not be started; `end` has the reason. */
  readonly group: ProcessGroup | undefined
  /** Always settles. Rejects only when the output could not be written to its file. */
  readonly end: Promise<CommandEnd>
  /** Ends the whole group: SIGTERM, and SIGKILL after the grace period; or SIGKILL at once. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): void
}

/** Ctrl-C, `kill`, and a terminal that is closed. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/**
 * Other programs. Each command has a process group of its own, and the whole group is gone when the
 * command has ended. A process that leaves its group, as daemons do, is not tracked.
 */
export interface Processes {
  run(command: CommandSpec): Promise<CommandEnd>
  start(command: CommandSpec): Promise<RunningCommand>
  /** True if a process has this number here, whoever started it. */
  isRunning(id: number): Promise<boolean>
  /** Whether a process of the group runs. `false` when the group cannot be identified. */
  groupAlive(group: ProcessGroup): Promise<boolean>
  /** Ends a group, also one that another process started. */
  endGroup(group: ProcessGroup): Promise<void>
  /**
   * Calls the handler at the first stop signal. At the second, this process ends at once and kills
   * all groups that it runs. Returns a function that removes the handler.
   */
  onStopSignal(handler: (signal: StopSignal) => void): () => void
}

export interface WatchListener {
  /** The path was created, changed or removed. One change may be reported twice. */
  changed(path: string): void
  /** From now on changes may be missed. */
  failed(fault: Fault): void
  /** Whether files and folders of this name are ignored below a watched folder. */
  passesOver(name: string): boolean
}

export interface Watching {
  /** Returns when the paths are watched: files, present or not, and folders with their content. */
  follow(paths: readonly string[]): Promise<void>
  /** The listener is not called after that. */
  close(): Promise<void>
}

/** A DSSE envelope: payload and signatures are base64. */
interface SignedEnvelope {
  readonly payloadType: string
  readonly payload: string
  readonly signatures: readonly { readonly keyid?: string | undefined; readonly sig: string }[]
}

/** Ed25519 signatures with keys in PEM. Any other text for a key faults as `invalid_input`. */
export interface Signing {
  makeKeys(): { readonly privateKey: string; readonly publicKey: string }
  /** SHA-256 of a public key, in lower-case hexadecimal. */
  keyIdOf(publicKey: string): string
  sign(payloadType: string, payload: string, privateKey: string): SignedEnvelope
  /** The payload; `undefined` when no signature is by that key. */
  openSigned(envelope: SignedEnvelope, publicKey: string): string | undefined
}

/** One request as it goes over the wire. Only `Host`, `Connection` and `Content-Length` are added. */
export interface HttpSend {
  readonly method: string
  /** An `http:` or `https:` address. */
  readonly url: URL
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: Uint8Array | undefined
  /** For everything: from the connection to the last byte of the response. */
  readonly timeoutMs: number
  readonly connection?: HttpConnection | undefined
}

/** How to reach a server. By default, as the system does, and without a proxy. */
export interface HttpConnection {
  /** Certificates and keys in PEM. */
  readonly tls: {
    readonly ca?: string
    readonly cert?: string
    readonly key?: string
    readonly insecure: boolean
  }
  /** IP addresses by `host:port` or `host`. */
  readonly resolve: Readonly<Record<string, string>>
  readonly proxy?: string | undefined
}

export interface HttpReply {
  readonly status: number
  /** As received, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The whole body, decompressed. */
  readonly body: Uint8Array
}

/** Why a request has no response. */
export interface HttpFailure {
  readonly failed:
    | 'timeout'
    /** The client was closed. */
    | 'stopped'
    | 'connection'
    /** The certificate of the server is not trusted. */
    | 'certificate'
    /** It has expired, or is not valid yet. */
    | 'certificate_time'
    /** It is for other hosts. */
    | 'certificate_name'
    /** The certificate or the key of the client does not work, or is missing. */
    | 'own_certificate'
    /** TLS failed for another reason. */
    | 'tls'
    /** The server closed the connection, or its answer is not HTTP. */
    | 'response'
    /** The response is larger than a limit. */
    | 'too_large'
  /** In words, to follow a colon. */
  readonly reason: string
}

/**
 * Sends requests over HTTP. It follows no redirects, keeps no cookies and asks no proxy on its own. The size of
 * a response is limited.
 */
export interface HttpClient {
  send(request: HttpSend): Promise<HttpReply | HttpFailure>
  /** Ends requests in progress and closes all connections. */
  close(): void
}

/** How a service treats its connections. */
export interface ServiceOptions {
  /** Returns the line that answers a line; `undefined` closes the connection. */
  answer(line: string): Promise<string | undefined>
  /** A connection with a longer line is closed. */
  readonly lineBytesMax: number
  /** More connections than these are closed at once. */
  readonly connectionsMax: number
  /** A connection on which nothing arrives or leaves for this long is closed. */
  readonly silentMsMax: number
}

export interface RunningService {
  /** `false` when the socket was removed or replaced, so that nobody can connect. */
  isReachable(): boolean
  /** Removes the socket and closes all connections. Answers that are under way have half a second. */
  close(): Promise<void>
}

/** The line that answers, or why there is none. */
export type ServiceReply =
  | { readonly line: string }
  /** Nobody listens; the service did not answer in time; it closed the connection. */
  | { readonly failed: 'absent' | 'timeout' | 'closed' }

/**
 * Services for the processes of one user on this machine. They speak in lines over a socket, which lies in a
 * folder that only this user can enter.
 */
export interface LocalServices {
  /**
   * The folder for sockets, created if it is missing. `undefined` where the system has none that other users
   * cannot enter or replace.
   */
  folder(env: Readonly<Record<string, string | undefined>>): string | undefined
  /** Replaces a socket that is left at the path. Faults if the system cannot listen there. */
  serve(path: string, options: ServiceOptions): Promise<RunningService>
  /** Sends one line. */
  ask(path: string, line: string, timeoutMs: number): Promise<ServiceReply>
  /**
   * Starts a program that outlives this process, in the topmost folder and in a session of its own. It has no
   * streams, and no variables but these.
   */
  launch(
    command: readonly [program: string, ...args: string[]],
    env: Readonly<Record<string, string | undefined>>,
  ): void
}

/** What a server answers, and where it listens. */
export interface WebService {
  /** An address of this machine, or a name for one. */
  readonly host: string
  /** 0 chooses a free one. */
  readonly port: number
  /** Its signal is aborted when the client is gone. */
  answer(request: Request): Response | Promise<Response>
}

export interface WebServer {
  readonly port: number
  /** Ends all connections at once. */
  close(): Promise<void>
}

export interface Clock {
  /** Nanoseconds since 1970. Does not go back unless the system clock does. */
  now(): bigint
  /** Nanoseconds since some moment. Setting the system clock does not change it, so it measures time. */
  steady(): bigint
  /** Never returns early. */
  sleep(ms: number): Promise<void>
}

/** Output that the caller does not wait for. */
export interface ThreadedOutput {
  /** `false` when the reader has closed it. Faults when an earlier text could not be written. */
  write(text: string): boolean
  /** How many texts are not written yet. */
  readonly pending: number
  /** Returns when all texts are written, however long the reader takes. */
  flush(): Promise<void>
}

export interface Output {
  /**
   * Returns when the whole text is written, so nothing is lost when this process ends. `false` when
   * the reader has closed it.
   */
  write(text: string): boolean
  /** For long runs; `undefined` where a write cannot block. */
  threaded?(): Promise<ThreadedOutput | undefined>
  isTerminal(): boolean
  /** The terminal's width; `undefined` for anything else. */
  columns(): number | undefined
  /** The terminal's height; `undefined` for anything else. */
  rows(): number | undefined
}

/** Functions that return a promise of a port load its code: most commands need few of them. */
export interface World {
  readonly files: Files
  /** Standard input. A chunk is valid until the next. */
  readonly input: AsyncIterable<Uint8Array>
  /** Whether standard input is a terminal. */
  isAtTerminal(): boolean
  /** The real user id of this process; -1 where the system has none. */
  userId(): number
  readonly out: Output
  readonly err: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /**
   * Starts a timer. It returns the milliseconds that this process has run since: time in which other
   * processes had the processor does not count.
   */
  readonly startTimer: () => () => number
  disk(): Promise<Disk>
  processes(): Promise<Processes>
  /** This process, its parent and so on. None where the system does not tell. */
  ancestors(): Promise<readonly Ancestor[]>
  watch(listener: WatchListener): Promise<Watching>
  signing(): Promise<Signing>
  /** A new client. The caller closes it. */
  http(): Promise<HttpClient>
  services(): Promise<LocalServices>
  /**
   * Serves HTTP. Connections, headers, and the time that a client may take are limited. Faults as
   * `unavailable` when nothing can listen there.
   */
  serve(service: WebService): Promise<WebServer>
  /** Faults when the working folder was removed. */
  cwd(): string
  /** The folder of the installed package, with its data files. */
  packageFolder(): string
  /** The Node that runs this program. */
  nodePath(): string
  /** A TCP port of this machine that nobody listened on just now. Another process may take it. */
  freePort(): Promise<number>
  /** The number of processor cores that this process may use; at least 1. */
  cores(): number
  /** SHA-256 of bytes, or of the text's UTF-8 bytes, in lower-case hexadecimal. */
  sha256(content: string | Uint8Array): string
  /** The same of a text that comes in parts. */
  sha256InParts(): TextDigest
  /** Sixteen random hexadecimal digits. */
  random(): string
}
