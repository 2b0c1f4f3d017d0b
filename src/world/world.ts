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
  /** The file in chunks of bounded size, for inputs that need not fit in memory. */
  stream(path: string): AsyncIterable<Uint8Array>
  /** What a folder holds, by name in code-unit order. */
  list(path: string): Promise<readonly FolderEntry[]>
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
  readonly input: AsyncIterable<Uint8Array>
  readonly out: Output
  readonly err: Output
  readonly env: Readonly<Record<string, string | undefined>>
  /** The working folder. It can be gone, so it is asked for only when it matters. */
  cwd(): string
  /** The folder this program is installed in, with the data that was shipped beside its code. */
  packageFolder(): string
  /** SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal. */
  sha256(text: string): string
}
